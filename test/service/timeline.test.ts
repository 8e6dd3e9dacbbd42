/** The timeline: pages and intervals against a plain list of the transactions, whichever way these came into the store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTimeline, type Timeline, type TimelineOptions } from '../../engine/service/facts/timeline.js';
import { showInstant } from '../../engine/service/options/store-options.js';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { repairFile } from '../../engine/storage/repair/repair.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { sourceTypeOf } from '../../engine/storage/seam/transaction-times.js';
import { openStore } from '../../interfaces/library/index.js';
import { load, node, quad, randomNumbers } from '../storage/scan-support.js';
import { committed } from '../storage/stage-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const SOURCES = ['episode:one', 'episode:two: more', 'set', 'snapshot:feed', 'Data.nt', undefined];
const BOUNDS = { foldRows: 400 };
const START = Date.UTC(2026, 0, 1) / 1000;

async function asked(engine: StorageEngine, options: TimelineOptions): Promise<Timeline> {
  const snapshot = engine.snapshot();
  try {
    return await readTimeline({ engine, snapshot, isNarrowed: false }, options);
  } finally {
    snapshot.close();
  }
}

interface Line {
  readonly tx: number;
  readonly timestamp: string;
  readonly source: string | null;
  readonly asserted: number;
  readonly retracted: number;
}

/** The whole log, in the order of a timeline. */
function lines(engine: StorageEngine, { order = 'asc', from, to, sourceType }: TimelineOptions): Line[] {
  const all = engine
    .transactions()
    .map(({ id, timestamp, source, quadsAdded, quadsRetracted }) => {
      return { tx: id, timestamp: showInstant(timestamp), source, asserted: quadsAdded, retracted: quadsRetracted };
    })
    .filter(({ timestamp }) => (from === undefined || timestamp >= from) && (to === undefined || timestamp < to))
    .filter(({ source }) => sourceType === undefined || sourceTypeOf(source) === sourceType)
    .sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.tx - b.tx));
  return order === 'asc' ? all : all.reverse();
}

async function everyPage(engine: StorageEngine, options: TimelineOptions): Promise<Line[]> {
  const found: Line[] = [];
  for (let cursor: string | undefined, pages = 0; ; pages++) {
    const { items, next } = await asked(engine, { ...options, cursor });
    for (const { tx, timestamp, source, asserted, retracted } of items) {
      found.push({ tx, timestamp, source, asserted: asserted as number, retracted: retracted as number });
    }
    if (next === null) return found;
    assert.ok(items.length === options.limit && pages < 2000, 'pages but the last are full');
    cursor = next;
  }
}

/** Some transactions in one commit, whose time labels ascend, stand still and jump. */
async function writeSome(engine: StorageEngine, next: (below: number) => number, at: number, clock: () => number) {
  const options = () => ({
    timestamp: clock(),
    source: SOURCES[next(SOURCES.length)],
    actor: next(2) ? 'ana' : undefined,
  });
  const stage = engine.stage(options());
  for (let i = 0; i < 40; i++) {
    if (i > 0) stage.begin(options());
    stage.assert([quad(node(`s${at}`), node('p'), node(`o${i}`))]);
    if (i % 7 === 6) stage.retract([quad(node(`s${at}`), node('p'), node(`o${i - 1}`))]);
  }
  await committed(stage.commit());
}

