/** The kernels that find rows of vectors by their entities, held against their plain twin. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { randomNumbers } from '../storage/scan-support.js';
import * as twin from './twins/vector-rows.js';

test('rows are found by their entities, and their places by the rows', () => {
  const next = randomNumbers(21);
  const memory = new ThreadMemory();
  const { kernels } = memory;
  for (let round = 0; round < 60; round++) {
    const [first, span, count] = [1000n, 1 + next(300), 1 + next(400)];
    const entities = Array.from({ length: count }, () => next(span));
    const idOf = (entity: number): bigint => (0x20n << 56n) | (first + BigInt(entity));
    const words = Math.ceil(count / 64);
    const ids = memory.allocate(8 * count);
    memory.bigsAt(ids, count).set(BigUint64Array.from(entities, idOf));
    const [last, before] = [memory.allocate(4 * span), memory.allocate(4 * count)];
    memory.wordsAt(last, span).fill(0);
    // Rows come in two parts; what lies outside of the table is told.
    const half = next(count + 1);
    const [begin, size] = [first, BigInt(span)];
    assert.equal(kernels.linkRows(ids, 0, half, begin, size, last, before), 1);
    assert.equal(kernels.linkRows(ids, half, count, begin, size, last, before), 1);
    assert.equal(kernels.linkRows(ids, 0, count, begin, BigInt(Math.max(...entities)), last, before), 0);
    memory.wordsAt(last, span).fill(0);
    kernels.linkRows(ids, 0, count, begin, size, last, before);
    const wanted = Array.from({ length: next(40) }, () => next(span + 20));
    const asked = memory.allocate(8 * wanted.length);
    memory.bigsAt(asked, wanted.length).set(BigUint64Array.from(wanted, idOf));
    const bits = memory.allocate(8 * words);
    memory.bytes.fill(0, bits, bits + 8 * words);
    const rows = next(count + 1);
    const numberWords = Math.ceil(span / 64);
    const numberBits = memory.allocate(8 * numberWords);
    memory.bytes.fill(0, numberBits, numberBits + 8 * numberWords);
    kernels.markLinkedRows(asked, wanted.length, begin, size, last, before, rows, numberBits, bits);
    assert.deepEqual(bitsAt(memory, numberBits, numberWords), []);
    const expected = twin.rowsOf(entities, wanted, rows);
    assert.deepEqual(bitsAt(memory, bits, words), expected);
    // Rows `[from, count)` are in a segment, in another order.
    const from = next(count);
    const order = Array.from({ length: count - from }, (_, at) => from + at).sort(() => next(3) - 1);
    const numbers = memory.allocate(4 * order.length);
    memory.wordsAt(numbers, order.length).set(order);
    const [places, placeBits] = [memory.allocate(4 * order.length), memory.allocate(8 * words)];
    memory.bytes.fill(0, placeBits, placeBits + 8 * words);
    const cut = next(order.length + 1);
    kernels.invertPlaces(numbers, cut, 0, from, places);
    kernels.invertPlaces(numbers + 4 * cut, order.length - cut, cut, from, places);
    kernels.markPlaces(bits, from, count, places, placeBits);
    const standing = twin.placesOf(order, expected);
    assert.deepEqual(bitsAt(memory, placeBits, words), standing);
    const [low, high] = [next(order.length + 1), next(order.length + 1)].sort((a, b) => a - b) as [number, number];
    const list = memory.allocate(4 * order.length);
    const listed = kernels.listPlaces(placeBits, low, high, low, list);
    const within = standing.filter((place) => place >= low && place < high).map((place) => place - low);
    assert.deepEqual([...memory.wordsAt(list, listed)], within);
    const others = memory.allocate(8 * words);
    memory.bytes.fill(0x0f, others, others + 8 * words);
    kernels.keepBits(bits, others, words);
    assert.deepEqual(
      bitsAt(memory, bits, words),
      expected.filter((row) => row % 8 < 4),
    );
  }
});

function bitsAt(memory: ThreadMemory, address: number, words: number): number[] {
  return Array.from({ length: 64 * words }, (_, at) => at).filter(
    (at) => (((memory.bytes[address + (at >>> 3)] as number) >>> (at & 7)) & 1) === 1,
  );
}
