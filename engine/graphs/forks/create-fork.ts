/**
 * Makes a fork: copies the triples that ROOT held as of a transaction into a graph of its own, by ids, a row each that is open and
 * begins where the earliest of the copied rows does. The graph, its row, its facts in the meta graph and the event are one
 * transaction.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { SvcError, showValue } from '../../base/errors.js';
import { formatInstant } from '../../base/instant.js';
import { refuseFutureTx } from '../../query/options.js';
import { FORKS, forkGraph } from '../../query/registry/fork-rows.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import { META_GRAPH_IRI, SVC_NS } from '../../query/registry/system-graphs.js';
import { type Quad, RDF_NS, terms, XSD } from '../../rdf/terms.js';
import type { TxId } from '../../storage/ids/layout.js';
import type { Stage } from '../../storage/seam/engine.js';
import { ROOT_ONLY, readRows, withSnapshot } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { checkNewFork, forkNameOf } from './forks.js';
import { QuadGatherer } from './quad-gatherer.js';

export interface NewFork {
  /** Absent = `fork-<tx>`. */
  readonly name?: string | undefined;
  /** Whose ROOT is copied; 0 = nothing. */
  readonly tx: TxId;
}

export interface CreatedFork {
  readonly name: string;
  readonly graph: string;
  readonly facts: number;
}

/** May refuse to read the store as of a transaction that is not the latest. */
export type PastCheck = (snapshot: StorageSnapshot) => void;

const META = terms.namedNode(META_GRAPH_IRI);
const WHAT = 'the fork';
const REPORT_MS = 100;

export async function createFork(
  stage: Stage,
  registry: GraphRegistration,
  { name: given, tx }: NewFork,
  control: Control,
  checkPast: PastCheck,
): Promise<CreatedFork> {
  return withSnapshot(stage.before(), async (before) => {
    if (!Number.isSafeInteger(tx) || tx < 0) {
      throw new SvcError('invalid_request', `tx is ${showValue(tx)}; expected an integer of at least 0`);
    }
    refuseFutureTx({ kind: 'asOf', tx }, before.tx);
    if (tx < before.tx) checkPast(before);
    const name = given ?? forkNameOf(tx);
    checkNewFork(before, name);
    const graph = forkGraph(name);
    const facts = await copyRoot(stage, before, { tx, graph }, control);
    registry.register(before, graph, { source: 'fork' });
    registry.copies.add(graph);
    const createdAt = formatInstant(stage.timestamp);
    FORKS.store(stage, registry, { name, tx, createdTx: stage.tx, status: 'open', createdAt });
    stage.assert(metaFacts(graph, tx));
    return { name, graph, facts };
  });
}

async function copyRoot(
  stage: Stage,
  before: StorageSnapshot,
  { tx, graph }: { readonly tx: TxId; readonly graph: string },
  control: Control,
): Promise<number> {
  const time = tx === before.tx ? CURRENT : ({ kind: 'asOf', tx } as const);
  const total = before.count({ graphs: ROOT_ONLY, pattern: {}, time });
  const copies = QuadGatherer.asserting(stage, stage.intern(terms.namedNode(graph)));
  const begun = performance.now();
  let [done, reported] = [0, begun];
  const columns = ['s', 'p', 'o', 'validFrom'] as const;
  for (const batch of readRows(before, { graphs: ROOT_ONLY, pattern: {}, time, order: 'SPOG', columns })) {
    copies.addAll(batch);
    done += batch.rows;
    throwIfStopped(control, WHAT);
    const now = performance.now();
    if (now - reported < REPORT_MS) continue;
    reported = now;
    control.onProgress?.({ phase: 'copy', done, total, elapsedMs: now - begun });
    await breathe();
  }
  copies.flush();
  return copies.taken;
}

function metaFacts(graph: string, tx: TxId): Quad[] {
  const node = terms.namedNode(graph);
  const fact = (predicate: string, object: Quad['object']) =>
    terms.quad(node, terms.namedNode(predicate), object, META);
  return [
    fact(`${RDF_NS}type`, terms.namedNode(`${SVC_NS}Fork`)),
    fact(`${SVC_NS}forkTx`, terms.literal(String(tx), terms.namedNode(`${XSD}integer`))),
  ];
}
