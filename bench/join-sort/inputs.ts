/** Rows of random ids for operators by themselves: the same for the same seed. */
import type { QueryBatch } from '../../engine/query/runtime/batch.js';
import { Operator, type Step } from '../../engine/query/runtime/operator.js';
import { BATCH_ROWS, type IdColumn } from '../../engine/storage/seam/scan.js';
import { Random } from '../data/random.js';

const IRI_HIGH = 0x20000000;
const INTEGER_HIGH = 0x38018000;
/** Odd, so that multiplying by it is one to one below 2^32. */
const SPREAD = 0x9e3779b1;
const SEED = 11;

/** How the ids of a column lie: side by side as those of one load do, or far apart as those of many. */
export type Spread = 'dense' | 'sparse';

/** Ids of the numbers that `numberOf` gives. */
export function idColumn(rows: number, spread: Spread, numberOf: (row: number) => number): IdColumn {
  const column = new Uint32Array(2 * rows);
  for (let row = 0; row < rows; row++) {
    const number = numberOf(row);
    column[2 * row] = spread === 'dense' ? number : Math.imul(number, SPREAD);
    column[2 * row + 1] = spread === 'dense' ? IRI_HIGH : IRI_HIGH | (Math.imul(number, 0x85ebca6b) >>> 24);
  }
  return column;
}

/** Inlined integers that are drawn from so many. */
export function integerColumn(rows: number, values: number): IdColumn {
  const random = new Random(SEED);
  const column = new Uint32Array(2 * rows);
  for (let row = 0; row < rows; row++) {
    column[2 * row] = random.below(values);
    column[2 * row + 1] = INTEGER_HIGH;
  }
  return column;
}

/** The numbers below `count`, each once, in random sequence. */
export function shuffled(count: number): Uint32Array {
  const random = new Random(SEED);
  const numbers = Uint32Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at--) {
    const other = random.below(at + 1);
    const held = numbers[at] as number;
    numbers[at] = numbers[other] as number;
    numbers[other] = held;
  }
  return numbers;
}

export function drawn(values: number): (row: number) => number {
  const random = new Random(SEED + 1);
  return () => random.below(values);
}

/** Gives columns over and over, until so many rows have been given. */
export class ColumnsInput extends Operator {
  private given = 0;
  private readonly length: number;

  constructor(
    variables: readonly string[],
    private readonly columns: readonly IdColumn[],
    private readonly rows: number,
  ) {
    super(variables);
    this.length = (columns[0] as IdColumn).length / 2;
  }

  protected step(): Step {
    const at = this.given % this.length;
    const rows = Math.min(BATCH_ROWS, this.length - at, this.rows - this.given);
    if (rows === 0) return null;
    this.given += rows;
    const batch: QueryBatch = { rows, columns: this.columns.map((ids) => ids.subarray(2 * at, 2 * (at + rows))) };
    return batch;
  }
}
