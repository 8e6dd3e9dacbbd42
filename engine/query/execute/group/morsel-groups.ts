/**
 * The groups of a large scan, morsel by morsel: several threads may work on them, and what comes out is the same with one. A sum of
 * doubles is one of the sums of its morsels, in the order of the scan.
 */

import { threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import type { PackedPart } from '../../../storage/seam/packed-scan.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import type { Aggregate } from '../../algebra/algebra.js';
import type { QueryBatch } from '../../runtime/batch.js';
import type { MemoryAccount, MemoryBudget } from '../../runtime/memory.js';
import { type MorselLimits, MorselRun } from '../../runtime/morsels/morsel-run.js';
import {
  keysAt,
  type MorselAggregate,
  type MorselProgram,
  recordsAt,
  SLOT_GROUPS,
  SLOT_ROWS,
} from '../../runtime/morsels/program.js';
import {
  columnsOf,
  type Operator,
  type OperatorStatistics,
  type PackedInput,
  PENDING,
} from '../../runtime/operator.js';
import type { AggregateSpec, GroupTable } from './group-table.js';

/** After so many morsels that had to be taken row by row, all others are. */
const BY_ROWS_MAX = 4;
/** The memory of morsels is a small part of what a query may hold. */
const BUDGET_SHARE = 8;

const KINDS: Readonly<Partial<Record<Aggregate['function'], MorselAggregate['kind']>>> = {
  count: 'count',
  sum: 'sum',
  avg: 'sum',
  min: 'least',
  max: 'greatest',
  sample: 'sample',
};
/** Aggregates to which the same value twice makes no difference. */
const IDEMPOTENT: ReadonlySet<Aggregate['function']> = new Set(['min', 'max', 'sample']);

/** What kernels gather for an aggregate; null for what they can't. */
function gathered(
  { function: name, expression, distinct }: Aggregate,
  variables: readonly string[],
): MorselAggregate | null {
  const kind = KINDS[name];
  if (kind === undefined || (distinct && !IDEMPOTENT.has(name))) return null;
  if (expression === null) return kind === 'count' ? { kind, column: -1 } : null;
  const column = expression.kind === 'variable' ? variables.indexOf(expression.name) : -1;
  return column < 0 ? null : { kind, column };
}

function gatheredBy({ aggregates }: AggregateSpec, variables: readonly string[]): readonly MorselAggregate[] | null {
  const all: MorselAggregate[] = [];
  for (const aggregate of aggregates) {
    const one = gathered(aggregate, variables);
    if (one === null) return null;
    all.push(one);
  }
  return all;
}

/** The groups of an input that is a large scan; null where they are not made in morsels. */
export function openMorselGroups(
  input: Operator,
  spec: AggregateSpec,
  limits: MorselLimits,
  budget: MemoryBudget,
  account: MemoryAccount,
): MorselGroups | null {
  const aggregates = gatheredBy(spec, input.variables);
  const packed = aggregates === null ? null : input.packed();
  if (packed === null || aggregates === null) return null;
  const { scan, columns } = packed;
  const keys = columnsOf(input.variables, spec.keys);
  const program: MorselProgram = { tests: scan.tests, columns, keys, sorted: spec.sorted, aggregates };
  const bytes = MorselRun.bytesFor(program);
  const isLarge = scan.rows >= limits.rowsMin && scan.memory === threadMemory().memory;
  if (isLarge && !keys.includes(-1) && BUDGET_SHARE * bytes <= budget.limitBytes && account.fits(bytes)) {
    return new MorselGroups(packed, program, new MorselRun(scan, program, limits, account));
  }
  scan.close();
  return null;
}

export class MorselGroups {
  constructor(
    private readonly input: PackedInput,
    private readonly program: MorselProgram,
    private readonly run: MorselRun,
  ) {}

  /** Brings the groups together in a table, the one of the moment, and gives the rows that have to be taken one by one. */
  *batches(
    table: () => GroupTable,
    statistics: OperatorStatistics,
  ): Generator<QueryBatch | typeof PENDING, void, undefined> {
    const { run, program, input } = this;
    let byRows = 0;
    for (const step of run.results()) {
      if (step === PENDING) {
        yield PENDING;
        continue;
      }
      const { at, parts, isGrouped } = step;
      if (isGrouped && this.merge(at, table())) continue;
      if (!isGrouped || !program.sorted) byRows++;
      for (const part of parts) yield* this.rowsOf(part);
      if (byRows === BY_ROWS_MAX) break;
    }
    if (byRows === BY_ROWS_MAX) {
      for (const part of run.rest()) {
        yield* this.rowsOf(part);
        run.giveBack(part);
        yield PENDING;
      }
    }
    input.end();
    statistics.threads = run.threads;
    this.close();
  }

  private merge(at: number, table: GroupTable): boolean {
    const { program } = this;
    const head = threadWords(at, 1 + Math.max(SLOT_GROUPS, SLOT_ROWS));
    const groups = head[SLOT_GROUPS] as number;
    const rows = head[SLOT_ROWS] as number;
    if (rows === 0) return true;
    const keys: IdColumn[] = program.keys.map((_, key) => threadWords(keysAt(program, at, key), 2 * groups));
    if (!table.merge(keys, groups, (aggregate) => recordsAt(program, at, aggregate))) return false;
    this.input.note(rows);
    return true;
  }

  private *rowsOf(part: PackedPart): Generator<QueryBatch, void, undefined> {
    const { run, input } = this;
    const rows = run.decode(part);
    if (rows === 0) return;
    input.note(rows);
    yield { rows, columns: run.addresses.map((address) => threadWords(address, 2 * rows)) };
  }

  close(): void {
    this.run.close();
    this.input.scan.close();
  }
}
