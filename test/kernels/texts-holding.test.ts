/** The kernel that looks for a text in others, held against its plain twin. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { randomNumbers } from '../storage/scan-support.js';
import * as twin from './twins/texts-holding.js';

test('texts that hold another are found wherever it stands in them', () => {
  const next = randomNumbers(11);
  for (let round = 0; round < 400; round++) {
    const memory = round % 50 === 0 ? new ThreadMemory() : kept;
    kept = memory;
    const letters = 1 + next(4);
    const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, () => 0x61 + next(letters));
    const texts = Array.from({ length: 1 + next(40) }, () => bytesOf(next(3) === 0 ? next(4) : next(70)));
    const from = texts[next(texts.length)] as Uint8Array;
    const begin = next(from.length + 1);
    // A part of one of the texts, or of two of them that stand side by side, or any bytes.
    const part = from.slice(begin, begin + 1 + next(20));
    const sought = part.length > 0 && next(4) > 0 ? part : bytesOf(1 + next(20));
    const places = texts.map((_, at) => at).filter(() => next(3) > 0);
    const size = texts.reduce((sum, { length }) => sum + length, 0);
    const [text, ends, list, wanted] = [size, 4 * texts.length, 4 * places.length, sought.length].map((bytes) =>
      memory.allocate(bytes),
    ) as [number, number, number, number];
    let at = 0;
    for (const [place, one] of texts.entries()) {
      memory.bytes.set(one, text + at);
      at += one.length;
      memory.words[ends / 4 + place] = at;
    }
    // What stands behind the last text is none of it.
    memory.bytes.fill(0x61, text + size, text + size + 32);
    memory.wordsAt(list, places.length).set(places);
    memory.bytes.set(sought, wanted);
    const left = memory.kernels.keepHolding(text, ends, list, places.length, wanted, sought.length);
    assert.deepEqual([...memory.wordsAt(list, left)], twin.keepHolding(texts, places, sought));
    for (const [address, bytes] of [
      [text, size],
      [ends, 4 * texts.length],
      [list, 4 * places.length],
      [wanted, sought.length],
    ] as const) {
      memory.free(address, bytes);
    }
  }
});

let kept = new ThreadMemory();
