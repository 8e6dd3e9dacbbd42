/**
 * Joins by a hash table over one input (`build`), through which the other (`probe`) streams; the
 * output keeps the order of the probe input, unless keys may be unbound. Without shared variables it is the cross product.
 *
 * Variables that either side may leave unbound follow SPARQL's compatibility rule (`nullable-pairs.ts`): an unbound one
 * agrees with anything, and the output takes the bound value.
 */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type KeyFilter, type Operator, PENDING, type Work } from '../../runtime/operator.js';
import type { HashJoinKeys } from '../tables/build-table.js';
import { type JoinRun, WHOLE_JOIN } from '../tables/join-run.js';
import { pairSourceOf } from '../tables/nullable-pairs.js';
import { PairCursor, type PairSource } from '../tables/pair-cursor.js';
import { joinedVariables, TableJoinOperator } from '../tables/table-join.js';
import { JoinOutput } from './join-output.js';

/** Fills of pairs that a slice looks at when none of them agrees. */
const FILLS_PER_SLICE = 16;

export class HashJoinOperator extends TableJoinOperator {
  protected readonly dropsLonely = true;
  private readonly pairs: PairSource;
  private readonly output: JoinOutput;
  private readonly pairsMax: number;
  /** Nobody reads a column: how many rows there are is all that is asked. */
  private readonly counted: PairCursor | null;

  constructor(
    probe: Operator,
    build: Operator,
    keys: HashJoinKeys,
    budget: MemoryBudget,
    run: JoinRun = WHOLE_JOIN,
    shown: readonly string[] = joinedVariables(probe.variables, build.variables),
  ) {
    super(probe, build, keys, budget, shown, run);
    this.pairs = pairSourceOf(this.table);
    this.counted = shown.length === 0 && this.pairs instanceof PairCursor ? this.pairs : null;
    this.output = new JoinOutput(shown, probe.variables, build.variables, keys.loose);
    this.pairsMax = batchRowsFor(shown.length);
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

  protected *join(batch: QueryBatch): Work<void, QueryBatch> {
    if (this.counted !== null) return yield* this.count(this.counted, batch);
    let fills = 0;
    for (const count of this.pairs.pairsOf(batch, this.pairsMax)) {
      if (count > 0) yield this.output.gather(batch, this.table.store, count);
      else if (++fills % FILLS_PER_SLICE === 0) yield PENDING;
    }
  }

  /** Rows without columns. */
  private *count(cursor: PairCursor, batch: QueryBatch): Work<void, QueryBatch> {
    cursor.begin(batch);
    for (let left = cursor.count(); left > 0; left -= BATCH_ROWS) {
      yield { rows: Math.min(left, BATCH_ROWS), columns: [] };
    }
  }

  protected release(): void {
    this.pairs.release();
    this.output.release();
  }
}
