/** Blocks of the hash index: kernel = twin, on hashes that fall together and on hashes that are not there. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import * as twin from './twins/hash-index.js';
import { RUNS, U64_MAX, u64 } from './values.js';

const areas = new Areas();
const { kernels } = areas;

/** Hashes of which some share a block and a tag, and some all of their upper half. */
const hash = fc.oneof(
  u64,
  fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 })).map(([high, low]) => (BigInt(high) << 60n) | (BigInt(low) << 33n)),
);
const blockCount = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(1000, 0xffffffff));

interface Index {
  readonly entries: readonly twin.HashEntry[];
  readonly blocks: number;
  readonly width: number;
}

const index: fc.Arbitrary<Index> = fc
  .tuple(
    fc.array(hash, { maxLength: 120 }),
    blockCount,
    fc.integer({ min: 1, max: 32 }),
    fc.infiniteStream(fc.nat({ max: 0xffffffff })),
  )
  .map(([hashes, blocks, width, numbers]) => ({
    entries: [...hashes]
      .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      .map((one) => ({ hash: one, number: (numbers.next().value as number) % 2 ** width })),
    blocks,
    width,
  }));

function inBlock({ entries, blocks }: Index, block: number): twin.HashEntry[] {
  return entries.filter((entry) => twin.hashBlock(entry.hash, blocks) === block);
}

function usedBlocks({ entries, blocks }: Index): number[] {
  return [...new Set(entries.map((entry) => twin.hashBlock(entry.hash, blocks)))];
}

test('hashBlock: kernel = twin', () => {
  fc.assert(
    fc.property(hash, blockCount, (one, blocks) => {
      const block = kernels.hashBlock(one, blocks) >>> 0;
      assert.equal(block, twin.hashBlock(one, blocks));
      assert.ok(block < blocks);
    }),
    { numRuns: 5 * RUNS },
  );
  assert.equal(kernels.hashBlock(U64_MAX, 1), 0);
});

test('blocks are written and read as the twin does, one behind the other', () => {
  fc.assert(
    fc.property(index, (made) => {
      const { entries, blocks, width } = made;
      areas.run(() => {
        const hashes = areas.bigs(entries.map((entry) => entry.hash));
        const numbers = areas.words(entries.map((entry) => entry.number));
        let from = 0;
        for (const block of usedBlocks(made)) {
          const own = inBlock(made, block);
          const expected = twin.encodeHashBlock(own, blocks, width);
          const out = areas.zeroed(expected.length);
          const lengthAt = areas.area(4);
          const taken = kernels.encodeHashBlock(
            hashes,
            numbers,
            from,
            entries.length,
            blocks,
            block,
            width,
            out,
            lengthAt,
          );
          assert.equal(taken, own.length);
          assert.deepEqual(areas.readWords(lengthAt, 1), [expected.length]);
          assert.deepEqual(areas.readBytes(out, expected.length), expected);
          from += taken;
          const listed = areas.area(8 * own.length);
          assert.equal(kernels.listHashBlock(out, listed), own.length);
          const pairs = twin.listHashBlock(expected).flatMap(({ tag, number }) => [tag, number]);
          assert.deepEqual(areas.readWords(listed, 2 * own.length), pairs);
        }
        assert.equal(from, entries.length);
      });
    }),
    { numRuns: RUNS },
  );
});

test('an empty block', () => {
  areas.run(() => {
    const expected = twin.encodeHashBlock([], 7, 20);
    const out = areas.zeroed(expected.length);
    const lengthAt = areas.area(4);
    assert.equal(kernels.encodeHashBlock(areas.bigs([]), areas.words([]), 0, 0, 7, 3, 20, out, lengthAt), 0);
    assert.deepEqual(areas.readWords(lengthAt, 1), [expected.length]);
    assert.deepEqual(areas.readBytes(out, expected.length), expected);
    assert.equal(kernels.findInHashBlock(out, 5n, 7, areas.area(0), 0), 0);
    assert.equal(kernels.listHashBlock(out, areas.area(0)), 0);
  });
});

test('lookups of hashes that are there and that are not, with any room', () => {
  fc.assert(
    fc.property(index, fc.array(hash, { maxLength: 20 }), fc.nat({ max: 8 }), (made, absent, room) => {
      const { blocks, width } = made;
      const wanted = [...made.entries.map((entry) => entry.hash), ...absent];
      areas.run(() => {
        for (const one of wanted) {
          const block = twin.encodeHashBlock(inBlock(made, twin.hashBlock(one, blocks)), blocks, width);
          const expected = twin.findInHashBlock(block, one, blocks);
          const at = areas.bytes(block);
          const out = areas.area(4 * expected.length);
          assert.deepEqual(areas.readWords(out, kernels.findInHashBlock(at, one, blocks, out, 1000)), expected);
          const some = areas.area(4 * room);
          const found = kernels.findInHashBlock(at, one, blocks, some, room);
          assert.deepEqual(areas.readWords(some, found), expected.slice(0, room));
        }
      });
    }),
    { numRuns: RUNS / 2 },
  );
});

test('lookups of a sorted list at once = lookups one by one', () => {
  fc.assert(
    fc.property(index, fc.array(hash, { maxLength: 60 }), fc.nat({ max: 1000 }), (made, absent, first) => {
      const { blocks, width } = made;
      const asked = [...made.entries.filter((_, i) => i % 3 !== 0).map((entry) => entry.hash), ...absent];
      asked.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const list = asked.map((_, i) => first + 7 * i);
      areas.run(() => {
        const hashes = areas.bigs(asked);
        const listAt = areas.words(list);
        for (let from = 0; from < asked.length; ) {
          const number = twin.hashBlock(asked[from] as bigint, blocks);
          let to = from;
          while (to < asked.length && twin.hashBlock(asked[to] as bigint, blocks) === number) to++;
          const block = twin.encodeHashBlock(inBlock(made, number), blocks, width);
          const expected = asked
            .slice(from, to)
            .flatMap((one, i) => twin.findInHashBlock(block, one, blocks).flatMap((found) => [list[from + i], found]));
          const out = areas.area(4 * expected.length);
          const pairs = kernels.probeHashBlock(areas.bytes(block), blocks, hashes, listAt, from, to, out);
          assert.equal(2 * pairs, expected.length);
          assert.deepEqual(areas.readWords(out, 2 * pairs), expected);
          from = to;
        }
      });
    }),
    { numRuns: RUNS },
  );
});
