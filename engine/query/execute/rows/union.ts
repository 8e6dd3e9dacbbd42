/**
 * The rows of the inputs one after the other; a variable that an input does not have is unbound in its
 * rows. An input is opened when its turn comes, so that thousands of them take the memory of one.
 */

import type { IdColumn } from '../../../storage/seam/scan.js';
import { newColumn, type QueryBatch } from '../../runtime/batch.js';
import { Operator, PENDING, type Step, type Traced } from '../../runtime/operator.js';
import { Trace } from '../../runtime/trace.js';

export class UnionOperator extends Operator {
  private at = -1;
  private input: Operator | null = null;
  /** Where each column comes from; -1 = unbound. */
  private sources: readonly number[] = [];
  /** Zeros, as many as the longest batch so far that needed some. */
  private unbound: IdColumn = newColumn(0);
  private readonly done: Trace[] = [];

  constructor(
    variables: readonly string[],
    private readonly inputCount: number,
    private readonly openInput: (index: number) => Operator,
  ) {
    super(variables);
  }

  protected step(): Step {
    if (this.input === null) {
      if (this.at + 1 >= this.inputCount) return null;
      this.at++;
      const input = this.openInput(this.at);
      this.input = input;
      this.sources = this.variables.map((name) => input.variables.indexOf(name));
    }
    const step = this.input.next();
    if (step === PENDING) return PENDING;
    if (step !== null) return this.aligned(step);
    this.closeInput();
    return PENDING;
  }

  private aligned(batch: QueryBatch): QueryBatch {
    const columns = this.sources.map((source) =>
      source < 0 ? this.unboundColumn(batch.rows) : (batch.columns[source] as IdColumn),
    );
    return { rows: batch.rows, columns };
  }

  private unboundColumn(rows: number): IdColumn {
    if (this.unbound.length < 2 * rows) this.unbound = newColumn(rows);
    return this.unbound;
  }

  override get traces(): readonly Traced[] {
    return this.input === null ? this.done : [...this.done, this.input];
  }

  private closeInput(): void {
    if (this.input === null) return;
    const trace = new Trace();
    trace.add(this.input);
    this.done.push(trace);
    this.input.close();
    this.input = null;
  }

  override close(): void {
    this.closeInput();
    this.at = this.inputCount;
  }
}
