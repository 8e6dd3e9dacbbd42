/** Rows of the delta, found by their quad while they keep coming: those that were sorted, and the newest ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../bench/data/random.js';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { Memtable, writeKey } from '../../engine/storage/delta/memtable.js';
import { PACKED_KEY_DEPTH } from '../../engine/storage/runs/orders.js';
import { RowColumns } from '../../engine/storage/runs/writer.js';

const KEY_DEPTH = 4;
const SUBJECTS = 500;
const ROWS = 6000;

test('the newest row of a quad is found after every append, few rows at a time or many', () => {
  const memory = new ThreadMemory();
  const random = new Random(5);
  const set = new Memtable(memory);
  const newest = new Map<number, number>();
  const key = memory.allocate(8 * PACKED_KEY_DEPTH);
  const part = new RowColumns(memory, 2000);
  const put = (column: number, row: number, value: number): void => {
    const at = ((part.addresses[column] as number) >>> 2) + 2 * row;
    memory.words[at] = value;
    memory.words[at + 1] = 0;
  };
  const find = (subject: number, depth: number, tx = 0): number => {
    for (const [column, value] of [subject, 7, subject % 3, 1, tx].entries()) put(column, 0, value);
    writeKey(memory, 'SPOG', part.addresses, 0, key);
    return set.find(key, depth);
  };
  assert.equal(find(1, KEY_DEPTH), -1);
  for (let tx = 1; set.count < ROWS; tx++) {
    const count = tx % 40 === 0 ? 1500 : 1 + random.below(20);
    const added = [...new Set(Array.from({ length: count }, () => random.below(SUBJECTS)))];
    for (const [row, subject] of added.entries()) {
      for (const [column, value] of [subject, 7, subject % 3, 1, tx].entries()) put(column, row, value);
      newest.set(subject, set.count + row);
    }
    set.append(part, 0, added.length);
    for (let asked = 0; asked < 20; asked++) {
      const subject = random.below(SUBJECTS + 20);
      assert.equal(find(subject, KEY_DEPTH), newest.get(subject) ?? -1, `${subject} after ${tx}`);
    }
    const [subject] = added as [number];
    assert.equal(find(subject, PACKED_KEY_DEPTH, tx), newest.get(subject));
    assert.equal(find(subject, PACKED_KEY_DEPTH, tx + 1), -1);
    if (tx % 30 === 0) assert.equal(set.sorted('SPOG').count, set.count);
  }
  set.release();
});
