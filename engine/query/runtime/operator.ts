/**
 * What an operator is: pulled for batches, and cooperative. Every call of `next` does a bounded
 * amount of work; an operator that has nothing to give yet (a hash build, a sort) says PENDING, and
 * so control comes back to the driver, which looks at the deadline and lets the event loop turn.
 */

import { invariant, SvcError } from '../../base/errors.js';
import type { PackedScan } from '../../storage/seam/packed-scan.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import type { QueryBatch } from './batch.js';

export const PENDING = Symbol('pending');

export type Step = QueryBatch | typeof PENDING | null;

/** Work that is done a slice at a time: after each slice it yields, and control goes back to the driver. */
export type Work<Result = void, Given = never> = Generator<typeof PENDING | Given, Result, undefined>;

/** Visits `[from, to)` of so many rows, slice after slice. */
export function* inSlices(rows: number, sliceRows: number, visit: (from: number, to: number) => void): Work {
  for (let from = 0; from < rows; from += sliceRows) {
    const to = Math.min(rows, from + sliceRows);
    visit(from, to);
    if (to < rows) yield PENDING;
  }
}

/** Does all that is left of some work at once. */
export function finish<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/**
 * Until when the driver lets the plan work before it wants control back. An operator that has a batch
 * later than that keeps it for the next call: in a plan of hundreds of operators, each of which does its
 * millisecond, the batch goes up a few levels at a time.
 */
export const slice = { endMs: Number.POSITIVE_INFINITY };

/** The ids of a variable that the other side of a join has: at most a batch, in any sequence, perhaps repeated. */
export interface KeyFilter {
  readonly variable: string;
  readonly keys: IdColumn;
  readonly rows: number;
}

/** What an operator did, for EXPLAIN. Times include those of its inputs. */
export interface OperatorStatistics {
  rows: number;
  batches: number;
  calls: number;
  timeMs: number;
  blocksRead: number;
  /** How often it was opened. */
  runs: number;
  /** Read to its end, in every run. */
  complete: boolean;
  /** Of an operator that may work in several threads: how many had part, at most. */
  threads?: number;
  /** Of an operator that asks another endpoint: how often it asked, and the first of its requests. */
  requestsMade?: number;
  requests?: RequestWork[];
}

/** A request to another endpoint. */
export interface RequestWork {
  /** Of a federated join: who was asked. */
  readonly member?: string;
  /** It asked for so many rows of everything; who needs more asks again. */
  readonly page?: number;
  /** It asked how many solutions there are, and has that many rows in its place. */
  readonly counts?: boolean;
  /** Combinations of terms that it was about; 0 = it was for everything. */
  readonly combinations: number;
  readonly rows: number;
  /** Of the answer. */
  readonly bytes: number;
  readonly timeMs: number;
}

/** The rows of an operator as packed blocks. */
export interface PackedInput {
  readonly scan: PackedScan;
  /** Numbers of the columns of its variables. */
  readonly columns: readonly number[];
  /** Whoever has read rows says so. */
  note(rows: number): void;
  /** All were read. */
  end(): void;
}

export function newStatistics(runs: number): OperatorStatistics {
  return { rows: 0, batches: 0, calls: 0, timeMs: 0, blocksRead: 0, runs, complete: runs === 0 };
}

/** Reads, and counts the blocks that this takes as those of an operator. */
export function countBlocks<Result>(
  { counters }: StorageSnapshot,
  statistics: OperatorStatistics,
  read: () => Result,
): Result {
  const before = counters.blocksRead;
  const result = read();
  statistics.blocksRead += counters.blocksRead - before;
  return result;
}

/** An operator, or the sum of the runs of one, as EXPLAIN looks at it. */
export interface Traced {
  readonly statistics: OperatorStatistics;
  /** Of the inputs, as the plan has them. */
  readonly traces: readonly Traced[];
}

function tooManyRows(rowsMax: number): SvcError {
  return new SvcError('query_complexity', `a join has more than ${rowsMax} rows (search.max_join_rows)`, {
    hint: 'narrow the query, or raise search.max_join_rows',
  });
}

/** A batch as it is handed over: never empty, a column for each variable, each with all of the rows. */
function checkBatch({ rows, columns }: QueryBatch, width: number): void {
  invariant(rows > 0 && columns.length === width, 'a batch has rows, and a column for each variable');
  for (const column of columns) invariant(column.length >= 2 * rows, 'each column of a batch has all of its rows');
}

export abstract class Operator implements Traced {
  readonly statistics: OperatorStatistics = newStatistics(1);

  private held: QueryBatch | null = null;

  /** search.max_join_rows, for a join; most operators give what they have. */
  rowsMax = Number.POSITIVE_INFINITY;

