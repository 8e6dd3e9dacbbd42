/**
 * Writes what an algorithm says of every node of a projection into the projected graph (semantics of reasoning, 10.2):
 * values that are there already are kept, others are retracted or asserted, in one transaction.
 */

import { checkRegisteredTarget } from '../../graphs/targets.js';
import { ROOT_GRAPH_IRI, type Term, terms, XSD } from '../../rdf/terms.js';
import { COMMUNITY_PREDICATE, type EdgeFilters, RANK_PREDICATE } from '../../reason/graph/build.js';
import { MemoryBound } from '../../reason/graph/memory-bound.js';
import { Pace } from '../../reason/graph/pace.js';
import type { Projection } from '../../reason/graph/projection.js';
import { Projections } from '../../reason/graph/projections.js';
import {
  type AlgorithmOptions,
  algorithmOf,
  checkAlgorithm,
  invalid,
  isPersisted,
} from '../../reason/graph/request.js';
import { type AlgorithmAnswer, communityIri, type NodeValues, runAlgorithm } from '../../reason/graph/run.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../../storage/seam/engine.js';
import { idIn, patternOf, pickedQuads, quadColumns, readRows, withSnapshot } from '../../storage/seam/rows.js';
import { CURRENT, type GraphSet, type StorageSnapshot } from '../../storage/seam/scan.js';
import { doubleText } from '../facts/values.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

/** What is computed: an algorithm over a projection. */
export interface PersistRequest extends AlgorithmOptions, EdgeFilters {
  /** IRI of the graph that is projected and written; absent = ROOT. */
  readonly graph?: string | undefined;
}

/** `source` is `algo:louvain` or `algo:pagerank`. */
export interface PersistOptions extends Omit<WriteOptions, 'source' | 'validFrom'> {
  /** query.memory_budget_mb in bytes. */
  readonly memoryBytes?: number | undefined;
}

export interface PersistedAlgorithm extends TransactionResult {
  readonly answer: AlgorithmAnswer;
  /** Nodes that have a value now. */
  readonly persisted: number;
}

type Persisted = Pick<PersistedAlgorithm, 'answer' | 'persisted'>;

const PERSISTED: Readonly<Record<string, string>> = { louvain: 'algo:louvain', pagerank: 'algo:pagerank' };

export const persistAlgorithm: WriteCommand<PersistRequest, PersistOptions, PersistedAlgorithm> = {
  what: 'the projection',
  async run(context, request, { memoryBytes, timestamp, actor }) {
    checkAlgorithm(request);
    const named = algorithmOf(request.algorithm);
    const algorithm = named === 'ppr' ? 'pagerank' : named;
    if (!isPersisted(algorithm)) throw invalid(`the results of '${algorithm}' can not be persisted`);
    if (request.seeds !== undefined && request.seeds.length > 0) {
      throw invalid("'persist' is for global ranks: pass either 'seeds' or 'persist', not both");
    }
    const { graph = ROOT_GRAPH_IRI } = request;
    const settled = { ...context.settle({ timestamp, actor, source: PERSISTED[algorithm] as string }), graph };
    const { signal, flag } = context.control;
    const limits = { pace: new Pace({ signal, flag }), memory: new MemoryBound(memoryBytes) };
    const change: StageChange<Persisted> = (stage) =>
      withSnapshot(stage.snapshot(), async (snapshot) => {
        if (graph !== ROOT_GRAPH_IRI) checkRegisteredTarget(snapshot, graph);
        const projections = new Projections();
        const projection = await projections.of(snapshot, request, limits);
        const { answer, values } = await runAlgorithm(snapshot, projection, { ...request, algorithm }, limits);
        const graphs = projections.graphOf(snapshot, graph);
        await writeValues(stage, { snapshot, projection, graphs, graph }, values as NodeValues, limits.pace);
        return { answer, persisted: projection.nodes };
      });
    const receipt = await context.pipeline.transact(change, settled, context.control);
    return { ...toResult(receipt), ...receipt.result };
  },
};

interface Projected {
  readonly snapshot: StorageSnapshot;
  readonly projection: Projection;
  readonly graphs: GraphSet;
  readonly graph: string;
}

async function writeValues(
  stage: Stage,
  { snapshot, projection, graphs, graph }: Projected,
  values: NodeValues,
  pace: Pace,
): Promise<void> {
  const predicate = terms.namedNode(values.kind === 'ranks' ? RANK_PREDICATE : COMMUNITY_PREDICATE);
  const wanted = await wantedIds(stage, values, projection.nodes, pace);
  const isThere = new Uint8Array(projection.nodes);
  const p = snapshot.encode(predicate);
  if (p !== null) {
    const request = { graphs, pattern: patternOf({ p }), time: CURRENT, columns: ['s', 'p', 'o', 'g'] } as const;
    for (const batch of readRows(snapshot, request)) {
      const others: number[] = [];
      for (let row = 0; row < batch.rows; row++) {
        const node = projection.names.nodeOfId(batch.id('s', row));
        if (node !== null && wanted.length > 0 && batch.id('o', row) === idIn(wanted, node)) isThere[node] = 1;
        else others.push(row);
      }
      if (others.length > 0) stage.retractIds(pickedQuads(batch.quads(), others));
      if (pace.spend(64 * batch.rows)) await pace.turn();
    }
  }
  const missing: number[] = [];
  for (let node = 0; node < projection.nodes; node++) if (isThere[node] === 0) missing.push(node);
  if (missing.length === 0) return;
  const ids = { p: stage.intern(predicate), g: stage.intern(terms.namedNode(graph)) };
  stage.assertIds(quadsOf(projection, missing, wanted, ids));
}

/** Of each node the id of its value. */
async function wantedIds(stage: Stage, values: NodeValues, nodes: number, pace: Pace): Promise<Uint32Array> {
  const wanted = new Uint32Array(2 * nodes);
  const double = terms.namedNode(`${XSD}double`);
  const idOf = (term: Term): readonly [low: number, high: number] => {
    const id = stage.intern(term);
    return [lowOf(id), highOf(id)];
  };
  const communities =
    values.kind === 'ranks'
      ? []
      : Array.from(values.partition.sizes, (_, community) => idOf(terms.namedNode(communityIri(community))));
  for (let node = 0; node < nodes; node++) {
    const [low, high] =
      values.kind === 'ranks'
        ? idOf(terms.literal(doubleText(values.ranks[node] as number), double))
        : (communities[values.partition.groupOf[node] as number] as readonly [number, number]);
    wanted[2 * node] = low;
    wanted[2 * node + 1] = high;
    if (pace.spend(64)) await pace.turn();
  }
  return wanted;
}

function quadsOf(
  projection: Projection,
  nodes: readonly number[],
  wanted: Uint32Array,
  { p, g }: { readonly p: TermId; readonly g: TermId },
): QuadColumns {
  const quads = quadColumns(nodes.length);
  quads.s.set(projection.names.idsOf(nodes));
  for (const [row, node] of nodes.entries()) {
    quads.o[2 * row] = wanted[2 * node] as number;
    quads.o[2 * row + 1] = wanted[2 * node + 1] as number;
    for (const [column, id] of [
      [quads.p, p],
      [quads.g, g],
    ] as const) {
      column[2 * row] = lowOf(id);
      column[2 * row + 1] = highOf(id);
    }
  }
  return quads;
}
