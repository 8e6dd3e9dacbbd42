/** Keeps the rows for which every condition is true; an error counts as false. The cheapest condition is asked first. */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import type { Expression } from '../../algebra/expression.js';
import { BatchContext } from '../../expressions/batch-context.js';
import { byCost, type Condition, compileCondition, TRUE } from '../../expressions/condition.js';
import { BatchBuffer, type QueryBatch } from '../../runtime/batch.js';
import { type KeyFilter, Operator, PENDING, type Step } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';

/** Rows and conditions that one call decides. */
const DECISIONS_PER_CALL = 65_536;

const NO_ROWS: QueryBatch = { rows: 0, columns: [] };
/** Answers for the rows of a batch, and the rows that stay, while it is filtered. */
const answers = new Uint8Array(BATCH_ROWS);
const kept = new Uint32Array(BATCH_ROWS);

export class FilterOperator extends Operator {
  private readonly context: BatchContext;
  private readonly conditions: readonly Condition[];
  private readonly buffer: BatchBuffer;
  /** A batch on its way through the conditions. */
  private batch: QueryBatch | null = null;
  private tested = 0;

  constructor(
    private readonly input: Operator,
    conditions: readonly Expression[],
    terms: QueryTerms,
  ) {
    super(input.variables, [input]);
    this.context = new BatchContext(input.variables, terms);
    this.conditions = byCost(conditions).map((condition) => compileCondition(condition, this.context));
    this.buffer = new BatchBuffer(input.variables.length, 0);
  }

  override narrow(filter: KeyFilter): void {
    this.narrowInputs(filter);
  }

  protected step(): Step {
    if (this.batch === null) {
      const step = this.input.next();
      if (step === null || step === PENDING) return step;
      this.batch = step;
      this.tested = 0;
    }
    let { batch } = this;
    for (let work = 0; this.tested < this.conditions.length; this.tested++) {
      if (work > DECISIONS_PER_CALL) {
        this.batch = batch;
        return PENDING;
      }
      work += batch.rows;
      batch = this.apply(this.conditions[this.tested] as Condition, batch);
      if (batch.rows === 0) break;
    }
    this.batch = null;
    return batch.rows === 0 ? PENDING : batch;
  }

  private apply(condition: Condition, batch: QueryBatch): QueryBatch {
    const { buffer } = this;
    this.context.begin(batch);
    condition(answers, batch.rows);
    let count = 0;
    for (let row = 0; row < batch.rows; row++) {
      kept[count] = row;
      count += answers[row] === TRUE ? 1 : 0;
    }
    if (count === 0) return NO_ROWS;
    if (count === batch.rows) return batch;
    buffer.reserveMore(count);
    // Gathering goes forward only, so a batch may be compacted in place.
    return buffer.gather(batch, kept, count);
  }
}
