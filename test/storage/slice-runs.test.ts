/** Slices of time that are asked about again and again: what reading them costs, and that nothing else changes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { instantToColumn, type TermId } from '../../engine/storage/ids/layout.js';
import type { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { BlockReader } from '../../engine/storage/runs/block-reader.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { BATCH_ROWS, COLUMNS, type TimeSlice } from '../../engine/storage/seam/scan.js';
import { ALL, complete, drain, exactly, type IdRow, idOf, node, quad, readBatch, scan, typed } from './scan-support.js';
import { month, write } from './stage-support.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const FACTS = 12_000;
const STATES = 4;
/** Least number of blocks that hold all facts. */
const BLOCKS = Math.ceil(FACTS / BATCH_ROWS);
const [PAST, MIXED]: readonly TimeSlice[] = [
  { kind: 'asOf', tx: 2 },
  { kind: 'asOfValidAt', tx: 2, validAt: month(2) },
];

const factOf = (number: number, value: number) =>
  quad(node(`s${number}`), node(`p${number % 2}`), typed(String(2 * number + value), 'integer'));

/** Every fact with one value, and transactions that each give a third of them the other, all in runs. */
async function withHistory(work: (engine: StorageEngine) => Promise<void>): Promise<void> {
  const engine = await openLmdbEngine(folder.fresh());
  const facts = Array.from({ length: FACTS }, (_, number) => number);
  await write(engine, { assert: facts.map((number) => factOf(number, 0)), timestamp: month(1) });
  for (let tx = 2; tx <= STATES; tx++) {
    const changed = facts.filter((number) => number % (STATES - 1) === tx - 2);
    const [retract, asserted] = [0, 1].map((value) => changed.map((number) => factOf(number, value)));
    await write(engine, { retract, assert: asserted, timestamp: month(tx) });
  }
  await engine.fold({}, true);
  await work(engine);
  await engine.close();
}

/** What a scan of a slice reads, by a snapshot of its own. */
function read(engine: StorageEngine, time: TimeSlice): { readonly rows: readonly IdRow[]; readonly blocks: number } {
  const snapshot = engine.snapshot();
  const rows = scan(snapshot, { time, order: 'SPOG', columns: COLUMNS });
  const blocks = snapshot.counters.blocksRead;
  snapshot.close();
  return { rows, blocks };
}

/** Asks until what is asked reads no more than the present would; how often that was. */
function readUntilGathered(engine: StorageEngine, time: TimeSlice): number {
  for (let times = 1; times <= 40; times++) if (read(engine, time).blocks === BLOCKS) return times;
  return assert.fail('the slice is gathered');
}

for (const time of [PAST, MIXED] as TimeSlice[]) {
  test(`a slice of ${time.kind} that is read often reads what it shows, and shows the same`, async () => {
    await withHistory(async (engine) => {
      const first = read(engine, time);
      assert.equal(first.rows.length, FACTS);
      assert.ok(first.blocks > BLOCKS, `${first.blocks} blocks hold more than the slice`);
      const values = first.rows.map((row) => Number(BigInt.asUintN(48, row[2] as TermId)) & 1);
      assert.equal(values.filter((value) => value === 1).length, FACTS / (STATES - 1));
      const times = readUntilGathered(engine, time);
      assert.ok(times > 4, `gathered after ${times} times: not for a few questions`);
      assert.deepEqual(read(engine, time).rows, first.rows, 'the rows with all their times');
      const snapshot = engine.snapshot();
      const { blocksRead } = snapshot.counters;
      assert.equal(snapshot.count(complete({ time })), FACTS);
      assert.deepEqual(snapshot.estimate(complete({ time })), { rows: FACTS, exact: true });
      assert.equal(snapshot.counters.blocksRead, blocksRead, 'a count reads the directory');
      const other = read(engine, { kind: 'asOf', tx: 1 }).rows;
      assert.ok(other.length === FACTS && other.every((row) => row[4] === 1n), 'another time has its own rows');
      snapshot.close();
    });
  });
}

test('a gathered slice knows what came later only as far as it is asked to', async () => {
  await withHistory(async (engine) => {
    const at: TimeSlice = { kind: 'validAt', validAt: month(STATES) + 1 };
    readUntilGathered(engine, at);
    const before = read(engine, at).rows;
    const stays = engine.snapshot();
    await write(engine, { retract: [factOf(0, 1)], assert: [factOf(0, 0)], timestamp: month(STATES) + 1 });
    await write(engine, { retract: [factOf(1, 1)], timestamp: month(STATES + 2) });
    const after = read(engine, at).rows;
    assert.equal(after.length, before.length, 'one value went and another came, and one holds until later');
    assert.notDeepEqual(after, before);
    const counted = engine.snapshot();
    assert.equal(counted.count(complete({ time: at })), after.length);
    assert.equal(
      counted.counters.blocksRead,
      0,
      'what was changed since is counted in the delta, the rest in the directory',
    );
    counted.close();
    assert.deepEqual(scan(stays, { time: at, order: 'SPOG', columns: COLUMNS }), before, 'a snapshot of before');
    stays.close();
  });
});

