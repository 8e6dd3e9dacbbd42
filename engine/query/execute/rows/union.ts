/**
 * The rows of the inputs one after the other; a variable that an input does not have is unbound in its
 * rows. An input is opened when its turn comes, so that thousands of them take the memory of one.
 */

import type { IdColumn } from '../../../storage/seam/scan.js';
import { newColumn, type QueryBatch } from '../../runtime/batch.js';
import {
  type KeyFilter,
  type Operator,
  PENDING,
  Trace,
  type Traced,
  type Work,
  WorkOperator,
} from '../../runtime/operator.js';

export class UnionOperator extends WorkOperator {
  private input: Operator | null = null;
  /** Zeros, as many as the longest batch so far that needed some. */
  private unbound: IdColumn = newColumn(0);
  private readonly done: Trace[] = [];
  private readonly filters: KeyFilter[] = [];

  constructor(
    variables: readonly string[],
    private readonly inputCount: number,
    private readonly openInput: (index: number) => Operator,
  ) {
    super(variables);
  }

  /** Told to each input when its turn comes, so the keys are kept. */
  override narrow(filter: KeyFilter): void {
    this.filters.push({ ...filter, keys: filter.keys.slice(0, 2 * filter.rows) });
  }

  protected *work(): Work<void, QueryBatch> {
    for (let at = 0; at < this.inputCount; at++) {
      const input = this.openInput(at);
      this.input = input;
      for (const filter of this.filters) if (input.variables.includes(filter.variable)) input.narrow(filter);
      const sources = this.variables.map((name) => input.variables.indexOf(name));
      for (const step of input.batches()) yield step === PENDING ? PENDING : this.aligned(step, sources);
      this.closeInput();
      yield PENDING;
    }
  }

  /** `sources`: where each column comes from; -1 = unbound. */
  private aligned(batch: QueryBatch, sources: readonly number[]): QueryBatch {
    const columns = sources.map((source) =>
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
    super.close();
    this.closeInput();
  }
}
