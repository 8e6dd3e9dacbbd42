/** The memory that the second thread of a load gets for a sort is enough for it, whatever the number of terms. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { sortBytes, sortTermList } from '../../engine/storage/dictionary/segment-writer.js';

test('a sort fits the memory that is set aside for it', () => {
  const memory = new ThreadMemory();
  // Counts on both sides of every size class of the areas.
  const counts = new Set<number>();
  for (let power = 6; power <= 18; power++) {
    for (const factor of [1, 1.5, 0.5, 0.75])
      for (const off of [-9, 0, 9]) counts.add(Math.floor(2 ** power * factor) + off);
  }
  for (const count of [...counts].filter((n) => n > 1)) {
    // One byte a term: all of them kind 2 without text but its number's low byte.
    const arena = memory.allocate(2 * count);
    const offsets = memory.allocate(4 * (count + 1));
    const list = memory.allocate(4 * count);
    const bytes = memory.bytesAt(arena, 2 * count);
    const ends = memory.wordsAt(offsets, count + 1);
    const entries = memory.wordsAt(list, count);
    for (let i = 0; i < count; i++) {
      bytes[2 * i] = 2;
      bytes[2 * i + 1] = (i * 7) & 255;
      ends[i] = 2 * i;
      entries[i] = i;
    }
    ends[count] = 2 * count;
    const room = sortBytes(count);
    const from = memory.allocate(room);
    const own = new ThreadMemory(memory.memory, { from, to: from + room });
    assert.ok(sortTermList(own, { arena, offsets, codes: 0 }, list, count), `${count} terms`);
    const sorted = [...memory.wordsAt(list, count)].map((i) => bytes[2 * i + 1] as number);
    assert.ok(
      sorted.every((byte, i) => i === 0 || (sorted[i - 1] as number) <= byte),
      `${count} terms in order`,
    );
    memory.free(from, room);
    memory.free(arena, 2 * count);
    memory.free(offsets, 4 * (count + 1));
    memory.free(list, 4 * count);
  }
});
