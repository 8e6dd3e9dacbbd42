/**
 * Large documents that are validated without being in a store of the caller's: they are loaded into one that ends with the
 * validation. Its memory is the loader's, and lookups of every kind go to sorted runs.
 */

import type { Control } from '../../base/control.js';
import { getOrInsert } from '../../base/maps.js';
import { ROOT_GRAPH_IRI, type Term } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import { decodeIds, exactly, readIds, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { RDF_TYPE, SUB_CLASS_OF } from '../shapes/vocabulary.js';
import { YieldTimer } from '../yield-timer.js';
import { IdList, type IdSet } from './id-columns.js';

/** Documents of so many bytes: from about here on the file costs less than what it saves. */
const LARGE_BYTES = 128 * 1024;

export function areLarge(sources: readonly LoadSource[]): boolean {
  let bytes = 0;
  for (const source of sources) {
    if (source.kind === 'bytes' && source.bytes instanceof Uint8Array) bytes += source.bytes.length;
  }
  return bytes >= LARGE_BYTES;
}

/**
 * By the name of each graph with statements the nodes that are judged in it, null = all; ROOT comes first. In a graph of its
 * own the types and classes of ROOT count, so their subjects are judged there, too.
 */
export async function graphsOf(
  snapshot: StorageSnapshot,
  control: Control,
): Promise<ReadonlyMap<string, IdSet | null>> {
  const timer = new YieldTimer(control);
  const nodes = new Map<TermId, IdList>();
  let hasRoot = false;
  const others = { graphs: { kind: 'all' }, pattern: {}, time: CURRENT, unordered: true } as const;
  for (const batch of readRows(snapshot, { ...others, columns: ['s', 'o', 'g'] })) {
    await timer.turn();
    for (let row = 0; row < batch.rows; row++) {
      const graph = batch.id('g', row);
      if (graph === ROOT_ID) {
        hasRoot = true;
        continue;
      }
      const list = getOrInsert(nodes, graph, () => new IdList());
      for (const name of ['s', 'o'] as const) addId(list, batch.id(name, row));
    }
  }
  const graphs = new Map<string, IdSet | null>();
  if (hasRoot || nodes.size === 0) graphs.set(ROOT_GRAPH_IRI, null);
  if (nodes.size === 0) return graphs;
  const shared = new IdList();
  for (const predicate of [RDF_TYPE, SUB_CLASS_OF]) {
    const p = snapshot.encode(predicate);
    if (p === null) continue;
    const request = { graphs: { kind: 'one', graph: ROOT_ID }, pattern: { p: exactly(p) }, time: CURRENT } as const;
    for (const id of readIds(snapshot, request, 's')) addId(shared, id);
  }
  const ids = Array.from(nodes.keys());
  for (const [at, name] of decodeIds(snapshot, ids).entries()) {
    await timer.turn();
    const list = nodes.get(ids[at] as TermId) as IdList;
    list.append(shared.ids, shared.count);
    graphs.set(nameOf(name), list.toSet());
  }
  return graphs;
}

function addId(list: IdList, id: TermId): void {
  list.push(lowOf(id), highOf(id));
}

export function nameOf({ termType, value }: Term): string {
  return termType === 'BlankNode' ? `_:${value}` : value;
}
