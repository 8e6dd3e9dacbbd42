/**
 * The words that a store's data uses: predicates, classes and graphs, with counts. Nothing here reads
 * quads one by one: counts come from directories, and classes by skipping from one to the next.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { everyGraph, unlistedIds } from '../../query/registry/system-graphs.js';
import { RDF_NS, type Term, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { decodeIds, exactly, idIn, patternOf } from '../../storage/seam/rows.js';
import type { GraphSet, IdColumn, ScanPattern, ScanRequest, StorageSnapshot } from '../../storage/seam/scan.js';
import type { StoreSnapshot } from './snapshot.js';

export interface CountedTerm {
  readonly term: Term;
  /** Visible quads. */
  readonly quads: number;
}

export interface CountedTerms {
  /** Most quads first. */
  readonly entries: readonly CountedTerm[];
  /** There are more than were asked for. */
  readonly truncated: boolean;
}

/** Counting takes some microseconds a term, more where a range begins or ends inside a block. */
const COUNTS_PER_BREATH = 64;

/** Predicates of all graphs. */
export async function countPredicates(
  snapshot: StoreSnapshot,
  termsMax: number,
  control: Control = {},
): Promise<CountedTerms> {
  const graphs = everyGraph(snapshot.storage);
  const known = [...snapshot.storage.predicates(graphs)].sort((a, b) => b.rows - a.rows);
  const ids = known.slice(0, termsMax).map(({ predicate }) => predicate);
  const counts = await countEach(snapshot, ids, (p) => [graphs, { p: exactly(p) }], control);
  return { entries: ranked(snapshot, ids, counts), truncated: known.length > termsMax };
}

/** Objects of rdf:type in all graphs. */
export async function countClasses(
  snapshot: StoreSnapshot,
  termsMax: number,
  control: Control = {},
): Promise<CountedTerms> {
  const { storage, time } = snapshot;
  const type = storage.encode(terms.namedNode(`${RDF_NS}type`));
  if (type === null) return { entries: [], truncated: false };
  const graphs = everyGraph(storage);
  const ids = await distinctObjects(storage, { graphs, time }, type, termsMax + 1, control);
  const truncated = ids.length > termsMax;
  if (truncated) ids.pop();
  const counts = await countEach(snapshot, ids, (o) => [graphs, patternOf({ p: type, o })], control);
  return { entries: ranked(snapshot, ids, counts), truncated };
}

/** Graphs that hold current quads. */
export async function countGraphs(
  snapshot: StoreSnapshot,
  termsMax: number,
  control: Control = {},
): Promise<CountedTerms> {
  const unlisted = new Set(unlistedIds(snapshot.storage));
  const known = snapshot.storage.graphs().filter((graph) => !unlisted.has(graph));
  const ids = known.slice(0, termsMax);
  const counts = await countEach(snapshot, ids, (graph) => [{ kind: 'one', graph }, {}], control);
  return { entries: ranked(snapshot, ids, counts), truncated: known.length > termsMax };
}

/** What IRIs begin with, up to the last `#` or `/`, those of most IRIs first. */
export function namespacesOf(iris: Iterable<string>): string[] {
  const uses = new Map<string, number>();
  for (const iri of iris) {
    const namespace = /^.*[#/]/.exec(iri)?.[0];
    if (namespace === undefined || namespace === iri || /^[a-z]+:\/+$/i.test(namespace)) continue;
    uses.set(namespace, (uses.get(namespace) ?? 0) + 1);
  }
  return [...uses].sort(([a, usesA], [b, usesB]) => usesB - usesA || (a < b ? -1 : 1)).map(([namespace]) => namespace);
}

/** Objects of a predicate; at most `idsMax`, ascending by id: one seek for each batch that is skipped. */
export async function distinctObjects(
  storage: StorageSnapshot,
  rows: Pick<ScanRequest, 'graphs' | 'time'>,
  predicate: TermId,
  idsMax: number,
  control: Control,
): Promise<TermId[]> {
  const pattern = { p: exactly(predicate) };
  const cursor = storage.scan({ ...rows, pattern, order: 'POSG', columns: ['o'] });
  const found: TermId[] = [];
  try {
    for (let batch = cursor.next(); batch !== null && found.length < idsMax; batch = cursor.next()) {
      const column = batch.columns.o as IdColumn;
      const rows = batch.selection?.length ?? batch.rows;
      for (let index = 0; index < rows && found.length < idsMax; index++) {
        const row = batch.selection === null ? index : (batch.selection[index] as number);
        const id = idIn(column, row);
        if (id !== found.at(-1)) found.push(id);
      }
      throwIfStopped(control, 'the listing');
      await breathe();
      cursor.seek([predicate, ((found.at(-1) as bigint) + 1n) as TermId]);
    }
  } finally {
    cursor.close();
  }
  return found;
}

async function countEach(
  { storage, time }: StoreSnapshot,
  ids: readonly TermId[],
  toRange: (id: TermId) => readonly [GraphSet, ScanPattern],
  control: Control,
): Promise<number[]> {
  const counts: number[] = [];
  for (const id of ids) {
    const [graphs, pattern] = toRange(id);
    counts.push(storage.count({ graphs, pattern, time }));
    if (counts.length % COUNTS_PER_BREATH > 0) continue;
    throwIfStopped(control, 'the listing');
    await breathe();
  }
  return counts;
}

/** Terms with their counts, without those that the time slice shows nothing of. */
function ranked({ storage }: StoreSnapshot, ids: readonly TermId[], counts: readonly number[]): CountedTerm[] {
  return decodeIds(storage, ids)
    .map((term, at) => ({ term, quads: counts[at] as number }))
    .filter(({ quads }) => quads > 0)
    .sort((a, b) => b.quads - a.quads);
}
