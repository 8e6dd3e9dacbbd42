/** Labels of a graph as lists show them: each axis by its value, null where it is undeclared or has expired. */

import { type GraphLabels, type Trust, unexpired } from '../../query/registry/label-rows.js';
import type { Instant } from '../../storage/ids/layout.js';

export interface ShownLabels {
  readonly freshness: string | null;
  readonly durability: string | null;
  readonly trust: Trust | null;
  readonly policy: readonly string[] | null;
  readonly kind: string | null;
}

/** A frozen graph is an archive, whatever was declared of its kind. */
export const FROZEN_KIND = 'archive';

export function shownLabels(labels: GraphLabels, { now, isFrozen }: { now: Instant; isFrozen: boolean }): ShownLabels {
  const { freshness, durability, trust, policy, kind } = unexpired(labels, now);
  return {
    freshness: freshness?.value ?? null,
    durability: durability?.value ?? null,
    trust: trust?.value ?? null,
    policy: policy?.value ?? null,
    kind: isFrozen ? FROZEN_KIND : (kind?.value ?? null),
  };
}