test('pages of random histories are those of a plain list', async () => {
  for (const [seed, spread] of [
    [1, 0],
    [2, 40],
    [3, 1_000_000],
  ] as const) {
    const path = folder.fresh();
    let engine: StorageEngine = await openLmdbEngine(path, { bounds: BOUNDS });
    const memory = openMemoryEngine();
    for (const one of ['lmdb', 'memory'] as const) {
      const next = randomNumbers(seed);
      let now = START;
      const clock = () => {
        now += next(3) * 60;
        return spread === 0 ? now : now - next(spread);
      };
      for (let round = 0; round < 14; round++) {
        const to = one === 'lmdb' ? engine : memory;
        await writeSome(to, next, round, clock);
        if (round % 5 === 2)
          await load(to, [quad(node('loaded'), node('p'), node(`l${round}`))], { timestamp: clock() });
        if (round % 6 === 5) await to.fold({});
        if (one === 'lmdb' && round % 8 === 7) {
          await engine.close();
          engine = await openLmdbEngine(path, { bounds: BOUNDS });
        }
      }
    }
    const next = randomNumbers(seed + 100);
    const instant = () => showInstant(START + next(90_000) - next(spread + 1));
    for (let round = 0; round < 9; round++) {
      const [a, b] = [instant(), instant()].sort();
      const window = round % 3 === 0 || a === b ? {} : round % 3 === 1 ? { from: a, to: b } : { from: a };
      const order = next(2) === 0 ? 'asc' : ('desc' as const);
      const sourceType = ['episode', 'set', 'none', 'other', undefined, undefined][next(6)];
      const options: TimelineOptions = { ...window, order, sourceType, limit: 1 + next(300) };
      const expected = lines(memory, options);
      assert.deepEqual(lines(engine, options), expected, 'both engines hold the same');
      for (const one of [engine, memory]) {
        const what = `${one.path} ${seed} ${JSON.stringify(options)}`;
        assert.deepEqual(await everyPage(one, options), expected, what);
        await assertBuckets(one, { ...window, sourceType, buckets: 1 + next(200) }, what);
      }
    }
    assert.deepEqual((await engine.verify({})).problems, []);
    await engine.close();
    await memory.close();
  }
});

async function assertBuckets(engine: StorageEngine, options: TimelineOptions, what: string): Promise<void> {
  const { buckets, extent } = await asked(engine, { ...options, limit: 1 });
  assert.ok(buckets !== null && extent !== null);
  const all = lines(engine, {});
  assert.deepEqual(extent, { first: all[0]?.timestamp, last: all.at(-1)?.timestamp });
  const seconds = (text: string): number => Date.parse(text) / 1000;
  const counted = new Map<string, object>();
  for (const { timestamp, source, asserted, retracted } of lines(engine, options)) {
    const number = Math.floor((seconds(timestamp) - seconds(buckets.from)) / buckets.seconds);
    const from = showInstant(seconds(buckets.from) + number * buckets.seconds);
    const sum = { transactions: 0, episodes: 0, asserted: 0, retracted: 0, ...counted.get(from) };
    sum.transactions++;
    if (sourceTypeOf(source) === 'episode') sum.episodes++;
    sum.asserted += asserted;
    sum.retracted += retracted;
    counted.set(from, sum);
  }
  const expected = [...counted].map(([from, sum]) => ({ from, ...sum }));
  assert.deepEqual([...buckets.counts], expected, what);
  assert.ok(buckets.counts.length <= (options.buckets as number), what);
}

test('what is written between two pages is in none of them, whatever its time label', async () => {
  const engine = openMemoryEngine();
  const next = randomNumbers(5);
  await writeSome(engine, next, 0, () => START + next(1000));
  const expected = lines(engine, {}).map(({ tx }) => tx);
  const found: number[] = [];
  for (let cursor: string | undefined, at = 1; ; at++) {
    const page = await asked(engine, { limit: 7, cursor });
    found.push(...page.items.map(({ tx }) => tx));
    if (page.next === null) break;
    cursor = page.next;
    await writeSome(engine, next, at, () => START + next(1000));
  }
  assert.deepEqual(found, expected);
  await engine.close();
});

