/**
 * Columns of numbers in kernel memory, which arithmetic on a batch goes through. They belong to the thread:
 * expressions take them by number, as from a stack, and nothing stays in them after a batch.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { KernelInput, keptInMemory, threadMemory } from '../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import { LOCAL_DOUBLE, LOCAL_EXACT, LOCAL_HIGH } from '../terms/local-terms.js';
import { isStoredDouble } from '../terms/stored-facts.js';
import type { QueryTerms } from '../terms/terms.js';

/** Kinds of numbers; `numbers.ts` says what they mean. */
export const OTHER = 0;
export const INTEGER = 1;
export const DECIMAL = 2;
export const DOUBLE = 3;
export const ERROR_KIND = 4;
export const NEAREST = 5;

/** An expression that needs more is left to the scalar form. */
export const COLUMNS_MAX = 16;
/** Kind and scale, a byte each, and value. */
const BYTES_PER_ROW = 10;

export interface NumberColumn {
  readonly address: number;
  readonly kinds: Uint8Array;
  readonly scales: Uint8Array;
  readonly values: Float64Array;
}

/** Computes the first `rows` numbers of the batch at hand; valid until others are computed in the same column. */
export type Numbers = (rows: number) => NumberColumn;

const columns = Array.from({ length: COLUMNS_MAX }, () => keptInMemory(makeColumn));

export function numberColumn(number: number): NumberColumn {
  return (columns[number] as () => NumberColumn)();
}

function makeColumn(memory: ThreadMemory): NumberColumn {
  const address = memory.allocate(BYTES_PER_ROW * BATCH_ROWS);
  const kinds = memory.bytesAt(address, BATCH_ROWS);
  const scales = memory.bytesAt(address + BATCH_ROWS, BATCH_ROWS);
  return { address, kinds, scales, values: memory.doublesAt(address + 2 * BATCH_ROWS, BATCH_ROWS) };
}

const idInput = new KernelInput(2 * BATCH_ROWS);
const KIND_OF_LOCAL = new Uint8Array(3);
KIND_OF_LOCAL[LOCAL_EXACT] = NEAREST;
KIND_OF_LOCAL[LOCAL_DOUBLE] = DOUBLE;

/** The numbers of the first `rows` ids; of those that the dictionary keeps the doubles. */
export function readIds(ids: IdColumn, rows: number, column: NumberColumn, { local, doubles }: QueryTerms): void {
  const made = threadMemory().kernels.readNumbers(idInput.addressOf(ids, 2 * rows), rows, column.address);
  if (made === 0) return;
  const { kinds, values } = column;
  doubles.prepare(ids, rows);
  for (let row = 0; row < rows; row++) {
    const high = ids[2 * row + 1] as number;
    if (isStoredDouble(high)) {
      const number = doubles.factOf(ids[2 * row] as number, high);
      if (Number.isNaN(number)) continue;
      kinds[row] = DOUBLE;
      values[row] = number;
      continue;
    }
    if (high !== LOCAL_HIGH) continue;
    const number = ids[2 * row] as number;
    kinds[row] = KIND_OF_LOCAL[local.kinds[number] as number] as number;
    values[row] = local.numbers[number] as number;
  }
}

/** A part of the dates and times among the first `rows` ids, by its place in `DATE_PARTS`. */
export function readDateParts(ids: IdColumn, rows: number, part: number, column: NumberColumn): void {
  threadMemory().kernels.readDateParts(idInput.addressOf(ids, 2 * rows), rows, part, column.address);
}

const written = keptInMemory((memory) => ({
  ids: memory.wordsAt(memory.allocate(8 * BATCH_ROWS), 2 * BATCH_ROWS),
  left: memory.wordsAt(memory.allocate(4 * BATCH_ROWS), BATCH_ROWS),
}));

/**
 * Writes the ids of the numbers that are their own ids, and 0 for errors. Gives how many others there are: `left` lists
 * their rows, until the next call.
 */
export function writeIds({ address }: NumberColumn, rows: number, out: IdColumn): { left: Uint32Array; count: number } {
  const { ids, left } = written();
  const count = threadMemory().kernels.numberIds(address, rows, ids.byteOffset, left.byteOffset);
  out.set(ids.subarray(0, 2 * rows));
  return { left, count };
}
