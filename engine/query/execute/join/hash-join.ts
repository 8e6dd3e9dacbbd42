/**
 * Joins by a hash table over one input (`build`), through which the other (`probe`) streams; the
 * output keeps the order of the probe input, unless keys may be unbound. Without shared variables it is the cross product.
 *
 * Variables that either side may leave unbound follow SPARQL's compatibility rule (`loose-pairs.ts`): an unbound one
 * agrees with anything, and the output takes the bound value.
 */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import type { KeyFilter, Operator } from '../../runtime/operator.js';
import type { HashJoinKeys } from '../tables/build-table.js';
import { type JoinRun, WHOLE_JOIN } from '../tables/join-run.js';
import { LoosePairs } from '../tables/nullable-pairs.js';
import { PairCursor } from '../tables/pair-cursor.js';
import { joinedVariables, TableJoinOperator } from '../tables/table-join.js';
import { JoinOutput } from './join-output.js';

/** Fills of pairs that one call looks at when none of them agrees. */
const FILLS_PER_CALL = 16;

export class HashJoinOperator extends TableJoinOperator {
  protected readonly dropsLonely = true;
  private readonly cursor: PairCursor;
  /** In place of the cursor, where keys may be unbound. */
  private readonly loose: LoosePairs | null;
  private readonly output: JoinOutput;
  private readonly pairsMax: number;
  /** Nobody reads a column: how many rows there are is all that is asked. */
  private readonly countsOnly: boolean;
  /** Rows that are still to be given. */
  private uncounted = 0;

  constructor(
    probe: Operator,
    build: Operator,
    keys: HashJoinKeys,
    budget: MemoryBudget,
    run: JoinRun = WHOLE_JOIN,
    shown: readonly string[] = joinedVariables(probe.variables, build.variables),
  ) {
    super(probe, build, keys, budget, shown, run);
    this.cursor = new PairCursor(this.table.groups, false);
    this.loose = keys.loose.length === 0 ? null : new LoosePairs(this.table);
    this.output = new JoinOutput(shown, probe.variables, build.variables, keys.loose);
    this.pairsMax = batchRowsFor(shown.length);
    this.countsOnly = shown.length === 0 && keys.loose.length === 0;
  }

  protected again(probe: Operator, build: Operator, shown: readonly string[], run: JoinRun): Operator {
    return new HashJoinOperator(probe, build, this.keys, this.budget, run, shown);
  }

  override narrow(filter: KeyFilter): void {
    this.narrowInputs(filter);
  }

  protected override endsEarly(): boolean {
    return this.table.store.rows === 0;
  }

  protected begin(batch: QueryBatch): void {
    if (this.loose === null) this.cursor.begin(batch, this.table.probeKeys);
    else this.loose.begin(batch);
  }

  protected joinSome(batch: QueryBatch): QueryBatch | null {
    if (this.countsOnly) return this.count();
    const pairs = this.loose ?? this.cursor;
    for (let fills = 0; fills < FILLS_PER_CALL && !pairs.atEnd; fills++) {
      const count = pairs.fill(this.pairsMax);
      if (count > 0) return this.output.gather(batch, this.table.store, count);
    }
    return null;
  }

  /** Rows without columns. */
  private count(): QueryBatch | null {
    if (!this.cursor.atEnd) this.uncounted += this.cursor.countRest();
    const rows = Math.min(this.uncounted, BATCH_ROWS);
    this.uncounted -= rows;
    return rows === 0 ? null : { rows, columns: [] };
  }

  protected isDone(): boolean {
    return (this.loose ?? this.cursor).atEnd && this.uncounted === 0;
  }

  protected release(): void {
    this.cursor.release();
    this.loose?.release();
    this.output.release();
  }
}