test('a late window and a page from the end read a part of a long log, folded or not', async () => {
  const engine = await openLmdbEngine(folder.fresh(), { bounds: { foldRows: 3000 } });
  const next = randomNumbers(9);
  let now = START;
  for (let round = 0; round < 250; round++) await writeSome(engine, next, round, () => (now += 60));
  await engine.fold({});
  const extra = 3;
  for (let round = 0; round < extra; round++) await writeSome(engine, next, 1000 + round, () => (now += 60));
  let [entries, records] = [0, 0];
  const snapshot = engine.snapshot();
  const counting = {
    timesOfGroup: (group: number) => engine.timesOfGroup(group),
    timesBetween: (from: number, to: number) => {
      const found = engine.timesBetween(from, to);
      entries += found.length;
      return found;
    },
    transactionsWith: (ids: readonly number[]) => {
      records += ids.length;
      return engine.transactionsWith(ids);
    },
  };
  const total = snapshot.tx;
  assert.ok(total > 10_000);
  const work = async (options: TimelineOptions): Promise<[number, number, Timeline]> => {
    [entries, records] = [0, 0];
    const found = await readTimeline({ engine: counting, snapshot, isNarrowed: false }, options);
    return [entries, records, found];
  };
  const late = { from: showInstant(now - 60 * 50), limit: 20 };
  const [lateEntries, lateRecords, { items }] = await work(late);
  assert.equal(items[0]?.tx, total - 50);
  assert.ok(lateEntries <= 512 && lateRecords === 20, `${lateEntries} entries, ${lateRecords} records`);
  const [firstEntries] = await work({ limit: 20 });
  const [lastEntries] = await work({ limit: 20, order: 'desc' });
  assert.ok(firstEntries <= 512 && lastEntries <= 512, `${firstEntries}, ${lastEntries}`);
  // Intervals open the parts at their edges: of 40 parts in all, those of 9 edges and the newest ones.
  const [bucketEntries, , { buckets }] = await work({ limit: 1, order: 'desc', buckets: 10 });
  assert.ok(bucketEntries <= 12 * 256, `${bucketEntries} of ${total}`);
  assert.equal(
    buckets?.counts.reduce((sum, { transactions }) => sum + transactions, 0),
    total,
  );
  snapshot.close();
  await engine.close();
});

test('the file of a program without the index is read from its log, and the next fold makes the index', async () => {
  const path = folder.fresh();
  let engine = await openLmdbEngine(path, { bounds: BOUNDS });
  const next = randomNumbers(11);
  for (let round = 0; round < 20; round++) await writeSome(engine, next, round, () => START + next(100_000));
  await engine.fold({});
  await engine.close();
  const clear = async (): Promise<number> => {
    const file = LmdbFile.open(path, { readOnly: false });
    const keys = file.keysAfter('times', null, 1000) as readonly string[];
    file.write(() => {
      for (const key of keys) file.remove('times', key);
    });
    await file.close();
    return keys.length;
  };
  assert.ok((await clear()) > 4);
  engine = await openLmdbEngine(path, { bounds: BOUNDS });
  assert.deepEqual((await engine.verify({})).problems, []);
  assert.deepEqual(await everyPage(engine, { limit: 100 }), lines(engine, {}));
  await writeSome(engine, next, 21, () => START);
  await engine.fold({});
  assert.deepEqual(await everyPage(engine, { limit: 100 }), lines(engine, {}));
  assert.deepEqual((await engine.verify({})).problems, []);
  await engine.close();
  assert.ok((await clear()) > 4, 'the index was made');
});

