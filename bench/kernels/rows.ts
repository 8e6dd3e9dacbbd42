/** Kernels of rows: radix sort of keys, block codec, merge, selection. */
import { invariant } from '../../engine/base/errors.js';
import type { ThreadMemory } from '../../engine/kernels/memory.js';
import { BLOCK_BYTES_MAX, RowColumns } from '../../engine/storage/runs/writer.js';
import { BATCH_ROWS } from '../../engine/storage/seam/scan.js';
import { Random } from '../data/random.js';
import type { KernelCase } from './loop.js';

const KEYS = 1 << 20;
const KEY_BITS = 50;
const HISTOGRAM_BYTES = 16_384;
const ROWS = BATCH_ROWS;
const SEED = 3;
/** s, p, o, g, txFrom: the key of SPOG, a byte a column. */
const SPOG_KEY = 0x0403020100n;
const KEY_DEPTH = 5;
const IRI = 0x20n << 56n;
const INTEGER = (0x38n << 56n) | (1n << 48n) | (1n << 47n);
const STRING = 0x30n << 56n;
const OPEN = (1n << 64n) - 1n;

export function rowCases(memory: ThreadMemory): KernelCase[] {
  return [sortKeysCase(memory), ...blockCases(memory), mergeCase(memory)];
}

function sortKeysCase(memory: ThreadMemory): KernelCase {
  const random = new Random(SEED);
  const keys = memory.allocate(8 * KEYS);
  const scratch = memory.allocate(8 * KEYS);
  const histogram = memory.allocate(HISTOGRAM_BYTES);
  const words = new Uint32Array(2 * KEYS);
  for (let i = 0; i < KEYS; i++) {
    words[2 * i] = random.word();
    words[2 * i + 1] = random.below(2 ** (KEY_BITS - 32));
  }
  return {
    kernel: 'sortKeys',
    file: 'radix-sort.ts',
    units: KEYS,
    unit: 'keys',
    prepare: () => memory.wordsAt(keys, 2 * KEYS).set(words),
    run: () => memory.kernels.sortKeys(keys, scratch, KEYS, KEY_BITS, histogram),
  };
}

/** Rows as a SPOG run has them: subjects ascending, objects of several kinds, times constant. */
function fillRows(memory: ThreadMemory, columns: RowColumns, from: bigint, step: bigint): void {
  const random = new Random(SEED);
  const column = (at: number): BigUint64Array => memory.bigsAt(columns.addresses[at] as number, ROWS);
  const [s, p, o] = [column(0), column(1), column(2)];
  for (let row = 0; row < ROWS; row++) {
    s[row] = IRI | (from + step * BigInt(row >> 3));
    p[row] = IRI | BigInt(row & 7);
    const number = BigInt(random.below(1 << 22));
    o[row] = (row & 7) < 4 ? IRI | number : (row & 7) < 6 ? STRING | number : INTEGER + (number & 1023n);
  }
  const constants = [IRI | 1n, 1n, OPEN, 63_000_000_000n, OPEN];
  for (const [at, value] of constants.entries()) column(3 + at).fill(value);
}

function blockCases(memory: ThreadMemory): KernelCase[] {
  const { kernels } = memory;
  const columns = new RowColumns(memory);
  fillRows(memory, columns, 1000n, 1n);
  const block = memory.allocate(BLOCK_BYTES_MAX);
  const scratch = memory.allocate(8192 + 8 * ROWS);
  const extremes = memory.allocate(16 * 8);
  const out = memory.allocate(8 * ROWS);
  let length = 0;
  const encode = (): void => {
    length = kernels.encodeBlock(columns.list, ROWS, block, scratch, extremes);
  };
  encode();
  invariant(kernels.checkBlock(block, length) === 0, 'a block that was encoded is sound');
  const decode = (): void => {
    for (let column = 0; column < 3; column++) kernels.decodeColumn(block, column, 0, ROWS, out);
  };
  decode();
  const objects = memory.bigsAt(columns.addresses[2] as number, ROWS);
  invariant(
    memory.bigsAt(out, ROWS).every((value, row) => value === objects[row]),
    'a column decodes to what went in',
  );
  return [
    { kernel: 'encodeBlock, 8 columns', file: 'block.ts', units: ROWS, unit: 'rows', bytes: 64 * ROWS, run: encode },
    { kernel: 'decodeColumn, s p o', file: 'block.ts', units: ROWS, unit: 'rows', bytes: 24 * ROWS, run: decode },
    {
      kernel: 'checkBlock',
      file: 'block.ts, hash.ts',
      units: ROWS,
      unit: 'rows',
      bytes: length,
      run: () => kernels.checkBlock(block, length),
    },
  ];
}

/** Two batches whose subjects alternate: the costliest merge. */
function mergeCase(memory: ThreadMemory): KernelCase {
  const a = new RowColumns(memory);
  const b = new RowColumns(memory);
  const out = new RowColumns(memory);
  fillRows(memory, a, 1000n, 2n);
  fillRows(memory, b, 1001n, 2n);
  const positions = memory.allocate(8);
  const words = memory.wordsAt(positions, 2);
  const run = (): void => {
    words[0] = 0;
    words[1] = 0;
    for (let part = 0; part < 2; part++) {
      const [i, j] = words as unknown as [number, number];
      memory.kernels.mergeRowsOf(
        a.list,
        i,
        ROWS,
        b.list,
        j,
        ROWS,
        SPOG_KEY,
        KEY_DEPTH,
        0xff,
        out.list,
        ROWS,
        positions,
      );
    }
  };
  run();
  const merged = (words[0] as number) + (words[1] as number);
  invariant(merged >= 2 * ROWS - 8, 'both batches are merged but for the tail of one');
  return { kernel: 'mergeRowsOf', file: 'merge-rows.ts', units: merged, unit: 'rows', bytes: 64 * merged, run };
}
