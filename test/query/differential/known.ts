/** Differences of the other engine that are its own, each with the reason; everything else is a disagreement. */

import type { Outcome } from './engines.js';

interface KnownDifference {
  readonly reason: string;
  readonly applies: (text: string, actual: Outcome) => boolean;
}

const KNOWN: readonly KnownDifference[] = [];

/** Why the other engine may answer differently here; null = it may not. */
export function explained(text: string, actual: Outcome): string | null {
  return KNOWN.find(({ applies }) => applies(text, actual))?.reason ?? null;
}
