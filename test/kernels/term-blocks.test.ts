/** Symbol coding and front-coded blocks of terms: kernel = twin, and no damage makes a kernel write elsewhere. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { placeSymbols, SYMBOL_TABLE_BYTES } from '../../engine/kernels/symbol-table.js';
import { Areas } from './areas.js';
import * as twinBlock from './twins/front-code.js';
import * as twin from './twins/symbols.js';
import { distinctTexts, RUNS, text } from './values.js';

const areas = new Areas();
const DAMAGED = 0xffffffff;
const HEADER_BYTES = 16;

const symbolBytes = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 8 }),
  fc.array(fc.constantFrom(0, 97, 98), { minLength: 1, maxLength: 8 }).map((few) => Uint8Array.from(few)),
  fc
    .constantFrom('http://', 'example', '.org/', 'e', 'th', 'thin', 'things/', 'aaaaaaaa', 'aaa')
    .map((name) => Buffer.from(name)),
);
const symbolLists = fc.array(symbolBytes, { maxLength: 255 }).map(distinctTexts);

/** The address of a prepared table inside fences. */
function tableOf(symbols: readonly Uint8Array[]): number {
  const table = areas.area(SYMBOL_TABLE_BYTES);
  const made = placeSymbols(areas.memory, symbols);
  areas.memory.bytes.copyWithin(table, made, made + SYMBOL_TABLE_BYTES);
  areas.memory.free(made, SYMBOL_TABLE_BYTES);
  areas.kernels.prepareSymbols(table, symbols.length);
  return table;
}

test('symbols: kernel = twin, both ways', () => {
  const texts = fc.oneof(
    text,
    fc.array(symbolBytes, { maxLength: 12 }).map((parts) => Buffer.concat(parts)),
    fc.array(symbolBytes, { minLength: 20, maxLength: 90 }).map((parts) => Buffer.concat(parts)),
    fc.integer({ min: 90, max: 110 }).map((length) => Buffer.alloc(length, 255)),
  );
  fc.assert(
    fc.property(symbolLists, fc.array(texts, { minLength: 1, maxLength: 10 }), (symbols, list) => {
      areas.run(() => {
        const table = tableOf(symbols);
        for (const bytes of list) {
          const out = areas.area(2 * bytes.length + 64);
          const length = areas.kernels.encodeSymbols(table, areas.bytes(bytes), bytes.length, out);
          const codes = areas.readBytes(out, length);
          assert.deepEqual(codes, twin.encodeSymbols(symbols, bytes));
          assert.deepEqual(Buffer.from(twin.decodeSymbols(symbols, codes)), Buffer.from(bytes));
          const back = areas.area(bytes.length, 7);
          assert.equal(areas.kernels.decodeSymbols(table, areas.bytes(codes), codes.length, back), bytes.length);
          assert.deepEqual(Buffer.from(areas.readBytes(back, bytes.length)), Buffer.from(bytes));
        }
      });
    }),
    { numRuns: 2 * RUNS },
  );
});

interface Encoded {
  readonly block: Uint8Array;
  readonly count: number;
}

function encodeWithKernel(
  terms: readonly Uint8Array[],
  symbols: readonly Uint8Array[] | null,
  capacity: number,
  from = 0,
): Encoded {
  return areas.run(() => {
    const { arena, offsets } = areas.strings(terms);
    const longest = Math.max(0, ...terms.map((term) => term.length));
    const out = areas.area(capacity + 2 * longest + 64);
    const lengthAt = areas.area(4 + 4096);
    const count = areas.kernels.encodeTermBlock(
      arena,
      offsets,
      areas.words([...terms.keys()]),
      from,
      terms.length,
      symbols ? tableOf(symbols) : 0,
      out,
      capacity,
      areas.area(2 * longest + 64),
      lengthAt,
    );
    return { block: areas.readBytes(out, areas.readWords(lengthAt, 1)[0] as number), count };
  });
}

/** Terms `[from, to)` of a block, or null when the kernel finds it damaged. */
function decodeWithKernel(
  block: Uint8Array,
  symbols: readonly Uint8Array[] | null,
  from: number,
  to: number,
  room: number,
): Uint8Array[] | null {
  const places = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  return decodePlaces(block, symbols, places, room);
}

