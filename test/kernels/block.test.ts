/** The block codec: what the kernel writes the twin reads, what the twin writes in any encoding the kernel reads. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import * as twin from './twins/block.js';
import * as rowsTwin from './twins/packed-rows.js';
import { id, RUNS, randomFrom, U64_MAX, u64 } from './values.js';

const areas = new Areas();
const COLUMNS = 8;
const EXTREMES_BYTES = 16 * COLUMNS;

type Columns = readonly (readonly bigint[])[];

function encodeWithKernel(columns: Columns): { block: Uint8Array; extremes: bigint[] } {
  return areas.run(() => {
    const rows = (columns[0] as readonly bigint[]).length;
    const out = areas.area(208 + 8 * (rows + 160) * 9);
    const extremes = areas.area(EXTREMES_BYTES);
    const length = areas.kernels.encodeBlock(areas.columns(columns), rows, out, areas.area(8192 + 8 * rows), extremes);
    return { block: areas.readBytes(out, length), extremes: areas.readBigs(extremes, 2 * COLUMNS) };
  });
}

function assertReads(block: Uint8Array, columns: Columns, from: number, to: number): void {
  areas.run(() => {
    const at = areas.bytes(block);
    assert.equal(areas.kernels.checkBlock(at, block.length), 0);
    columns.forEach((values, c) => {
      const out = areas.area(8 * (to - from));
      areas.kernels.decodeColumn(at, c, from, to, out);
      assert.deepEqual(areas.readBigs(out, to - from), values.slice(from, to), `column ${c}`);
      for (const row of [from, (from + to) >>> 1, to - 1]) {
        if (row >= from && row < to) assert.equal(BigInt.asUintN(64, areas.kernels.valueAt(at, c, row)), values[row]);
      }
      const constant = Boolean(areas.kernels.isConstant(at, c));
      assert.equal(constant, block[16 + 24 * c] === twin.ENCODING.constant);
      if (constant) assert.equal(BigInt.asUintN(64, areas.kernels.constantOf(at, c)), values[0]);
    });
  });
}

function assertRoundTrip(columns: Columns): Uint8Array {
  const { block, extremes } = encodeWithKernel(columns);
  assert.equal(block.length % 8, 0);
  assert.equal(twin.checkBlock(block), 0);
  assert.deepEqual(twin.decodeBlock(block), columns);
  assert.deepEqual(extremes, columns.flatMap(twin.extremes));
  assertReads(block, columns, 0, (columns[0] as readonly bigint[]).length);
  return block;
}

function encodingsOf(block: Uint8Array): number[] {
  return Array.from({ length: COLUMNS }, (_, c) => block[16 + 24 * c] as number);
}

/** A column of one manner. */
function columnOf(rows: number): fc.Arbitrary<bigint[]> {
  const exactly = (value: fc.Arbitrary<bigint>) => fc.array(value, { minLength: rows, maxLength: rows });
  const wide = fc.tuple(fc.integer({ min: 0, max: 64 }), u64).chain(([width, base]) => {
    const most = (1n << BigInt(width)) - 1n;
    const low = base > U64_MAX - most ? U64_MAX - most : base;
    return exactly(fc.oneof(fc.bigInt({ min: low, max: low + most }), fc.constantFrom(low, low + most)));
  });
  return fc.oneof(
    u64.map((value) => Array<bigint>(rows).fill(value)),
    exactly(u64),
    exactly(id),
    wide,
    fc.array(u64, { minLength: 1, maxLength: 140 }).chain((few) => exactly(fc.constantFrom(...few))),
    fc.nat().map((start) => Array.from({ length: rows }, (_, i) => BigInt(start + i))),
  );
}

const blockOf = fc
  .oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 40 }) }, fc.integer({ min: 41, max: 600 }))
  .chain((rows) => fc.array(columnOf(rows), { minLength: COLUMNS, maxLength: COLUMNS }));

test('the twin and the kernel read what the kernel wrote', () => {
  fc.assert(
    fc.property(blockOf, (columns) => {
      assertRoundTrip(columns);
    }),
    { numRuns: RUNS },
  );
});

test('the kernel reads what the twin wrote, in any encoding and from any row', () => {
  fc.assert(
    fc.property(blockOf, fc.infiniteStream(fc.nat()), (columns, choices) => {
      const pick = () => choices.next().value as number;
      const encodings = columns.map((values) => {
        const fitting = twin.encodingsFor(values);
        return fitting[pick() % fitting.length] as twin.Encoding;
      });
      const block = twin.encodeBlock(columns, encodings);
      assert.deepEqual(twin.decodeBlock(block), columns);
      const rows = (columns[0] as readonly bigint[]).length;
      const from = pick() % (rows + 1);
      assertReads(block, columns, from, from + (pick() % (rows - from + 1)));
      assertReads(block, columns, 0, rows);
    }),
    { numRuns: RUNS },
  );
});

