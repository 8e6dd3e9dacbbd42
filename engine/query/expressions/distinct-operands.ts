/** The operands of distinct ids, for the scalar form of an expression of one variable, which is asked once for each. */

import type { IdColumn } from '../../storage/seam/scan.js';
import type { Operand } from '../terms/operand.js';
import type { BatchContext } from './batch-context.js';
import { operandsOf } from './operands-of.js';
import type { ReadVariable } from './scalar.js';

export interface DistinctOperands {
  /** What the variables are; those that the input does not bind are unbound. */
  reader(name: string): ReadVariable;
  /** The rows of the next calls are the places of these ids. */
  load(ids: IdColumn, count: number): void;
  /** Lets go of the terms. */
  clear(): void;
}

export function distinctOperands(context: BatchContext): DistinctOperands {
  let operands: (Operand | null)[] = [];
  const read: ReadVariable = (row) => operands[row] as Operand | null;
  return {
    reader: (name) => (context.columnOf(name) < 0 ? () => null : read),
    load: (ids, count) => {
      operands = operandsOf(context.terms, ids, count);
    },
    clear: () => {
      operands = [];
    },
  };
}
