/**
 * The graphs that hold current rows, in the order of their IRIs. Those of the runs are listed once for a version of the
 * manifest; what the layers above change in them is found by the layers' rows alone. A list that is the same is the same object.
 */

import { compareCodePoints } from '../../base/text.js';
import type { Term } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../ids/layout.js';

type Counts = ReadonlyMap<TermId, number>;

interface Listed {
  readonly ids: readonly TermId[];
  /** IRIs, in the same order. */
  readonly names: readonly string[];
}

interface ListedRuns extends Listed {
  /** The last list with what layers had changed, and what that was. */
  last: { readonly changed: ReadonlyMap<TermId, boolean>; readonly ids: readonly TermId[] } | null;
}

const listed = new WeakMap<Counts, ListedRuns>();

/** `counts`: rows of each graph in the runs; `net`: by how many they grew since. */
export function graphsHolding(counts: Counts, net: Counts, decode: (ids: readonly TermId[]) => Term[]): readonly TermId[] {
  let runs = listed.get(counts);
  if (runs === undefined) {
    const ids = [...counts].filter(([, rows]) => rows > 0).map(([graph]) => graph);
    runs = { ...sorted(ids, namesOf(decode(ids))), last: null };
    listed.set(counts, runs);
  }
  const changed = new Map<TermId, boolean>();
  for (const [graph, rows] of net) {
    const before = counts.get(graph) ?? 0;
    const holds = before + rows > 0;
    if (holds !== before > 0) changed.set(graph, holds);
  }
  if (changed.size === 0) return runs.ids;
  if (runs.last === null || !sameChanges(runs.last.changed, changed)) {
    runs.last = { changed, ids: changedList(runs, changed, decode) };
  }
  return runs.last.ids;
}

function changedList(
  { ids, names }: Listed,
  changed: ReadonlyMap<TermId, boolean>,
  decode: (ids: readonly TermId[]) => Term[],
): readonly TermId[] {
  const came = [...changed].filter(([, holds]) => holds).map(([graph]) => graph);
  const stays = ids.map((graph) => changed.get(graph) !== false);
  const isKept = (_: unknown, at: number): boolean => stays[at] === true;
  return sorted([...ids.filter(isKept), ...came], [...names.filter(isKept), ...namesOf(decode(came))]).ids;
}

function namesOf(terms: readonly Term[]): string[] {
  return terms.map(({ value }) => value);
}

function sorted(ids: readonly TermId[], names: readonly string[]): Listed {
  const order = ids.map((_, at) => at);
  order.sort((a, b) => {
    if (ids[a] === ROOT_ID || ids[b] === ROOT_ID) return ids[a] === ROOT_ID ? -1 : 1;
    return compareCodePoints(names[a] as string, names[b] as string);
  });
  return { ids: order.map((at) => ids[at] as TermId), names: order.map((at) => names[at] as string) };
}

function sameChanges(a: ReadonlyMap<TermId, boolean>, b: ReadonlyMap<TermId, boolean>): boolean {
  return a.size === b.size && [...a].every(([graph, holds]) => b.get(graph) === holds);
}