/** The same at any ascending places; only up to the first zero byte with `heads`. */
function decodePlaces(
  block: Uint8Array,
  symbols: readonly Uint8Array[] | null,
  places: readonly number[],
  room: number,
  heads = false,
): Uint8Array[] | null {
  return areas.run(() => {
    const out = areas.area(room);
    const ends = areas.area(4 * places.length);
    const table = symbols ? tableOf(symbols) : 0;
    const { kernels } = areas;
    const [at, list] = [areas.bytes(block), areas.words([...places])];
    const length =
      kernels.decodeTerms(at, block.length, table, list, places.length, Number(heads), out, room, ends) >>> 0;
    if (length === DAMAGED) return null;
    assert.ok(length <= room);
    const bytes = areas.readBytes(out, length);
    const stops = areas.readWords(ends, places.length);
    return stops.map((end, i) => bytes.subarray(i === 0 ? 0 : stops[i - 1], end));
  });
}

function assertSame(actual: readonly Uint8Array[] | null, expected: readonly Uint8Array[]): void {
  assert.deepEqual(
    actual?.map((bytes) => Buffer.from(bytes)),
    expected.map((bytes) => Buffer.from(bytes)),
  );
}

const maybeSymbols = fc.option(symbolLists, { nil: null });
const sortedTerms = (maxLength: number) =>
  fc.array(text, { minLength: 1, maxLength }).map((terms) => [...terms].sort(Buffer.compare));
const totalOf = (terms: readonly Uint8Array[]) => terms.reduce((sum, term) => sum + term.length, 0);

test('blocks of terms: kernel and twin write the same bytes and read them back', () => {
  fc.assert(
    fc.property(sortedTerms(150), maybeSymbols, fc.integer({ min: 16, max: 4096 }), (terms, symbols, capacity) => {
      const actual = encodeWithKernel(terms, symbols, capacity);
      const expected = twinBlock.encodeTermBlock(terms, symbols, capacity);
      assert.equal(actual.count, expected.count);
      assert.deepEqual(actual.block, Uint8Array.from(expected.block));
      assert.ok(actual.count === 1 || actual.block.length <= capacity);
      const inside = terms.slice(0, actual.count);
      assertSame(twinBlock.decodeTermBlock(actual.block, symbols), inside);
      assertSame(decodeWithKernel(actual.block, symbols, 0, actual.count, totalOf(inside) + 8), inside);
    }),
    { numRuns: RUNS },
  );
});

test('blocks of terms: any part, with no more room than the block says', () => {
  fc.assert(
    fc.property(sortedTerms(120), maybeSymbols, fc.nat(), fc.nat(), (terms, symbols, a, b) => {
      const { block } = twinBlock.encodeTermBlock(terms, symbols, 65_535);
      const from = a % terms.length;
      const to = from + (b % (terms.length - from + 1));
      assertSame(decodeWithKernel(block, symbols, from, to, totalOf(terms) + 8), terms.slice(from, to));
    }),
    { numRuns: RUNS },
  );
});

test('blocks of terms: any of them, whole or up to a zero byte', () => {
  const withZeros = fc
    .array(fc.tuple(text, fc.boolean(), text), { minLength: 1, maxLength: 120 })
    .map((parts) =>
      parts
        .map(([head, zero, rest]) => Buffer.concat([head, zero ? Buffer.from([0]) : Buffer.alloc(0), rest]))
        .sort(Buffer.compare),
    );
  fc.assert(
    fc.property(withZeros, maybeSymbols, fc.array(fc.nat(), { maxLength: 40 }), (terms, symbols, numbers) => {
      const { block } = twinBlock.encodeTermBlock(terms, symbols, 65_535);
      const places = [...new Set(numbers.map((number) => number % terms.length))].sort((a, b) => a - b);
      const wanted = places.map((place) => terms[place] as Uint8Array);
      const room = totalOf(terms) + 8;
      assertSame(decodePlaces(block, symbols, places, room), wanted);
      const heads = decodePlaces(block, symbols, places, room, true);
      assert.equal(heads?.length, wanted.length);
      for (const [i, whole] of wanted.entries()) {
        const head: Buffer = Buffer.from(heads?.[i] as Uint8Array);
        const zero = whole.indexOf(0);
        assert.deepEqual(head, Buffer.from(whole.subarray(0, head.length)));
        assert.ok(head.length >= (zero < 0 ? whole.length : zero + 1));
      }
    }),
    { numRuns: RUNS },
  );
});

test('blocks of terms: a sequence of blocks holds a list', () => {
  const terms = Array.from({ length: 3000 }, (_, i) =>
    Buffer.from(`\u0002http://example.org/thing/${String(i).padStart(5, '0')}`),
  );
  const symbols = ['http://', 'example', '.org/', 'thing/', '0', '1', '00', '2'].map((name) => Buffer.from(name));
  const seen: Uint8Array[] = [];
  for (let from = 0; from < terms.length; ) {
    const { block, count } = encodeWithKernel(terms, symbols, 8176, from);
    const whole = decodeWithKernel(block, symbols, 0, count, totalOf(terms) + 8);
    seen.push(...(whole as Uint8Array[]));
    from += count;
  }
  assertSame(seen, terms);
});

