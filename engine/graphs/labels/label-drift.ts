/**
 * Compares what the registry keeps of labels with the facts of the meta graph that it is made of, in both directions. Policies
 * are compared as sets. A difference means that something wrote the one without the other; declaring the label again
 * puts both right.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { formatInstant } from '../../base/instant.js';
import { compareCodePoints } from '../../base/text.js';
import { AXES, type Axis, allLabels, type Declared, type GraphLabels } from '../../query/registry/label-rows.js';
import type { TermId } from '../../storage/ids/layout.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { sameValue } from './declare-labels.js';
import { allLabelsInFacts } from './label-facts.js';

/** One side of a difference; null = nothing is declared. */
export interface DriftSide {
  readonly value: unknown;
  readonly valid_to: string | null;
}

export interface LabelDrift {
  readonly graph: string;
  readonly axis: Axis;
  readonly facts: DriftSide | null;
  readonly cache: DriftSide | null;
}

export interface DriftReport {
  /** Graphs that anything is declared of, on either side. */
  readonly graphs: number;
  /** By graph, then axis. */
  readonly drift: readonly LabelDrift[];
}

const GRAPHS_AT_ONCE = 1024;

export async function findLabelDrift(snapshot: StorageSnapshot, control: Control = {}): Promise<DriftReport> {
  const cached = allLabels(snapshot);
  const found: (Omit<LabelDrift, 'graph'> & { readonly id: TermId })[] = [];
  let graphs = 0;
  const compare = (id: TermId, facts: GraphLabels, cache: GraphLabels): void => {
    graphs++;
    for (const axis of AXES) {
      const [stated, kept] = [sideOf(facts[axis]), sideOf(cache[axis])];
      if (!sameValue(stated, kept)) found.push({ id, axis, facts: stated, cache: kept });
    }
  };
  for (const [id, facts] of allLabelsInFacts(snapshot)) {
    compare(id, facts, cached.get(id) ?? {});
    cached.delete(id);
    if (graphs % GRAPHS_AT_ONCE === 0) {
      throwIfStopped(control, 'the comparison of labels');
      await breathe();
    }
  }
  for (const [id, cache] of cached) if (AXES.some((axis) => cache[axis] !== undefined)) compare(id, {}, cache);
  return { graphs, drift: named(snapshot, found) };
}

function named(
  snapshot: StorageSnapshot,
  found: readonly (Omit<LabelDrift, 'graph'> & { readonly id: TermId })[],
): LabelDrift[] {
  const names = decodeIds(
    snapshot,
    found.map(({ id }) => id),
  );
  const drift = found.map(({ id: _, ...rest }, at) => ({ graph: names[at]?.value ?? '', ...rest }));
  return drift.sort((a, b) => compareCodePoints(a.graph, b.graph));
}

function sideOf(declared: Declared<unknown> | undefined): DriftSide | null {
  if (declared === undefined) return null;
  const { value, validTo } = declared;
  const shown = Array.isArray(value) ? [...new Set(value)].sort(compareCodePoints) : value;
  return { value: shown, valid_to: typeof validTo === 'number' ? formatInstant(validTo) : null };
}