test('who reads a gathered slice reads it to its end, whatever becomes of it', async () => {
  await withHistory(async (engine) => {
    const first = read(engine, PAST as TimeSlice).rows;
    readUntilGathered(engine, PAST as TimeSlice);
    const reader = engine.snapshot();
    const cursor = reader.scan(complete({ time: PAST as TimeSlice, order: 'SPOG', columns: COLUMNS }));
    const rows = [...(readBatch(cursor, COLUMNS) as IdRow[])];
    await write(engine, { assert: [quad(node('late'), node('p'), node('o'))], timestamp: month(9) });
    await engine.fold({}, true);
    // The newest manifest is asked, so that what was kept of the one before goes, and blocks are made over it.
    for (let times = 0; times < 8; times++) assert.deepEqual(read(engine, PAST as TimeSlice).rows, first);
    rows.push(...drain(cursor, COLUMNS));
    assert.deepEqual(rows, first);
    reader.close();
    assert.deepEqual(read(engine, PAST as TimeSlice).rows, first);
  });
});

test('keys are looked up in a gathered slice as in the runs', async () => {
  await withHistory(async (engine) => {
    const ask = (): { readonly found: string[]; readonly blocks: number } => {
      const snapshot = engine.snapshot();
      const keys = [1, 5, 77, 4000, 11_999].map((number) => idOf(snapshot, node(`s${number}`)));
      const probe = snapshot.probe({
        graphs: ALL,
        pattern: { p: exactly(idOf(snapshot, node('p1'))) },
        order: 'SPOG',
        time: PAST as TimeSlice,
        keys: ['s'],
        columns: ['o', 'txFrom'],
      });
      const column = new BigUint64Array(keys.sort((a, b) => (a < b ? -1 : 1)));
      probe.begin([new Uint32Array(column.buffer)], keys.length);
      const found: string[] = [];
      for (let batch = probe.next(); batch !== null; batch = probe.next()) {
        const { o, txFrom } = batch.columns;
        for (let row = 0; row < batch.rows; row++)
          found.push(`${batch.keys[row]} ${o?.[2 * row]} ${txFrom?.[2 * row]}`);
      }
      const { blocksRead: blocks } = snapshot.counters;
      snapshot.close();
      return { found, blocks };
    };
    const before = ask();
    assert.equal(before.found.length, 4, 'one of the subjects has the other predicate');
    readUntilGathered(engine, PAST as TimeSlice);
    const after = ask();
    assert.deepEqual(after.found, before.found);
    assert.ok(after.blocks < before.blocks, `${after.blocks} blocks instead of ${before.blocks}`);
  });
});

test('when one order of a slice is gathered, the others follow, and plans are told', async () => {
  await withHistory(async (engine) => {
    const time = PAST as TimeSlice;
    const before = engine.snapshot();
    const { layout } = before;
    assert.ok((before.estimate(complete({ time })).parts ?? 1) > 1, 'the runs of a slice are several parts');
    before.close();
    readUntilGathered(engine, time);
    // Each question goes on with what is due.
    for (let times = 0; times < 30; times++) read(engine, time);
    const after = engine.snapshot();
    assert.equal(after.layout, (layout ?? 0) + 3, 'three orders of one graph');
    assert.equal(after.estimate(complete({ time })).parts ?? 1, 1);
    for (const order of ['POSG', 'OSPG'] as const) {
      const { blocksRead } = after.counters;
      assert.equal(scan(after, { time, order }).length, FACTS);
      assert.equal(after.counters.blocksRead - blocksRead, BLOCKS, order);
    }
    after.close();
  });
});

test('estimates of the past: exact for few rows, close for many', async () => {
  await withHistory(async (engine) => {
    const snapshot = engine.snapshot();
    for (const time of [PAST, MIXED, { kind: 'asOf', tx: 1 }, { kind: 'validAt', validAt: month(3) }] as TimeSlice[]) {
      const few = complete({ time, pattern: { s: exactly(idOf(snapshot, node('s7'))) } });
      const { rows: guess, exact } = snapshot.estimate(few);
      assert.deepEqual([guess, exact], [snapshot.count(few), true]);
      for (const pattern of [{}, { p: exactly(idOf(snapshot, node('p1'))) }]) {
        const many = complete({ time, pattern });
        const [rows, guess] = [snapshot.count(many), snapshot.estimate(many).rows];
        assert.ok(guess > 0.8 * rows && guess < 1.25 * rows, `${guess} for ${rows} rows of ${time.kind}`);
      }
    }
    const none = complete({ time: { kind: 'validAt', validAt: month(1) - 1 } });
    const nothing = snapshot.estimate(none);
    assert.deepEqual([nothing.rows, nothing.exact], [0, true]);
    snapshot.close();
  });
});

