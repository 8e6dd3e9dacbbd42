/**
 * Comparisons of columns with constants and with each other, by ids: a loop a batch, which knows what the
 * upper 16 bits of an id say about all ids that begin so. What ids do not decide stays UNDECIDED.
 */

import { KernelInput, threadMemory } from '../../kernels/thread-memory.js';
import { ORDERED_PREFIXES } from '../../storage/ids/halves.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import { type Decide, UNDECIDED } from './answers.js';
import { type DecidableOperator, decideComparison, isPlain } from './decide.js';
import { decideInKernel } from './kernel-answers.js';
import { ConstantBounds } from './payload-bounds.js';

const TWO_TO_32 = 2 ** 32;
/** To find the bounds of a constant takes about as long as comparing so many rows one by one. */
const BOUNDS_ROWS_MIN = 64;

/** Fewer rows are not worth a kernel. */
const KERNEL_ROWS_MIN = 16;

const inputA = new KernelInput(2 * BATCH_ROWS);
const inputB = new KernelInput(2 * BATCH_ROWS);

/** What ids decide by themselves; a single id is a constant. True when nothing is left. */
function decideByKernel(operator: DecidableOperator, a: IdColumn, b: IdColumn, rows: number, out: Uint8Array): boolean {
  const isConstant = b.length === 2;
  const first = inputA.addressOf(a, 2 * rows);
  const second = inputB.addressOf(b, isConstant ? 2 : 2 * rows);
  const answers = [-1, 0, 1].reduce((bits, order, at) => bits | (holds(operator, order) ? 1 << at : 0), 0);
  const asked = operator === 'sameterm' ? 2 : operator === '=' || operator === '!=' ? 1 : 0;
  const { kernels } = threadMemory();
  let left = 0;
  decideInKernel(out, rows, (at) => {
    left = kernels.compareIds(first, second, isConstant ? 0 : 8, rows, asked, answers, at);
  });
  return left === 0;
}

/** Gives the column of the batch at hand; called once a batch. */
export type ReadColumn = (rows: number) => IdColumn;

export function compareWithConstant(
  operator: DecidableOperator,
  read: ReadColumn,
  constantLow: number,
  constantHigh: number,
): Decide {
  const constant = new ConstantBounds(operator, constantLow, constantHigh);
  const constantIds = Uint32Array.of(constantLow, constantHigh);
  let rowsSeen = 0;
  return (out, rows) => {
    const ids = read(rows);
    rowsSeen += rows;
    if (rows >= KERNEL_ROWS_MIN && decideByKernel(operator, ids, constantIds, rows, out)) return;
    if (rowsSeen < BOUNDS_ROWS_MIN) decideOneByOne(constant, ids, out, rows);
    else decideByBounds(constant, ids, out, rows);
  };
}

function decideOneByOne({ operator, low, high }: ConstantBounds, ids: IdColumn, out: Uint8Array, rows: number): void {
  for (let row = 0; row < rows; row++) {
    if (out[row] !== UNDECIDED) continue;
    out[row] = decideComparison(operator, ids[2 * row] as number, ids[2 * row + 1] as number, low, high);
  }
}

function decideByBounds(constant: ConstantBounds, ids: IdColumn, out: Uint8Array, rows: number): void {
  let { prefix, from, to, below, middle, above, single } = constant.of((ids[1] as number) >>> 16);
  for (let row = 0; row < rows; row++) {
    if (out[row] !== UNDECIDED) continue;
    const low = ids[2 * row] as number;
    const high = ids[2 * row + 1] as number;
    if (high >>> 16 !== prefix) ({ prefix, from, to, below, middle, above, single } = constant.of(high >>> 16));
    if (single) out[row] = decideComparison(constant.operator, low, high, constant.low, constant.high);
    else {
      const payload = (high & 0xffff) * TWO_TO_32 + low;
      out[row] = payload < from ? below : payload < to ? middle : above;
    }
  }
}

/** By the upper 16 bits that two ids share: what their halves tell. */
const NOTHING = 0;
const ORDER = 1;
const IDENTITY = 2;

export function compareColumns(operator: DecidableOperator, readA: ReadColumn, readB: ReadColumn): Decide {
  const equality = operator === '=' || operator === '!=' || operator === 'sameterm';
  // By the order of the two: less, equal, greater.
  const answers = Uint8Array.from([-1, 0, 1], (order) => (holds(operator, order) ? 1 : 0));
  return (out, rows) => {
    const a = readA(rows);
    const b = readB(rows);
    if (rows >= KERNEL_ROWS_MIN && decideByKernel(operator, a, b, rows, out)) return;
    let prefix = 0;
    let tells = NOTHING;
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      const lowA = a[2 * row] as number;
      const highA = a[2 * row + 1] as number;
      const lowB = b[2 * row] as number;
      const highB = b[2 * row + 1] as number;
      if (highA >>> 16 !== prefix) {
        prefix = highA >>> 16;
        tells = whatTells(prefix, equality);
      }
      if (highB >>> 16 !== prefix || tells === NOTHING) {
        out[row] = decideComparison(operator, lowA, highA, lowB, highB);
      } else {
        const order = highA === highB ? (lowA === lowB ? 1 : lowA < lowB ? 0 : 2) : highA < highB ? 0 : 2;
        out[row] = answers[order] as number;
      }
    }
  };
}

function whatTells(prefix: number, equality: boolean): number {
  if (ORDERED_PREFIXES[prefix] === 1) return ORDER;
  return equality && isPlain(prefix >>> 8) ? IDENTITY : NOTHING;
}

function holds(operator: DecidableOperator, order: number): boolean {
  switch (operator) {
    case '=':
    case 'sameterm':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}
