/** The kernel that looks for a text in others, held against its plain twin. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { randomNumbers } from '../storage/scan-support.js';
import * as twin from './twins/texts-holding.js';

test('texts that hold another are found wherever it stands in them, as far as their chunks are there', () => {
  const next = randomNumbers(11);
  for (let round = 0; round < 400; round++) {
    const memory = round % 50 === 0 ? new ThreadMemory() : kept;
    kept = memory;
    const letters = 1 + next(4);
    const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, () => 0x61 + next(letters));
    const chunks = 1 + next(4);
    const all = Array.from({ length: 1 + next(40) }, () => bytesOf(next(3) === 0 ? next(4) : next(70)));
    const texts = new Map<number, Uint8Array[]>();
    for (let chunk = 0; chunk < chunks; chunk++) {
      if (next(4) > 0)
        texts.set(
          chunk,
          Array.from({ length: 1 + next(20) }, () => all[next(all.length)] as Uint8Array),
        );
    }
    const whole = all[next(all.length)] as Uint8Array;
    const begin = next(whole.length + 1);
    // A part of one of the texts, or any bytes.
    const part = whole.slice(begin, begin + 1 + next(20));
    const sought = part.length > 0 && next(4) > 0 ? part : bytesOf(1 + next(20));
    const numbers = Array.from({ length: chunks }, (_, chunk) =>
      (texts.get(chunk) ?? [bytesOf(1)]).map((_, place) => chunk * twin.CHUNK_NUMBERS + place),
    )
      .flat()
      .filter(() => next(3) > 0);
    const areas: [number, number][] = [];
    const area = (bytes: number): number => {
      const address = memory.allocate(bytes);
      areas.push([address, bytes]);
      return address;
    };
    const table = area(8 * chunks);
    memory.wordsAt(table, 2 * chunks).fill(0);
    for (const [chunk, own] of texts) memory.words[table / 4 + 2 * chunk] = laid(memory, own, area);
    const [list, wanted, state] = [area(4 * numbers.length), area(sought.length), area(4 * 66)];
    memory.wordsAt(list, numbers.length).set(numbers);
    memory.bytes.set(sought, wanted);
    let [at, count] = [0, 0];
    while (at < numbers.length) {
      memory.words[state / 4] = count;
      const told = twin.keepHolding(texts, numbers, at, sought);
      const now = 1 + next(1000);
      at = memory.kernels.keepHolding(table, now, list, at, numbers.length, wanted, sought.length, state);
      assert.equal(at, told.next);
      const found = memory.words[state / 4] as number;
      assert.deepEqual([...memory.wordsAt(list + 4 * count, found - count)], told.kept);
      for (const chunk of told.asked) assert.equal(memory.words[table / 4 + 2 * chunk + 1], now);
      count = found;
      at++;
    }
    for (const [address, bytes] of areas) memory.free(address, bytes);
  }
});

/** A chunk: where texts end, and the texts. What stands behind the last is none of it. */
function laid(memory: ThreadMemory, texts: readonly Uint8Array[], area: (bytes: number) => number): number {
  const size = texts.reduce((sum, { length }) => sum + length, 0);
  const address = area(4 * twin.CHUNK_NUMBERS + size);
  let at = 0;
  for (const [place, text] of texts.entries()) {
    memory.bytes.set(text, address + 4 * twin.CHUNK_NUMBERS + at);
    at += text.length;
    memory.words[address / 4 + place] = at;
  }
  memory.bytes.fill(0x61, address + 4 * twin.CHUNK_NUMBERS + size, address + 4 * twin.CHUNK_NUMBERS + size + 32);
  return address;
}

let kept = new ThreadMemory();