test('a damaged index of times is found and made anew', async () => {
  const path = folder.fresh();
  let engine = await openLmdbEngine(path, { bounds: BOUNDS });
  const next = randomNumbers(13);
  for (let round = 0; round < 15; round++) await writeSome(engine, next, round, () => START + next(1000));
  await engine.fold({});
  const expected = await everyPage(engine, { limit: 100 });
  await engine.close();
  const file = LmdbFile.open(path, { readOnly: false });
  const keys = file.keysAfter('times', null, 1000) as readonly string[];
  const part = (at: number): string => keys.filter((key) => key.startsWith('p'))[at] as string;
  file.write(() => {
    file.put('times', part(0), Buffer.from('no sealed value'));
    file.put('times', part(1), file.readCopy('times', part(2)) as Buffer);
  });
  await file.close();
  engine = await openLmdbEngine(path, { bounds: BOUNDS });
  const { problems } = await engine.verify({});
  assert.ok(problems.length > 0 && problems.every(({ where }) => where === 'index of times'), JSON.stringify(problems));
  await engine.close();
  const report = await repairFile(path, {});
  assert.deepEqual([report.ok, report.rebuilt, report.lost], [true, ['the index of times'], []]);
  engine = await openLmdbEngine(path, { bounds: BOUNDS });
  assert.deepEqual(await everyPage(engine, { limit: 100 }), expected);
  await engine.close();
});

test('a reader of some graphs is shown the transactions that changed them, without source and counts', async () => {
  const store = await openStore(':memory:');
  const ex = 'http://example.org/';
  for (let at = 0; at < 12; at++) {
    const options = {
      timestamp: `2026-01-${String(at + 1).padStart(2, '0')}`,
      graph: at % 3 === 0 ? `${ex}open` : `${ex}closed`,
    };
    await store.load({ text: `<${ex}s${at}> <${ex}p> ${at} .`, format: 'turtle' }, options);
  }
  const view = store.as({ authenticated: null, readable: [`${ex}open`] });
  const pages: number[] = [];
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await view.timeline({ limit: 3, cursor });
    for (const { source, actor, asserted, retracted } of items) {
      assert.deepEqual([source, actor, asserted, retracted], [null, null, null, null]);
    }
    pages.push(...items.map(({ tx }) => tx));
    if (next === null) break;
    cursor = next;
  }
  const loads = store.transactions().filter(({ timestamp }) => timestamp < '2026-02');
  assert.deepEqual(
    pages,
    [0, 3, 6, 9].map((at) => loads[at]?.id),
  );
  const { buckets } = await view.timeline({ buckets: 12, from: '2026-01-01', to: '2026-01-13' });
  assert.deepEqual(
    buckets?.counts.map(({ from, transactions, asserted }) => [from.slice(8, 10), transactions, asserted]),
    [
      ['01', 1, null],
      ['04', 1, null],
      ['07', 1, null],
      ['10', 1, null],
    ],
  );
  await assert.rejects(view.timeline({ sourceType: 'episode' }), /sources may tell of every graph/);
  await store.close();
});

test('bad windows, orders and cursors are refused by name; an empty store has an empty timeline', async () => {
  const store = await openStore(':memory:');
  const empty = await store.timeline({ buckets: 5 });
  assert.deepEqual(empty, { items: [], next: null, watermark: 0, extent: null, buckets: null });
  await store.load(
    { text: '<http://example.org/a> <http://example.org/p> 1 .', format: 'turtle' },
    { timestamp: '2026-01-01' },
  );
  const refused = (options: object, message: RegExp) =>
    assert.rejects(store.timeline(options as TimelineOptions), { code: 'invalid_request', message });
  await refused(
    { from: '2026-02-01', to: '2026-01-01' },
    /from 2026-02-01T00:00:00Z to 2026-01-01T00:00:00Z is no interval/,
  );
  await refused({ from: 'yesterday' }, /from: "yesterday" is not a time/);
  await refused({ cursor: 'x' }, /'cursor' "x" is none/);
  await refused({ cursor: 'desc_1_0_1' }, /the cursor is of the order desc, and asc is asked for/);
  await refused({ cursor: 'asc_99_0_1' }, /names transaction 99, and 1 is the latest/);
  await refused({ order: 'up' }, /order is "up"/);
  await refused({ limit: 0 }, /at least 1/);
  await refused({ sourcetype: 'set' }, /sourcetype.*sourceType/);
  await store.close();
});
