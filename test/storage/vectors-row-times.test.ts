/** Times of rows are kept by words, and a word whose rows have the same is kept as one: what passes is what each row says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { RowTimes } from '../../engine/storage/indexes/vectors/row-times.js';
import { randomNumbers } from './scan-support.js';

test('rows are kept by their times, whether those of a word are the same, differ, or do not fill it', () => {
  const memory = new ThreadMemory();
  const times = new RowTimes(memory);
  const next = randomNumbers(11);
  const rows: { readonly tx: number; readonly validFrom: number }[] = [];
  const bits = memory.allocate(128);
  const before = memory.liveBytes;
  let checks = 0;
  const check = (column: 'tx' | 'validFrom', most: number): void => {
    const words = Math.ceil(rows.length / 64);
    memory.bytes.fill(0xff, bits, bits + 128);
    times.keepAtMost(column, words, most, bits);
    const kept = rows.map((_, row) => ((memory.bytes[bits + (row >> 3)] as number) >> (row & 7)) & 1);
    assert.deepEqual(
      kept,
      rows.map((row) => (row[column] <= most ? 1 : 0)),
      `${column} <= ${most}, ${rows.length} rows`,
    );
  };
  // One load of 200 rows, then rows of their own, then another load, as instants that no 32 bits hold.
  for (let row = 0; row < 900; row++) {
    const tx = row < 200 ? 5 : row < 500 ? 6 + next(9) : 40;
    const one = { tx, validFrom: row < 500 ? 1_700_000_000_000 + tx : 1_800_000_000_000 };
    times.add(one);
    rows.push(one);
    if (row % 37 !== 0 && row !== 899 && (row + 1) % 64 !== 0) continue;
    for (const most of [0, 5, 9, 39, 40]) check('tx', most);
    for (const most of [0, 1_700_000_000_009, 1_799_999_999_999, 1_800_000_000_000]) check('validFrom', most);
    checks++;
  }
  assert.ok(checks > 20 && times.count === 900);
  // Five words have some of the rows 200 to 499, and numbers of their own: one slab. Others, however many they are, have none.
  const kept = memory.liveBytes - before;
  assert.ok(kept > 0 && kept <= 48 * 1024, `${kept} bytes are kept`);
  for (let row = 0; row < 64_000; row++) times.add({ tx: 41, validFrom: 1_900_000_000_000 });
  assert.equal(memory.liveBytes - before, kept);
});
