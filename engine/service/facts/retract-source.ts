/**
 * Takes back what a source owns in one graph: the current statements whose row was written by a
 * transaction with exactly that source (semantics text 1.11). Planned first, applied on demand; an
 * applied plan is made anew inside the write. It is exact: labels and types go too, and statements that
 * another source asserted first stay.
 */

import { SvcError } from '../../base/errors.js';
import { compareCodePoints } from '../../base/text.js';
import { termToString } from '../../rdf/canonical/lines.js';
import { ROOT_GRAPH_IRI, type Term } from '../../rdf/terms.js';
import type { QuadColumns, StagedTransaction, StorageEngine } from '../../storage/engine.js';
import type { TxId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/scan.js';
import type { WritePipeline } from '../pipeline/pipeline.js';
import { checkedText, settleWrite, type WriteOptions } from '../write/options.js';
import { graphOf } from './entity.js';
import { ownedRows } from './owned-rows.js';
import { checkCount } from './paging.js';
import { withSnapshot } from './rows.js';

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

export interface SourceStatement {
  readonly entity: Term;
  readonly predicate: Term;
  readonly value: Term;
}

export interface SourceRetraction {
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

export async function retractSource(
  engine: StorageEngine,
  pipeline: WritePipeline,
  source: string,
  options: RetractSourceOptions,
): Promise<SourceRetraction> {
  const { repair, expect, graph, apply = false, signal } = options;
  if (checkedText(source, 'source') === undefined) throw new SvcError('invalid_request', "missing 'source' parameter");
  if (checkedText(repair, 'repair') === undefined) throw new SvcError('invalid_request', "missing 'repair' parameter");
  if (repair.trim() === '') throw new SvcError('invalid_request', 'repair is empty; give a ticket or a reason');
  if (expect !== undefined) checkCount(expect, 'expect');
  const repairSource = `repair:${repair}`;
  const settled = settleWrite({ timestamp: options.timestamp, actor: options.actor, source: repairSource });
  const plan = (snapshot: StorageSnapshot): Plan => {
    const made = planOf(snapshot, graph, new Set(engine.transactionsOf(source)));
    if (expect !== undefined && expect !== made.planned) {
      throw new SvcError('invalid_request', `expected ${expect} facts, plan has ${made.planned}; nothing was changed`);
    }
    return made;
  };
  const describe = (made: Plan) => ({
    source,
    graph: graph ?? ROOT_GRAPH_IRI,
    planned: made.planned,
    entities: made.entities,
    repairSource,
    sample: made.sample,
    sampleTruncated: made.planned > SAMPLE_STATEMENTS,
  });
  if (!apply) {
    const made = await withSnapshot(engine.snapshot(), plan);
    return { ...describe(made), applied: false, tx: null, retracted: null };
  }
  const change = async (stage: StagedTransaction) => {
    const made = await withSnapshot(stage.snapshot(), plan);
    for (const statements of made.statements) stage.retractIds(statements);
    return made;
  };
  const { tx, counts, result } = await pipeline.transact(change, settled, { signal });
  const remaining = await withSnapshot(
    engine.snapshot(),
    (snapshot) => planOf(snapshot, graph, new Set(engine.transactionsOf(source))).planned,
  );
  return { ...describe(result), applied: true, tx, retracted: counts.retracted, remaining };
}

function planOf(snapshot: StorageSnapshot, graph: string | undefined, owners: ReadonlySet<TxId>): Plan {
  const statements: QuadColumns[] = [];
  let sample: (SourceStatement & { readonly line: string })[] = [];
  let [planned, entities] = [0, 0];
  let subject: bigint | null = null;
  for (const { quads, id } of ownedRows(snapshot, graphOf(snapshot, graph), owners)) {
    statements.push(quads);
    planned += quads.rows;
    for (let row = 0; row < quads.rows; row++) {
      const next = id('s', row);
      if (next !== subject) entities++;
      subject = next;
    }
    sample = firstStatements(sample, snapshot, quads);
  }
  return { statements, planned, entities, sample: sample.map(({ line: _, ...statement }) => statement) };
}

/** The least statements of those so far and of some more. */
function firstStatements(
  sample: readonly (SourceStatement & { readonly line: string })[],
  snapshot: StorageSnapshot,
  quads: QuadColumns,
): (SourceStatement & { readonly line: string })[] {
  const decoded = (column: Uint32Array) => snapshot.decode(column, quads.rows);
  const [entities, predicates, values] = [decoded(quads.s), decoded(quads.p), decoded(quads.o)];
  const more = entities.map((entity, row) => {
    const [predicate, value] = [predicates[row] as Term, values[row] as Term];
    return { entity, predicate, value, line: [entity, predicate, value].map(termToString).join(' ') };
  });
  return [...sample, ...more].sort((a, b) => compareCodePoints(a.line, b.line)).slice(0, SAMPLE_STATEMENTS);
}
