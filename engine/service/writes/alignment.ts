/** Writes what was decided of pairs of entities into the graph of their alignment; the aligned graphs stay as they are. */

import { type Quad, terms } from '../../rdf/terms.js';
import { Pace } from '../../reason/graph/pace.js';
import type { Stage } from '../../storage/seam/engine.js';
import { exactly, withSnapshot } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import {
  type AlignmentDecision,
  checkDecisions,
  checkEntities,
  type DecidedPair,
  decisionHash,
} from '../alignment/decisions.js';
import {
  alignedGraph,
  DISTINCT_FROM,
  decisionsConflict,
  neededVersion,
  SAME_AS,
  toPair,
  versionAfter,
  versionConflict,
  versionOf,
} from '../alignment/pair.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface ApplyRequest {
  readonly left: string;
  readonly right: string;
  /** As `decideAlignment` gave it. */
  readonly expectedVersion: string;
  readonly decided: readonly AlignmentDecision[];
  /** What else the answer of `decideAlignment` holds, so that it can be handed on as it is; not read. */
  readonly accepted?: number | undefined;
  readonly negated?: number | undefined;
}

/** `source` is `align:<12 digits of the hash of the decisions>`. */
export interface ApplyOptions extends Omit<WriteOptions, 'source' | 'validFrom'> {}

interface Written {
  readonly sameAs: number;
  readonly distinctFrom: number;
  readonly expectedVersion: string;
}

export interface AppliedAlignment extends TransactionResult, Written {
  readonly alignmentGraph: string;
}

const SOURCE_DIGITS = 12;

export const applyAlignment: WriteCommand<ApplyRequest, ApplyOptions, AppliedAlignment> = {
  async run(context, { left, right, expectedVersion, decided: given }, options) {
    const pair = toPair(left, right);
    const [ofGraphs, ...ofDecisions] = neededVersion(expectedVersion).split('+');
    const decided = checkDecisions(given, 'decided');
    const hash = decisionHash(decided);
    const settled = context.settle({ ...options, source: `align:${hash.slice(0, SOURCE_DIGITS)}` });
    const { signal, flag } = context.control;
    const pace = new Pace({ signal, flag }, 'the alignment');
    // In the turn of the write, so that nothing is written between the look and the decision.
    const change: StageChange<Written> = async (stage, registry) =>
      withSnapshot(stage.snapshot(), async (before) => {
        for (const iri of [pair.left, pair.right]) alignedGraph(before, iri);
        const version = await versionOf(before, pair, pace);
        if (ofGraphs !== version) throw versionConflict(String(ofGraphs), version);
        if (ofDecisions.join('+') !== hash) throw decisionsConflict();
        checkEntities(before, pair, decided);
        const written = putDecisions(stage, before, pair.alignmentGraph, decided);
        if (written.asserted.length + written.retracted.length === 0) {
          return { sameAs: 0, distinctFrom: 0, expectedVersion: version };
        }
        registry.register(before, pair.alignmentGraph, { source: 'alignment' });
        const sameAs = written.asserted.filter(({ predicate }) => predicate.equals(SAME_AS)).length;
        const distinctFrom = written.asserted.length - sameAs;
        return { sameAs, distinctFrom, expectedVersion: await versionAfter(before, pair, stage.tx, pace) };
      });
    const receipt = await context.pipeline.transact(change, settled, context.control);
    return { ...toResult(receipt), ...receipt.result, alignmentGraph: pair.alignmentGraph };
  },
};

function putDecisions(stage: Stage, before: StorageSnapshot, graph: string, decided: readonly DecidedPair[]) {
  const asserted: Quad[] = [];
  const retracted: Quad[] = [];
  const name = terms.namedNode(graph);
  for (const { left, right, verdict } of decided) {
    const [l, r] = [terms.namedNode(left), terms.namedNode(right)];
    const [says, other] = verdict === 'accept' ? [SAME_AS, DISTINCT_FROM] : [DISTINCT_FROM, SAME_AS];
    const said = terms.quad(l, says, r, name);
    if (!holds(before, said)) asserted.push(said);
    for (const opposite of [terms.quad(l, other, r, name), terms.quad(r, other, l, name)]) {
      if (holds(before, opposite)) retracted.push(opposite);
    }
  }
  stage.retract(retracted);
  stage.assert(asserted);
  return { asserted, retracted };
}

function holds(snapshot: StorageSnapshot, { subject, predicate, object, graph: name }: Quad): boolean {
  const [graph, s, p, o] = [name, subject, predicate, object].map((term) => snapshot.encode(term));
  if (graph == null || s == null || p == null || o == null) return false;
  const pattern = { s: exactly(s), p: exactly(p), o: exactly(o) };
  return snapshot.count({ graphs: { kind: 'one', graph }, pattern, time: CURRENT }) > 0;
}