test('every width from 0 to 64 at the sizes of a block', () => {
  for (const rows of [1, 2, 63, 64, 65, 4096]) {
    for (let first = 0; first <= 64; first += COLUMNS) {
      const columns = Array.from({ length: COLUMNS }, (_, c) => {
        const width = Math.min(64, first + c);
        const random = randomFrom(rows * 65 + width);
        const most = (1n << BigInt(width)) - 1n;
        return Array.from({ length: rows }, (_, i) =>
          i === 0 ? 0n : i === 1 ? most : (BigInt(Math.floor(random() * 2 ** 32)) * 0x9e3779b97f4a7c15n) & most,
        );
      });
      assertRoundTrip(columns);
    }
  }
});

test('each encoding is chosen where it pays', () => {
  const rows = 4096;
  const random = randomFrom(1);
  const below = (most: number) => BigInt(Math.floor(random() * most));
  const column = (value: (i: number) => bigint) => Array.from({ length: rows }, (_, i) => value(i));
  const block = assertRoundTrip([
    column(() => U64_MAX),
    column((i) => (0x20n << 56n) + BigInt(i)),
    column((i) => (i % 2 ? 0x123456789abcdefn : 7n)),
    column(() => (below(2) ? 0x10n << 56n : 0x38n << 56n) + below(1000)),
    column(() => below(2) * U64_MAX),
    column((i) => BigInt(i) << 48n),
    column((i) => BigInt(i % 17) << 48n),
    column((i) => (BigInt(i % 16) << 48n) + below(3000)),
  ]);
  const { constant, frame, list, heads } = twin.ENCODING;
  assert.deepEqual(encodingsOf(block), [constant, frame, list, heads, list, frame, list, heads]);
  const bytesPerRow = block.length / rows;
  assert.ok(bytesPerRow < 25, `${bytesPerRow} bytes a row`);
});

test('as many values as a list or heads can hold, and one more', () => {
  for (const distinct of [127, 128, 129, 255, 256, 257]) {
    const values = Array.from({ length: 1200 }, (_, i) => BigInt(i % distinct) * 0x100000001n);
    assertRoundTrip(Array<bigint[]>(COLUMNS).fill(values));
  }
  for (const heads of [1, 2, 15, 16, 17]) {
    const values = Array.from({ length: 1200 }, (_, i) => (BigInt(i % heads) << 56n) + BigInt(i));
    assertRoundTrip(Array<bigint[]>(COLUMNS).fill(values));
  }
});

test('the same rows give the same bytes', () => {
  fc.assert(
    fc.property(blockOf, (columns) => {
      const first = encodeWithKernel(columns).block;
      encodeWithKernel(columns.map((values) => [...values].reverse()));
      assert.deepEqual(encodeWithKernel(columns).block, first);
    }),
    { numRuns: 30 },
  );
});

test('checkBlock: damage is seen, kernel = twin', () => {
  const columns = Array.from({ length: COLUMNS }, (_, c) => Array.from({ length: 20 }, (_, i) => BigInt(i * c)));
  const { block } = encodeWithKernel(columns);
  const judge = (bytes: Uint8Array) => areas.run(() => areas.kernels.checkBlock(areas.bytes(bytes), bytes.length));
  for (let length = 0; length < block.length; length++) {
    const part = block.subarray(0, length);
    assert.equal(judge(part), 2);
    assert.equal(twin.checkBlock(part), 2);
  }
  for (let bit = 0; bit < 8 * block.length; bit++) {
    const damaged = Uint8Array.from(block);
    damaged[bit >>> 3]! ^= 1 << (bit & 7);
    const verdict = judge(damaged);
    assert.notEqual(verdict, 0, `bit ${bit}`);
    assert.equal(verdict, twin.checkBlock(damaged));
  }
  const longer = Buffer.concat([block, Buffer.alloc(16, 1)]);
  assert.equal(judge(longer), 0);
});

test('lowerBound: against a linear search', () => {
  const few = fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.constantFrom(U64_MAX, U64_MAX - 1n, 1n << 63n));
  const row = fc.tuple(few, few, few, few);
  const orders = fc.constantFrom([0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3], [3, 0, 1, 2]);
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 80 }), orders, row, fc.infiniteStream(fc.nat()), (...args) => {
      const [rows, order, key, choices] = args;
      const compare = (a: readonly bigint[], b: readonly bigint[]) => {
        for (const c of order) if (a[c] !== b[c]) return (a[c] as bigint) < (b[c] as bigint) ? -1 : 1;
        return 0;
      };
      const sorted = [...rows].sort(compare);
      const columns = Array.from({ length: COLUMNS }, (_, c) => sorted.map((values) => values[c] ?? BigInt(c)));
      const pick = (most: number) => (choices.next().value as number) % (most + 1);
      const from = pick(rows.length);
      const to = from + pick(rows.length - from);
      const { block } = encodeWithKernel(columns);
      for (let depth = 0; depth <= 4; depth++) {
        const used: readonly number[] = order.slice(0, depth);
        const wanted = used.map((c) => key[c] as bigint);
        const packed = used.reduce((sum, c, d) => sum + c * 256 ** d, 0);
        const actual = areas.run(() =>
          areas.kernels.lowerBound(areas.bytes(block), packed, depth, areas.bigs(wanted), from, to),
        );
        assert.equal(actual, twin.lowerBound(columns, used, wanted, from, to), `depth ${depth}`);
      }
    }),
    { numRuns: 2 * RUNS },
  );
});

