/**
 * Takes back what a source owns in one graph: the current statements whose row was written by a
 * transaction with exactly that source (semantics text 1.11). Planned first, applied on demand; an
 * applied plan is made anew inside the write. It is exact: labels and types go too, and statements that
 * another source asserted first stay.
 */

import { SvcError } from '../../base/errors.js';
import { compareCodePoints } from '../../base/text.js';
import { refuseFrozen } from '../../query/registry/frozen.js';
import { findGraph } from '../../query/registry/graph-rows.js';
import { termToString } from '../../rdf/canonical/lines.js';
import { ROOT_GRAPH_IRI, type Term } from '../../rdf/terms.js';
import type { TxId } from '../../storage/ids/layout.js';
import type { QuadColumns } from '../../storage/seam/engine.js';
import { decodeIds, withSnapshot } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { EpisodeStatement } from '../episodes/episode.js';
import { graphOf } from '../facts/entity.js';
import { type OwnedBatch, type Owners, ownersOf } from '../facts/owned-rows.js';
import { ownedStatements } from '../facts/owned-statements.js';
import { checkCount } from '../facts/paging.js';
import type { Judged } from '../gates/gates.js';
import { checkedText, type WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { judgedOf } from './transact.js';

export interface RetractSourceOptions extends Omit<WriteOptions, 'source' | 'validFrom'> {
  /** The ticket or the reason; the transaction's source is `repair:<repair>`. */
  readonly repair: string;
  /** Absent or false: only says what would be done. */
  readonly apply?: boolean | undefined;
  /** How many statements the caller expects; another number is refused. */
  readonly expect?: number | undefined;
  /** IRI of the graph; absent = ROOT. */
  readonly graph?: string | undefined;
}

export type SourceStatement = Omit<EpisodeStatement, 'graph'>;

export interface SourceRetraction extends Judged {
  readonly source: string;
  readonly graph: string;
  readonly planned: number;
  /** Distinct subjects. */
  readonly entities: number;
  readonly applied: boolean;
  /** Null in a preview; 0 when there was nothing to retract. */
  readonly tx: TxId | null;
  readonly retracted: number | null;
  readonly repairSource: string;
  /** The first statements, in N-Triples order. */
  readonly sample: readonly SourceStatement[];
  readonly sampleTruncated: boolean;
  /** After it was applied: how many statements the source still owns. */
  readonly remaining?: number;
}

const SAMPLE_STATEMENTS = 20;

interface Plan {
  readonly statements: readonly QuadColumns[];
  readonly planned: number;
  readonly entities: number;
  readonly sample: readonly SourceStatement[];
}

export const retractSource: WriteCommand<{ readonly source: string }, RetractSourceOptions, SourceRetraction> = {
  forSomeGraphs: true,
  async run(context, { source }, options) {
    const { repair, expect, graph, apply = false, timestamp, actor } = options;
    if (checkedText(source, 'source') === undefined) throw missing('source');
    if (checkedText(repair, 'repair') === undefined) throw missing('repair');
    if (repair.trim() === '') throw new SvcError('invalid_request', 'repair is empty; give a ticket or a reason');
    if (expect !== undefined) checkCount(expect, 'expect');
    const { engine } = context;
    const settled = context.settle({ timestamp, actor, source: `repair:${repair}` });
    const plan = (snapshot: StorageSnapshot): Plan => {
      const made = planOf(snapshot, graph, ownersOf(engine, source));
      if (expect === undefined || expect === made.planned) return made;
      throw new SvcError('invalid_request', `expected ${expect} facts, plan has ${made.planned}; nothing was changed`);
    };
    const describe = (made: Plan) => ({
      source,
      graph: graph ?? ROOT_GRAPH_IRI,
      planned: made.planned,
      entities: made.entities,
      repairSource: `repair:${repair}`,
      sample: made.sample,
      sampleTruncated: made.planned > SAMPLE_STATEMENTS,
    });
    if (!apply) {
      const made = await withSnapshot(engine.snapshot(), plan);
      return { ...describe(made), applied: false, tx: null, retracted: null, findings: [] };
    }
    const change: StageChange<Plan> = async (stage) => {
      const made = await withSnapshot(stage.snapshot(), plan);
      for (const statements of made.statements) stage.retractIds(statements);
      return made;
    };
    const receipt = await context.pipeline.transact(change, settled, context.control);
    const { tx, counts, result, findings } = receipt;
    const owners = ownersOf(engine, source);
    const remaining = await withSnapshot(engine.snapshot(), (snapshot) => planOf(snapshot, graph, owners).planned);
    const told = { findings, ...judgedOf(receipt) };
    return { ...describe(result), applied: true, tx, retracted: counts.retracted, remaining, ...told };
  },
};

function missing(name: string): SvcError {
  return new SvcError('invalid_request', `missing '${name}' parameter`);
}

function planOf(snapshot: StorageSnapshot, graph: string | undefined, owners: Owners): Plan {
  const statements: QuadColumns[] = [];
  let sample: readonly SampleStatement[] = [];
  let [planned, entities] = [0, 0];
  let before: OwnedBatch | null = null;
  if (graph !== undefined) refuseFrozen(findGraph(snapshot, graph));
  for (const batch of ownedStatements(snapshot, graphOf(snapshot, graph), owners)) {
    statements.push(batch.quads);
    planned += batch.rows;
    for (let row = 0; row < batch.rows; row++) {
      const [other, otherRow]: [OwnedBatch | null, number] =
        row > 0 ? [batch, row - 1] : [before, (before?.rows ?? 0) - 1];
      if (other === null || batch.differs('s', row, other, otherRow)) entities++;
    }
    sample = firstStatements(sample, snapshot, batch);
    before = batch;
  }
  return { statements, planned, entities, sample: sample.map(({ line: _, subject: __, ...statement }) => statement) };
}

interface SampleStatement extends SourceStatement {
  readonly subject: string;
  readonly line: string;
}

/** The least statements of those so far and of some more. Only what may be among them is decoded. */
function firstStatements(
  sample: readonly SampleStatement[],
  snapshot: StorageSnapshot,
  batch: OwnedBatch,
): readonly SampleStatement[] {
  const subjects = snapshot.decode(batch.quads.s, batch.rows);
  const bound = sample.length < SAMPLE_STATEMENTS ? null : (sample.at(-1)?.subject ?? null);
  const more: SampleStatement[] = [];
  let [term, text]: [Term | null, string] = [null, ''];
  for (const [row, entity] of subjects.entries()) {
    if (entity !== term) [term, text] = [entity, termToString(entity)];
    if (bound !== null && compareCodePoints(text, bound) > 0) continue;
    const [predicate, value] = decodeIds(snapshot, [batch.id('p', row), batch.id('o', row)]) as [Term, Term];
    const line = `${text} ${termToString(predicate)} ${termToString(value)}`;
    more.push({ entity, predicate, value, subject: text, line });
  }
  if (more.length === 0) return sample;
  return [...sample, ...more].sort((a, b) => compareCodePoints(a.line, b.line)).slice(0, SAMPLE_STATEMENTS);
}