  /** What the plan has done before each step: whoever asks for one is done with the batch before. */
  beforeStep: (() => void) | null = null;

  /** `variables[i]` names column i of every batch. */
  constructor(
    readonly variables: readonly string[],
    readonly inputs: readonly Operator[] = [],
  ) {}

  /** The next batch, never empty; PENDING = call again; null = the end, for good. */
  next(): Step {
    const { held, statistics } = this;
    if (held !== null) {
      this.held = null;
      return held;
    }
    const began = performance.now();
    this.beforeStep?.();
    const step = this.step();
    const ended = performance.now();
    statistics.timeMs += ended - began;
    statistics.calls++;
    if (step === PENDING) return PENDING;
    if (step === null) {
      statistics.complete = true;
      return null;
    }
    checkBatch(step, this.variables.length);
    statistics.rows += step.rows;
    statistics.batches++;
    if (statistics.rows > this.rowsMax) throw tooManyRows(this.rowsMax);
    if (ended <= slice.endMs) return step;
    this.held = step;
    return PENDING;
  }

  protected abstract step(): Step;

  /** All that it still gives. */
  *batches(): Work<void, QueryBatch> {
    for (let step = this.next(); step !== null; step = this.next()) yield step;
  }

  /**
   * Tells, before the first `next`, that rows which bind the variable of the filter to another id than its keys
   * are of no use to whoever reads: they may be left out, and need not be. The keys are there during the call.
   */
  narrow(_filter: KeyFilter): void {
    // Whoever can't make use of it does without.
  }

  /**
   * Its rows as packed blocks, before the first `next`, in place of them; null where they are not stored that way. Who does not want
   * them after all closes the scan, and calls `next`.
   */
  packed(): PackedInput | null {
    return null;
  }

  protected narrowInputs(filter: KeyFilter, inputs: readonly Operator[] = this.inputs): void {
    for (const input of inputs) if (input.variables.includes(filter.variable)) input.narrow(filter);
  }

  get traces(): readonly Traced[] {
    return this.inputs;
  }

  /** Gives up cursors and memory; may be called at any time and more than once. */
  close(): void {
    for (const input of this.inputs) input.close();
  }
}

/** An operator whose steps are those of one piece of work, which yields its batches. */
export abstract class WorkOperator extends Operator {
  private running: Work<void, QueryBatch> | null = null;

  protected abstract work(): Work<void, QueryBatch>;

  protected step(): Step {
    this.running ??= this.work();
    const { done, value } = this.running.next();
    return done ? null : (value as QueryBatch | typeof PENDING);
  }

  /** What the work holds is given up by its `finally` blocks. */
  override close(): void {
    this.running?.return();
    super.close();
  }
}

/** Positions of `names` in `variables`; every name must be there. */
export function columnsOf(variables: readonly string[], names: readonly string[]): number[] {
  return names.map((name) => variables.indexOf(name));
}

/** What operators did, summed over the runs of one that is opened more than once, or late. */
export class Trace implements Traced {
  readonly statistics: OperatorStatistics = newStatistics(0);
  readonly traces: Trace[] = [];

  add(run: Traced): void {
    const { statistics } = this;
    statistics.rows += run.statistics.rows;
    statistics.batches += run.statistics.batches;
    statistics.calls += run.statistics.calls;
    statistics.timeMs += run.statistics.timeMs;
    statistics.blocksRead += run.statistics.blocksRead;
    statistics.complete &&= run.statistics.complete;
    statistics.runs += run.statistics.runs;
    const { requests, requestsMade, threads } = run.statistics;
    if (threads !== undefined) statistics.threads = Math.max(threads, statistics.threads ?? 1);
    if (requests !== undefined) {
      statistics.requests = [...(statistics.requests ?? []), ...requests];
      statistics.requestsMade = (statistics.requestsMade ?? 0) + (requestsMade ?? 0);
    }
    run.traces.forEach((input, at) => {
      this.traces[at] ??= new Trace();
      (this.traces[at] as Trace).add(input);
    });
  }
}

/**
 * What the operators of a query wait for outside of it. An operator that can't go on says PENDING and
 * notes what it waits for; the driver then sleeps until that has settled instead of asking again.
 */
export class Waits {
  private noted: Promise<unknown>[] = [];

  /** To be said with every PENDING that means waiting. The promise must not reject. */
  note(settled: Promise<unknown>): void {
    this.noted.push(settled);
  }

  /** What was noted since the last call: settles with the first of it; null = nothing. */
  take(): Promise<unknown> | null {
    if (this.noted.length === 0) return null;
    const noted = this.noted;
    this.noted = [];
    return Promise.race(noted);
  }
}