test('blocks of terms: one that is larger than a block, empty ones, and 2,048 groups', () => {
  const giant = Buffer.concat([Buffer.alloc(70_000, 97), Buffer.from('end')]);
  for (const symbols of [null, [Buffer.from('aaaaaaaa')]]) {
    const { block, count } = encodeWithKernel([giant, Buffer.from('b')], symbols, 4096);
    assert.equal(count, 1);
    assertSame(decodeWithKernel(block, symbols, 0, 1, giant.length + 8), [giant]);
  }
  const empty = Array.from({ length: 40 }, () => new Uint8Array(0));
  const { block } = encodeWithKernel(empty, null, 4096);
  assertSame(decodeWithKernel(block, null, 3, 40, 8), empty.slice(3));
  // More terms than a block may count: their groups' offsets fill the area that is kept for them.
  const same = Array.from({ length: 70_000 }, () => Buffer.from('x'));
  const many = encodeWithKernel(same, null, 1 << 20);
  assert.equal(many.count, 65_535);
});

test('blocks of terms: a range that the block does not have', () => {
  const terms = [Buffer.from('a'), Buffer.from('b')];
  const { block } = encodeWithKernel(terms, null, 4096);
  assert.equal(decodeWithKernel(block, null, 0, 3, 100), null);
  assertSame(decodeWithKernel(block, null, 1, 1, 0), []);
  for (let length = 0; length < block.length; length++) {
    assert.equal(decodeWithKernel(block.subarray(0, length), null, 0, 2, 100), null, `${length} bytes`);
  }
});

test('damaged blocks of terms: nothing is written outside, and the answer is terms or a refusal', () => {
  const damage = fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff, 0x20)), {
    minLength: 1,
    maxLength: 6,
  });
  const header = fc.array(fc.tuple(fc.constantFrom(4, 5, 6, 8, 9, 10, 11), fc.nat({ max: 255 })), { maxLength: 2 });
  fc.assert(
    fc.property(sortedTerms(80), maybeSymbols, damage, header, fc.nat(), (terms, symbols, changes, heads, a) => {
      const block = Uint8Array.from(twinBlock.encodeTermBlock(terms, symbols ?? null, 65_535).block);
      for (const [place, value] of changes) block[HEADER_BYTES + (place % (block.length - HEADER_BYTES))] = value;
      for (const [place, value] of heads) block[place] = value;
      if (symbols === null) block[6] = 0;
      const from = a % terms.length;
      decodeWithKernel(block, symbols, from, terms.length, totalOf(terms) + 8);
      decodePlaces(
        block,
        symbols,
        [from, from + 2].filter((place) => place < terms.length),
        totalOf(terms) + 8,
        true,
      );
      decodeWithKernel(block, symbols, 0, 1, totalOf(terms) + 8);
    }),
    { numRuns: 10 * RUNS },
  );
});

test('damaged blocks of terms: codes that stand for more than the block says, lengths that wrap around', () => {
  const symbols = [Buffer.from('eight by')];
  const bomb = Buffer.concat([Buffer.from([0x88, 0x27]), Buffer.alloc(5000)]);
  const trailer = Buffer.from([16, 0]);
  const head = Buffer.alloc(16);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(1, 6);
  head.writeUInt32LE(16 + bomb.length, 8);
  head.writeUInt32LE(20, 12);
  assert.equal(decodeWithKernel(Buffer.concat([head, bomb, trailer]), symbols, 0, 1, 28), null);
  for (const size of [0xffffffff, 0xfffffff0, 0x80000000]) {
    const varint = Buffer.from([0, 7, 14, 21, 28].map((shift, i) => ((size >>> shift) & 127) | (i < 4 ? 128 : 0)));
    const entry = Buffer.concat([varint, Buffer.from('abc')]);
    head.writeUInt32LE(16 + entry.length, 8);
    for (const flag of [0, 1]) {
      head.writeUInt8(flag, 6);
      assert.equal(decodeWithKernel(Buffer.concat([head, entry, trailer]), symbols, 0, 1, 28), null);
    }
  }
  head.writeUInt32LE(0xfffffffe, 8);
  assert.equal(decodeWithKernel(Buffer.concat([head, bomb, trailer]), symbols, 0, 1, 28), null);
});
