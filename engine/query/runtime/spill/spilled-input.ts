/** Rows on disk as the input of an operator: all of them, or a piece at a time. */

import { Operator, type Step } from '../operator.js';
import { SpilledReader, type SpilledRows } from './spilled-rows.js';

/** Reads all rows; may be opened again unless it consumes them. */
export class SpilledInput extends Operator {
  private reader: SpilledReader | null = null;
  private closed = false;

  constructor(
    variables: readonly string[],
    private readonly rows: SpilledRows,
    private readonly consume: boolean,
  ) {
    super(variables);
  }

  protected step(): Step {
    if (this.closed) return null;
    this.reader ??= new SpilledReader(this.rows, { consume: this.consume });
    return this.reader.next();
  }

  override close(): void {
    this.closed = true;
    this.reader?.close();
    this.reader = null;
    if (this.consume) this.rows.release();
  }
}

/** Reads batches of a shared reader until it has given some number of rows. */
export class PieceInput extends Operator {
  given = 0;

  constructor(
    variables: readonly string[],
    private readonly reader: SpilledReader,
    private readonly rowsMin: number,
  ) {
    super(variables);
  }

  protected step(): Step {
    const batch = this.given >= this.rowsMin ? null : this.reader.next();
    this.given += batch?.rows ?? 0;
    return batch;
  }
}
