/**
 * Graphs that a write brought into the registry, or took out of it. A graph is registered by a row or by the facts that it
 * holds; whether it was there before the write follows from what the write changed in it.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import { graphExists } from '../../query/registry/graph-rows.js';
import { META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI, terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import type { GraphChange, StagedTransaction } from '../../storage/seam/engine.js';
import { CURRENT, type IdColumn, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { DescribedState } from './describe-write.js';
import { columnOf } from './node-keys.js';
import type { OwnEvents } from './own-events.js';

const BUILT_IN: ReadonlySet<string> = new Set([ROOT_GRAPH_IRI, META_GRAPH_IRI, REGISTRY_GRAPH_IRI]);
const TWO_32 = 2 ** 32;
const GRAPHS_AT_ONCE = 1024;

/**
 * Adds the events of the graphs; the change is complete and settled, and the snapshot shows it. `named`: graphs that it made or
 * dropped by name, and whether they had rows before.
 */
export function addGraphEvents(
  events: OwnEvents,
  snapshot: StorageSnapshot,
  transaction: StagedTransaction,
  named: ReadonlyMap<string, boolean>,
): void {
  const touched = transaction.changes().graphs.filter(({ graph }) => graph !== ROOT_ID);
  if (touched.length === 0) return;
  const changes = byIri(snapshot, touched);
  for (const iri of new Set([...named.keys(), ...changes.keys()])) {
    if (BUILT_IN.has(iri)) continue;
    const change = changes.get(iri);
    const hadRow = named.get(iri) ?? false;
    const was = hadRow || (change?.retracted ?? 0) > 0 || holdsEarlier(snapshot, iri, transaction.tx);
    const is = graphExists(snapshot, iri);
    if (was === is) continue;
    events.add({
      type: is ? 'graph.created' : 'graph.removed',
      subject: iri,
      payload: { graph: iri, tx: transaction.tx },
    });
  }
}

/** The events of the graphs that a load made; it takes none away. */
export async function addLoadedGraphs(
  events: OwnEvents,
  { before, after }: DescribedState,
  graphs: ReadonlySet<number>,
  control: Control,
): Promise<void> {
  const names = after.decode(columnOf([...graphs]), graphs.size);
  const iris = names.filter(({ termType }) => termType === 'NamedNode').map(({ value }) => value);
  for (const [at, iri] of iris.sort(compareCodePoints).entries()) {
    if (at % GRAPHS_AT_ONCE === GRAPHS_AT_ONCE - 1) {
      throwIfStopped(control, 'the load');
      await breathe();
    }
    if (BUILT_IN.has(iri) || graphExists(before, iri)) continue;
    events.add({ type: 'graph.created', subject: iri, payload: { graph: iri, tx: after.tx } });
  }
}

/** The graph that a staged write is for, as a refusal names it: ROOT where it is among several. */
export function graphOfStage(transaction: StagedTransaction): string | null {
  const changes = transaction.changes().graphs;
  if (changes.length === 0 || changes.some(({ graph }) => graph === ROOT_ID)) return null;
  const snapshot = transaction.snapshot();
  try {
    return [...byIri(snapshot, changes).keys()].filter((iri) => !BUILT_IN.has(iri)).sort()[0] ?? null;
  } finally {
    snapshot.close();
  }
}

function byIri(snapshot: StorageSnapshot, changes: readonly GraphChange[]): Map<string, GraphChange> {
  const ids = new Uint32Array(changes.flatMap(({ graph }) => [lowOf(graph), highOf(graph)]));
  const names = snapshot.decode(ids, changes.length);
  const found = new Map<string, GraphChange>();
  for (const [at, change] of changes.entries()) {
    const name = names[at];
    if (name?.termType === 'NamedNode') found.set(name.value, change);
  }
  return found;
}

/** Whether a graph holds a fact of an earlier transaction, or a row that one wrote about it. */
function holdsEarlier(snapshot: StorageSnapshot, iri: string, tx: TxId): boolean {
  const graph = snapshot.encode(terms.namedNode(iri));
  if (graph === null) return false;
  const registry = snapshot.encode(terms.namedNode(REGISTRY_GRAPH_IRI), true);
  if (registry !== null && anyEarlier(snapshot, registry, { s: { kind: 'id', id: graph } }, tx)) return true;
  return anyEarlier(snapshot, graph, {}, tx);
}

function anyEarlier(
  snapshot: StorageSnapshot,
  graph: TermId,
  pattern: { readonly s?: { readonly kind: 'id'; readonly id: TermId } },
  tx: TxId,
): boolean {
  const graphs = { kind: 'one', graph } as const;
  const cursor = snapshot.scan({ graphs, pattern, time: CURRENT, columns: ['txFrom'], unordered: true });
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const begins = batch.columns.txFrom as IdColumn;
      const count = batch.selection?.length ?? batch.rows;
      for (let at = 0; at < count; at++) {
        const row = batch.selection === null ? at : (batch.selection[at] as number);
        if ((begins[2 * row + 1] as number) * TWO_32 + (begins[2 * row] as number) < tx) return true;
      }
    }
    return false;
  } finally {
    cursor.close();
  }
}