test('rows of lists long and short: kernel = twin', () => {
  const total = 1000;
  for (const entries of [2, 63, 64, 65, 100, 128]) {
    const listed = (step: number): bigint[] =>
      Array.from({ length: total }, (_, i) =>
        i % 97 === 5 ? U64_MAX : BigInt((i * step) % (entries - 1)) * 1_000_003n,
      );
    const columns = Array.from({ length: COLUMNS }, (_, c) => listed(2 * c + 1));
    const { block } = encodeWithKernel(columns);
    const [closes, ends] = [columns[5], columns[7]] as [bigint[], bigint[]];
    areas.run(() => {
      const { kernels } = areas;
      const at = areas.bytes(block);
      const to = areas.area(4 * total);
      for (const first of [0, 1, 437]) {
        const rows = Array.from({ length: total - first }, (_, i) => i);
        const some = rows.filter((row) => row % 3 !== 1);
        for (const [chosen, list] of [
          [rows, 0],
          [some, areas.words(some)],
        ] as const) {
          for (const bound of [0n, 1n, 20n * 1_000_003n, 90n * 1_000_003n, U64_MAX - 1n, U64_MAX]) {
            const what = `${entries} entries, from ${first}, ${bound}`;
            const kept = kernels.selectPacked(at, 5, bound, U64_MAX, first, list, chosen.length, to);
            const wanted = rowsTwin.selectPacked(closes, bound, U64_MAX, first, chosen);
            assert.deepEqual(areas.readWords(to, kept), wanted, what);
            const known = kernels.selectKnownEnd(at, bound, 30n * 1_000_003n, first, list, chosen.length, to);
            const ended = rowsTwin.selectKnownEnd(closes, ends, bound, 30n * 1_000_003n, first, chosen);
            assert.deepEqual(areas.readWords(to, known), ended, what);
            const later = kernels.selectKnownEnd(at, 50n * 1_000_003n, bound, first, list, chosen.length, to);
            const open = rowsTwin.selectKnownEnd(closes, ends, 50n * 1_000_003n, bound, first, chosen);
            assert.deepEqual(areas.readWords(to, later), open, what);
          }
        }
      }
    });
  }
});

test('some rows of packed columns: kernel = twin', () => {
  const anyPart = fc.record({ from: fc.nat(99), share: fc.nat(100), low: fc.nat(), high: fc.nat(), all: fc.boolean() });
  fc.assert(
    fc.property(blockOf, anyPart, (columns, { from, share, low, high, all }) => {
      const { block } = encodeWithKernel(columns);
      const total = (columns[0] as readonly bigint[]).length;
      const first = Math.floor((from * total) / 100);
      const rows = Array.from({ length: total - first }, (_, i) => i).filter((i) => all || (i * 37) % 100 < share);
      areas.run(() => {
        const { kernels } = areas;
        const at = areas.bytes(block);
        const selection = all ? 0 : areas.words(rows);
        const to = areas.area(4 * rows.length);
        columns.forEach((values, c) => {
          const bounds = [values[low % total] as bigint, values[high % total] as bigint];
          for (const [from, until] of [bounds, bounds.toReversed(), [0n, U64_MAX]] as [bigint, bigint][]) {
            const kept = kernels.selectPacked(at, c, from, until, first, selection, rows.length, to);
            assert.deepEqual(areas.readWords(to, kept), rowsTwin.selectPacked(values, from, until, first, rows));
          }
          const [list, out] = [areas.words(rows), areas.area(8 * rows.length)];
          kernels.decodeRows(at, c, first, list, rows.length, out);
          assert.deepEqual(areas.readBigs(out, rows.length), rowsTwin.decodeRows(values, first, rows));
        });
        const [txTo, validTo] = [columns[5], columns[7]] as [readonly bigint[], readonly bigint[]];
        const [tx, instant] = [txTo[low % total] as bigint, validTo[high % total] as bigint];
        const kept = kernels.selectKnownEnd(at, tx, instant, first, selection, rows.length, to);
        assert.deepEqual(areas.readWords(to, kept), rowsTwin.selectKnownEnd(txTo, validTo, tx, instant, first, rows));
      });
    }),
    { numRuns: RUNS },
  );
});