test('blocks that are kept take up to half of the room, and leave it as they found it', () => {
  const memory = new ThreadMemory();
  const file = { read: () => undefined } as unknown as LmdbFile;
  const reader = new BlockReader(file, memory, 4000);
  const before = memory.liveBytes;
  const first = reader.reserve(3 * BATCH_ROWS);
  for (let at = 0; at < 3; at++) reader.keep(first + at, new Uint8Array(600).fill(at + 1));
  assert.equal(memory.bytesAt(reader.load(first + 1, undefined), 600)[599], 2);
  assert.equal(reader.hasRoom(200), true);
  assert.equal(reader.hasRoom(201), false);
  assert.ok(reader.reserve(1) >= first + 3, 'numbers are given once');
  reader.forget(first, 3);
  assert.equal(memory.liveBytes, before);
  assert.equal(reader.hasRoom(2000), true);
  assert.throws(
    () => reader.load(first, undefined),
    (error) => error instanceof SvcError && error.code === 'store_corrupt',
  );
});

/** Every fact holds from the beginning, and a third of them were also stated later, for a while before they were closed. */
async function withRepeats(work: (engine: StorageEngine) => Promise<void>): Promise<void> {
  const engine = await openLmdbEngine(folder.fresh());
  const facts = Array.from({ length: FACTS }, (_, number) => factOf(number, 0));
  await write(engine, { assert: facts, timestamp: month(1) });
  for (let round = 0; round < 3; round++) {
    const some = facts.filter((_, number) => number % 3 === round);
    await write(engine, { retract: some, timestamp: month(6) });
    // Back-dated, so that in the months between two rows of each hold.
    await write(engine, { assert: some, timestamp: month(3) });
  }
  await engine.fold({}, true);
  await work(engine);
  await engine.close();
}

test('of quads that hold through several rows at once one is gathered, and who asks for times sees all', async () => {
  await withRepeats(async (engine) => {
    const time: TimeSlice = { kind: 'validAt', validAt: month(4) };
    const ask = () => {
      const snapshot = engine.snapshot();
      const rows = scan(snapshot, { time, order: 'SPOG', columns: ['s', 'p', 'o', 'g'] });
      const blocks = snapshot.counters.blocksRead;
      snapshot.close();
      return { rows, blocks };
    };
    const first = ask();
    assert.equal(first.rows.length, FACTS);
    assert.ok(first.blocks >= 2 * BLOCKS, `${first.blocks} blocks: two rows of each fact`);
    const timed = read(engine, time).rows;
    assert.equal(timed.length, 2 * FACTS);
    let last = first;
    for (let times = 0; times < 40 && last.blocks !== BLOCKS; times++) last = ask();
    assert.equal(last.blocks, BLOCKS, 'the slice is gathered');
    assert.deepEqual(last.rows, first.rows);
    assert.deepEqual(read(engine, time).rows, timed);
    const snapshot = engine.snapshot();
    const { blocksRead } = snapshot.counters;
    assert.equal(snapshot.count(complete({ time })), FACTS);
    assert.deepEqual(snapshot.estimate(complete({ time })), { rows: FACTS, exact: true });
    assert.equal(snapshot.counters.blocksRead, blocksRead, 'a count reads the directory');
    snapshot.close();
    await write(engine, { retract: [factOf(7, 0)], assert: [factOf(7, 1)], timestamp: month(9) });
    const later = engine.snapshot();
    assert.equal(later.count(complete({ time })), FACTS);
    assert.deepEqual(later.estimate(complete({ time })), { rows: FACTS, exact: true });
    assert.equal(later.counters.blocksRead, 0, 'what begins and ends later leaves the instant as it was');
    later.close();
    assert.deepEqual(ask(), last);
    const ends = read(engine, time).rows.filter((row) => row[7] === instantToColumn(month(9)));
    assert.equal(ends.length, 1, 'who asks for times sees the end that came later');
    // The row that is open is closed before the instant; the one that was closed in June still holds.
    await write(engine, { retract: [factOf(5, 0)], timestamp: month(3) + 1 });
    await write(engine, { assert: [factOf(5, 0), factOf(6, 1)], timestamp: month(2) });
    assert.equal(ask().rows.length, FACTS + 1, 'one that was there again, and a new one');
  });
});

test('an estimate of rows that may repeat is exact where there are none', async () => {
  await withRepeats(async (engine) => {
    const snapshot = engine.snapshot();
    const none = { o: exactly(idOf(snapshot, node('s1'))) };
    for (const time of [{ kind: 'all' }, { kind: 'validAt', validAt: month(4) }] as TimeSlice[])
      assert.deepEqual(snapshot.estimate(complete({ time, pattern: none })), { rows: 0, exact: true });
    snapshot.close();
  });
});
