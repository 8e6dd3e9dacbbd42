/**
 * Graphs that a write brought into the registry, or took out of it. A graph is registered by a row or by the facts that it
 * holds; whether it was there before the write follows from what the write changed in it.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import { graphExists } from '../../query/registry/graph-rows.js';
import { META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI, terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import type { GraphChange, StagedTransaction } from '../../storage/seam/engine.js';
import { decodeIds, exactly, lookInto } from '../../storage/seam/rows.js';
import { CURRENT, type ScanPattern, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { DescribedState } from './describe-write.js';
import { anyEarlier } from './earlier.js';
import { columnOf } from './node-keys.js';
import type { OwnEvents } from './own-events.js';

const BUILT_IN: ReadonlySet<string> = new Set([ROOT_GRAPH_IRI, META_GRAPH_IRI, REGISTRY_GRAPH_IRI]);
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
  const iris = lookInto(transaction.snapshot(), (snapshot) => [...byIri(snapshot, changes).keys()]);
  return iris.filter((iri) => !BUILT_IN.has(iri)).sort()[0] ?? null;
}

function byIri(snapshot: StorageSnapshot, changes: readonly GraphChange[]): Map<string, GraphChange> {
  const graphs = changes.map(({ graph }) => graph);
  const names = decodeIds(snapshot, graphs);
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
  const current = (of: TermId, pattern: ScanPattern) =>
    ({ graphs: { kind: 'one', graph: of }, pattern, time: CURRENT }) as const;
  if (registry !== null && anyEarlier(snapshot, current(registry, { s: exactly(graph) }), tx)) return true;
  return anyEarlier(snapshot, current(graph, {}), tx);
}
