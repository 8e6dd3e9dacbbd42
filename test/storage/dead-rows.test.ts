/** Lists of dead rows: stored form, damage, and counts against linear ones. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SvcError } from '../../engine/base/errors.js';
import {
  type DeadBlock,
  DeletionVector,
  decodeDeletionVector,
  encodeDeletionVector,
  withDead,
} from '../../engine/storage/runs/deletion-vector.js';
import { BATCH_ROWS } from '../../engine/storage/seam/scan.js';

const RUNS = Number(process.env.SVC_FUZZ_RUNS ?? 100);
const BLOCKS = 12;

const rowsOfBlock = fc.oneof(
  fc.uniqueArray(fc.nat(BATCH_ROWS - 1), { maxLength: 20 }),
  // About the length from which on a bitmap is stored.
  fc.integer({ min: 250, max: 260 }).map((count) => Array.from({ length: count }, (_, i) => (i * 13) % BATCH_ROWS)),
  fc.constant(Array.from({ length: BATCH_ROWS }, (_, i) => i)),
);

const deadBlocks: fc.Arbitrary<DeadBlock[]> = fc
  .uniqueArray(fc.tuple(fc.nat(BLOCKS - 1), rowsOfBlock), { maxLength: 6, selector: ([block]) => block })
  .map((entries) =>
    entries
      .filter(([, rows]) => rows.length > 0)
      .sort((a, b) => a[0] - b[0])
      .map(([block, rows]) => ({ block, rows: Uint16Array.from(rows).sort() })),
  );

const plain = (dead: DeletionVector) => dead.entries().map(({ block, rows }) => [block, [...rows]]);

test('what is stored comes back', () => {
  fc.assert(
    fc.property(deadBlocks, (entries) => {
      const dead = new DeletionVector(BLOCKS, entries);
      const back = decodeDeletionVector(encodeDeletionVector(dead), BLOCKS, 'a run');
      assert.deepEqual(plain(back), plain(dead));
      assert.equal(back.rows, dead.rows);
    }),
    { numRuns: RUNS },
  );
});

test('counts before a row are those of a list', () => {
  fc.assert(
    fc.property(deadBlocks, fc.nat(BLOCKS), fc.nat(BATCH_ROWS), (entries, block, row) => {
      const dead = new DeletionVector(BLOCKS, entries);
      const all = entries.flatMap((entry) => [...entry.rows].map((number) => [entry.block, number] as const));
      const before = all.filter(([b, r]) => b < block || (b === block && r < row)).length;
      assert.equal(dead.before(block, row), before);
      assert.deepEqual(
        [...dead.of(block)],
        all.filter(([b]) => b === block).map(([, r]) => r),
      );
    }),
    { numRuns: RUNS },
  );
});

test('more rows die; a row dies once', () => {
  fc.assert(
    fc.property(deadBlocks, fc.integer({ min: 1, max: 5 }), (entries, share) => {
      const part = (keep: (i: number) => boolean): DeadBlock[] =>
        entries.map(({ block, rows }) => ({ block, rows: rows.filter((_, i) => keep(i)) }));
      const first = withDead(
        null,
        BLOCKS,
        part((i) => i % (share + 1) === 0),
      );
      const both = withDead(
        first,
        BLOCKS,
        part((i) => i % (share + 1) !== 0),
      );
      assert.deepEqual(plain(both), plain(new DeletionVector(BLOCKS, entries)));
      if (entries.length > 0) assert.throws(() => withDead(both, BLOCKS, entries), /was not dead yet/);
    }),
    { numRuns: RUNS },
  );
  assert.throws(() => withDead(null, 2, [{ block: 2, rows: Uint16Array.of(0) }]), /is one of the run's 2/);
});

test('every changed byte, every shorter value and the value of another run are damage', () => {
  const full = Uint16Array.from({ length: 300 }, (_, i) => 2 * i);
  const dead = new DeletionVector(BLOCKS, [
    { block: 1, rows: Uint16Array.of(0, 7, 4095) },
    { block: 5, rows: full },
  ]);
  const stored = encodeDeletionVector(dead);
  const corrupt = (value: Buffer | undefined, blocks = BLOCKS): void => {
    const isCorrupt = (error: unknown) => error instanceof SvcError && error.code === 'store_corrupt';
    assert.throws(() => decodeDeletionVector(value, blocks, 'a run'), isCorrupt);
  };
  for (let at = 0; at < stored.length; at++) {
    const changed = Buffer.from(stored);
    changed[at] = (changed[at] as number) ^ 0x41;
    corrupt(changed);
  }
  for (let length = 0; length < stored.length; length += 7) corrupt(stored.subarray(0, length));
  corrupt(undefined);
  corrupt(stored, BLOCKS + 1);
});
