/** Directories of runs: stored form, damage, and searches against linear ones. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SvcError } from '../../engine/base/errors.js';
import {
  compareHalves,
  decodeDirectory,
  encodeDirectory,
  firstBlockFrom,
  firstBlockNotBefore,
  RunDirectory,
} from '../../engine/storage/runs/directory.js';

const RUNS = Number(process.env.SVC_FUZZ_RUNS ?? 200);
const KEY_COLUMNS = 4;
const U64_MAX = (1n << 64n) - 1n;

type Key = readonly bigint[];

const value = fc.oneof(
  fc.bigInt({ min: 0n, max: 4n }),
  fc.bigInt({ min: 0n, max: U64_MAX }),
  fc.constantFrom(U64_MAX, 1n << 32n, (1n << 32n) - 1n, 1n << 63n),
);
const key = fc.array(value, { minLength: KEY_COLUMNS, maxLength: KEY_COLUMNS });

function compareKeys(a: Key, b: Key, depth: number): number {
  for (let d = 0; d < depth; d++) {
    const [x, y] = [a[d] as bigint, b[d] as bigint];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

function halvesOf(values: Key): number[] {
  return values.flatMap((one) => [Number(one & 0xffffffffn), Number(one >> 32n)]);
}

/** First and last keys of blocks: neighbours of a sorted list of keys, which may be equal. */
const blockKeys = fc.array(key, { minLength: 0, maxLength: 60 }).map((keys) => {
  const sorted = [...keys].sort((a, b) => compareKeys(a, b, KEY_COLUMNS));
  return Array.from(
    { length: sorted.length >> 1 },
    (_, i) => [sorted[2 * i] as Key, sorted[2 * i + 1] as Key] as const,
  );
});

function directoryOf(blocks: readonly (readonly [Key, Key])[]): RunDirectory {
  const directory = new RunDirectory(blocks.length);
  blocks.forEach(([first, last], i) => {
    directory.rows[i] = 1 + ((i * 37) % 4096);
    for (let c = 0; c < KEY_COLUMNS; c++) {
      directory.first[c]?.set(halvesOf([first[c] as bigint]), 2 * i);
      directory.last[c]?.set(halvesOf([last[c] as bigint]), 2 * i);
    }
    directory.least.forEach((column, c) => {
      column.set([i, c], 2 * i);
    });
    directory.greatest.forEach((column, c) => {
      column.set([i + c, 0xffffffff], 2 * i);
    });
  });
  directory.sumRows();
  return directory;
}

function encodeInParts(directory: RunDirectory, part: number): Buffer[] {
  const values: Buffer[] = [];
  for (let from = 0; from < directory.blocks; from += part) {
    values.push(encodeDirectory(directory, from, Math.min(from + part, directory.blocks)));
  }
  return values;
}

function assertCorrupt(work: () => unknown, what: string): void {
  assert.throws(work, (error) => error instanceof SvcError && error.code === 'store_corrupt', what);
}

test('what is stored comes back, in one value or several', () => {
  fc.assert(
    fc.property(blockKeys, fc.integer({ min: 1, max: 7 }), (blocks, part) => {
      const directory = directoryOf(blocks);
      const back = decodeDirectory(encodeInParts(directory, part), blocks.length, 'a run');
      assert.deepEqual(back.rows, directory.rows);
      assert.deepEqual(back.arrays, directory.arrays);
      assert.deepEqual(back.rowsBefore, directory.rowsBefore);
      let total = 0;
      directory.rows.forEach((rows, i) => {
        assert.equal(back.rowsBefore[i], total);
        total += rows;
      });
      assert.equal(back.rowsBefore[blocks.length], total);
    }),
    { numRuns: RUNS },
  );
});

test('every changed bit, every shorter value and every missing value is damage', () => {
  const directory = directoryOf(
    Array.from({ length: 5 }, (_, i) => [
      [BigInt(i), 1n, 2n, 3n],
      [BigInt(i), 9n, 9n, 9n],
    ]),
  );
  const stored = encodeDirectory(directory, 0, 5);
  for (let bit = 0; bit < 8 * stored.length; bit++) {
    const damaged = Buffer.from(stored);
    damaged[bit >>> 3]! ^= 1 << (bit & 7);
    assertCorrupt(() => decodeDirectory([damaged], 5, 'a run'), `bit ${bit}`);
  }
  for (let length = 0; length < stored.length; length++) {
    assertCorrupt(() => decodeDirectory([stored.subarray(0, length)], 5, 'a run'), `${length} bytes`);
  }
  assertCorrupt(() => decodeDirectory([Buffer.concat([stored, Buffer.alloc(8)])], 5, 'a run'), 'longer');
  const parts = encodeInParts(directory, 2);
  assertCorrupt(() => decodeDirectory(parts.slice(1), 5, 'a run'), 'the first is missing');
  assertCorrupt(() => decodeDirectory(parts.slice(0, 2), 5, 'a run'), 'the last is missing');
  assertCorrupt(() => decodeDirectory([...parts, parts[0] as Buffer], 5, 'a run'), 'one too many');
  assertCorrupt(() => decodeDirectory([], 5, 'a run'), 'none');
  assert.equal(decodeDirectory([], 0, 'a run').blocks, 0);
});

test('searches for a key: against linear ones, at every depth', () => {
  fc.assert(
    fc.property(blockKeys, key, fc.nat(), fc.nat(), (blocks, drawn, pick, skip) => {
      const directory = directoryOf(blocks);
      // Half of the time a key that is there.
      const known = blocks[pick % Math.max(1, blocks.length)];
      const wanted = known !== undefined && pick % 2 === 0 ? (known[pick % 3 === 0 ? 0 : 1] as Key) : drawn;
      const from = skip % (blocks.length + 1);
      for (let depth = 0; depth <= KEY_COLUMNS; depth++) {
        const linear = (edge: 0 | 1) => {
          for (let i = from; i < blocks.length; i++)
            if (compareKeys((blocks[i] as readonly [Key, Key])[edge], wanted, depth) >= 0) return i;
          return blocks.length;
        };
        const prefix = halvesOf(wanted.slice(0, depth));
        assert.equal(firstBlockNotBefore(directory, prefix, depth, from), linear(1), `last keys, depth ${depth}`);
        assert.equal(firstBlockFrom(directory, prefix, depth, from), linear(0), `first keys, depth ${depth}`);
      }
    }),
    { numRuns: 3 * RUNS },
  );
});

test('halves compare as unsigned 64-bit numbers', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [low, high] = halvesOf([b]) as [number, number];
      const order = compareHalves(Uint32Array.from([7, 7, ...halvesOf([a])]), 1, low, high);
      assert.equal(Math.sign(order), a < b ? -1 : a > b ? 1 : 0);
    }),
    { numRuns: 3 * RUNS },
  );
});
