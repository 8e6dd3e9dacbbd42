/** Repair: what is damaged in one place is made again from the others; what is not, is told, and nothing gets worse. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { SvcError } from '../../engine/base/errors.js';
import { terms } from '../../engine/rdf/terms.js';
import { sourceKey } from '../../engine/storage/indexes/sources.js';
import { DATABASES, type DatabaseName } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { repairFile } from '../../engine/storage/repair/repair.js';
import { encodeGraphCounts } from '../../engine/storage/runs/graph-counts.js';
import type { RunRecord } from '../../engine/storage/runs/manifest.js';
import { ORDERS } from '../../engine/storage/runs/orders.js';
import type { LoadSource } from '../../engine/storage/seam/engine.js';
import { COLUMNS, type Order } from '../../engine/storage/seam/scan.js';
import { load, quad, randomNumbers, scan, shown } from './scan-support.js';
import { fact, write } from './stage-support.js';
import { assertSound } from './support/compare.js';
import { type Damaged, damagedCopy } from './support/damaging.js';
import { StoreFolder } from './support/store-folder.js';

const RUNS = Number(process.env.SVC_PROPERTY_RUNS ?? 12);
const folder = new StoreFolder();

const SAMPLE: LoadSource = {
  kind: 'bytes',
  bytes: Buffer.from(
    Array.from({ length: 15_000 }, (_, i) => {
      const graph = i % 5 === 0 ? ` <http://e/g${i % 15}>` : '';
      return `<http://e/s${i}> <http://e/p${i % 3}> "value ${i}"${graph} .\n`;
    }).join(''),
  ),
  name: 'sample',
  format: 'nquads',
};

/** Transaction 1 is a load, 2 to 4 are folded, 5 to 7 the delta. */
async function makeStore(): Promise<string> {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  await load(engine, [SAMPLE], { source: 'sample' });
  await write(engine, { assert: [1, 2, 3, 4].map((value) => fact(value)), source: 'small' });
  await write(engine, { retract: [fact(1)], assert: [fact(2, 'http://e/g5')], source: 'other' });
  await engine.fold({});
  // One of very many rows, so that its run is kept and the row is dead in it.
  const one = quad(terms.namedNode('http://e/s1'), terms.namedNode('http://e/p1'), terms.literal('value 1'));
  await write(engine, { retract: [one, fact(2), fact(2, 'http://e/g5')] });
  await engine.fold({});
  await write(engine, { assert: [fact(5)], source: 'small' });
  await write(engine, { retract: [fact(3)] });
  await write(engine, { assert: [fact(6), fact(7, 'http://e/new')] });
  await assertSound(engine);
  await engine.close();
  return path;
}

/** Small commits alone, all folded but the last. */
async function makeSmall(): Promise<string> {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  for (let value = 0; value < 30; value++) {
    await write(engine, {
      assert: [fact(value), fact(value, 'http://e/g')],
      retract: value % 3 === 0 ? [fact(value - 1)] : [],
    });
    if (value % 10 === 9) await engine.fold({});
  }
  await write(engine, { retract: [fact(4)] });
  await engine.close();
  return path;
}

const loaded = makeStore();
const small = makeSmall();

/** Every row with its times, and what the log says. */
async function contents(path: string): Promise<unknown> {
  const engine = await openLmdbEngine(path, { readOnly: true });
  try {
    await assertSound(engine);
    const snapshot = engine.snapshot();
    const rows = scan(snapshot, { time: { kind: 'all' }, columns: COLUMNS });
    const lines = shown(snapshot, rows);
    const times = rows.map((row) => row.slice(4).join(' ')).sort();
    snapshot.close();
    return {
      lines,
      times,
      log: engine.transactions().map(({ events: _, ...record }) => record),
      sources: ['small', 'sample', 'other'].map((one) => engine.transactionsOf(one)),
    };
  } finally {
    await engine.close();
  }
}

function runsOf(
  file: Damaged,
  order: Order,
  wanted: (run: RunRecord, graph: string | null) => boolean = () => true,
): RunRecord[] {
  return file.manifest.partitions.flatMap(({ graph, runs }) => (runs[order] ?? []).filter((run) => wanted(run, graph)));
}

function flip(file: Damaged, database: DatabaseName, key: number | string): void {
  const value = file.file.readCopy(database, key) as Buffer;
  value[value.length >>> 1] = (value[value.length >>> 1] as number) ^ 0x10;
  file.put(database, key, value);
}

interface Case {
  readonly name: string;
  readonly damage: (file: Damaged) => void;
  readonly rebuilt: RegExp;
  readonly store?: Promise<string>;
}

const CASES: readonly Case[] = [
  ...ORDERS.map(
    (order): Case => ({
      name: `a block of ${order}`,
      damage: (file) => flip(file, 'rows', (runsOf(file, order)[0] as RunRecord).firstBlock),
      rebuilt: new RegExp(`^${order} of the `),
    }),
  ),
  {
    name: 'a directory',
    damage: (file) => flip(file, 'directories', (runsOf(file, 'OSPG')[0] as RunRecord).directory),
    rebuilt: /^OSPG of the /,
  },
  {
    name: 'a directory of SPOG that is missing',
    damage: (file) =>
      file.file.write(() => file.file.remove('directories', (runsOf(file, 'SPOG')[0] as RunRecord).directory)),
    rebuilt: /^SPOG of the /,
  },
  {
    name: 'figures of ROOT',
    damage: (file) => file.setManifest({ root: { tx: file.manifest.foldedTx, subjects: 1, predicates: 9 } }),
    rebuilt: /^the figures of ROOT$/,
  },
  {
    name: 'a log record that is not folded',
    damage: (file) => flip(file, 'log', 6),
    rebuilt: /^the log record of transaction 6, from its copy$/,
  },
  {
    name: 'a log record that is missing',
    damage: (file) => file.file.write(() => file.file.remove('log', 7)),
    rebuilt: /^the log record of transaction 7, from its copy$/,
  },
  {
    name: 'a copy of a log record',
    damage: (file) => flip(file, 'log_copies', 6),
    rebuilt: /^the copy of the log record of transaction 6$/,
  },
  {
    name: 'a copy of a log record that is missing',
    damage: (file) => file.file.write(() => file.file.remove('log_copies', 7)),
    rebuilt: /^the copy of the log record of transaction 7$/,
  },
  {
    name: 'a list of dead rows',
    damage: (file) => {
      const [run] = runsOf(file, 'POSG', ({ dead }) => dead !== undefined);
      flip(file, 'directories', run?.dead?.key as number);
    },
    rebuilt: /^POSG of the /,
  },
  {
    name: 'an order without its runs',
    damage: (file) =>
      file.setManifest({
        partitions: file.manifest.partitions.map((one) => ({ ...one, runs: { ...one.runs, OSPG: [] } })),
      }),
    rebuilt: /^OSPG of the /,
  },
  {
    name: 'different blocks of all orders',
    damage: (file) => {
      for (const [i, order] of ORDERS.entries()) {
        for (const run of runsOf(file, order, ({ blocks }) => blocks > 2))
          flip(file, 'rows', run.firstBlock + (i % run.blocks));
      }
    },
    rebuilt: /^all orders of the partition .*, from sound blocks and the log$/,
  },
  {
    name: 'every block of all orders, where the log has the rows',
    store: small,
    damage: (file) => {
      for (const run of ORDERS.flatMap((order) => runsOf(file, order))) {
        for (let i = 0; i < run.blocks; i++) flip(file, 'rows', run.firstBlock + i);
      }
    },
    rebuilt: /^all orders of the shared partition, from sound blocks and the log$/,
  },
  {
    name: 'a block of the hash index',
    damage: (file) => flip(file, 'hashes', file.file.lastKey('hashes') as number),
    rebuilt: /^the hash index of terms/,
  },
  { name: 'the seed', damage: (file) => flip(file, 'meta', 'seed'), rebuilt: /^the seed of the hashes of terms$/ },
  { name: 'the table of graphs', damage: (file) => flip(file, 'meta', 'graphs'), rebuilt: /^the table of graphs$/ },
  {
    name: 'a table of graphs that is wrong',
    damage: (file) => file.put('meta', 'graphs', encodeGraphCounts(new Map([[1n, 5]]))),
    rebuilt: /^the table of graphs$/,
  },
  {
    name: 'statistics',
    damage: (file) => flip(file, 'statistics', (runsOf(file, 'SPOG')[0] as RunRecord).id),
    rebuilt: /^the statistics of SPOG run/,
  },
  {
    name: 'an entry of the index of sources',
    damage: (file) => flip(file, 'sources', sourceKey('other', 3)),
    rebuilt: /^the index of sources$/,
  },
  { name: 'the head', damage: (file) => flip(file, 'meta', 'head'), rebuilt: /^the head$/ },
  { name: 'a head that is behind', damage: (file) => file.setHead({ lastTx: 5 }), rebuilt: /^the head$/ },
];

for (const { name, damage, rebuilt, store = loaded } of CASES) {
  test(`repaired: ${name}`, async () => {
    const whole = await contents(await store);
    const path = await damagedCopy(await store, folder.fresh(), damage);
    const bytes = readFileSync(path);
    const report = await repairFile(path, {});
    assert.deepEqual([report.ok, report.problems, report.lost], [true, [], []], JSON.stringify(report));
    assert.ok(report.problemsBefore.length > 0);
    assert.ok(
      report.rebuilt.some((what) => rebuilt.test(what)),
      JSON.stringify(report.rebuilt),
    );
    assert.deepEqual(await contents(path), whole);
    assert.equal(report.kept, `${path}.damaged`);
    assert.ok(readFileSync(`${path}.damaged`).equals(bytes), 'the file as it was is kept');
    const writer = await openLmdbEngine(path);
    await write(writer, { assert: [fact(1000)], retract: [fact(5)] });
    await writer.fold({});
    await assertSound(writer);
    await writer.close();
    assert.equal((await repairFile(path, {})).kept, null, 'nothing is left to repair');
  });
}

test('a record of the delta that is damaged with its copy: what came before it is kept, what is lost is told', async () => {
  const path = await damagedCopy(await loaded, folder.fresh(), (file) => {
    flip(file, 'log', 6);
    flip(file, 'log_copies', 6);
  });
  const report = await repairFile(path, {});
  assert.ok(report.ok, JSON.stringify(report));
  assert.deepEqual(
    report.lost.map(({ transactions }) => transactions),
    [[6, 7]],
  );
  const engine = await openLmdbEngine(path);
  await assertSound(engine);
  assert.equal(engine.snapshot().tx, 5);
  assert.equal((await write(engine, { assert: [fact(6)] })).tx, 6);
  await engine.close();
});

test('blocks that nothing else holds: what is left is kept, the transactions are told', async () => {
  const path = await damagedCopy(await loaded, folder.fresh(), (file) => {
    for (const order of ORDERS) {
      for (const run of runsOf(file, order, ({ blocks }) => blocks > 2)) {
        for (let i = 0; i < run.blocks; i++) flip(file, 'rows', run.firstBlock + i);
      }
    }
  });
  const report = await repairFile(path, {});
  assert.equal(report.ok, false);
  assert.ok(
    report.lost.some(({ transactions }) => transactions.includes(1)),
    JSON.stringify(report.lost),
  );
  assert.ok(report.problems.length < report.problemsBefore.length);
});

test('log records of folded transactions are made again from their rows', async () => {
  const cases: [number, number[]][] = [
    [1, [1]],
    [2, [2, 3]],
    [4, [4]],
  ];
  for (const [key, transactions] of cases) {
    const path = await damagedCopy(await loaded, folder.fresh(), (file) => flip(file, 'log', key));
    const report = await repairFile(path, {});
    assert.deepEqual([report.ok, report.problems], [true, []], JSON.stringify(report));
    assert.deepEqual(
      report.lost.map((loss) => loss.transactions),
      [transactions],
    );
    assert.match(String(report.lost[0]?.what), /events of transactions/);
    const { lines, times, sources, log } = (await contents(path)) as { [key: string]: unknown };
    const whole = (await contents(await loaded)) as { [key: string]: unknown };
    assert.deepEqual({ lines, times, sources }, { lines: whole.lines, times: whole.times, sources: whole.sources });
    assert.deepEqual(log, whole.log, 'time labels too, since the rows have them');
  }
});

test('terms can not be made again: the file is left as it is', async () => {
  const path = await damagedCopy(await loaded, folder.fresh(), (file) =>
    flip(file, 'terms', file.file.lastKey('terms') as number),
  );
  const before = readFileSync(path);
  const report = await repairFile(path, {});
  assert.deepEqual([report.ok, report.kept], [false, null]);
  assert.ok(report.problems.length > 0 && report.lost.length > 0);
  assert.ok(readFileSync(path).equals(before));
  assert.ok(!existsSync(`${path}.damaged`) && !existsSync(`${path}-writer`));
});

test('bits changed in any values: repaired as they were, or said to be lost, or left alone', {
  timeout: 300_000,
}, async () => {
  const random = randomNumbers(Date.now());
  const whole = await contents(await loaded);
  for (let run = 0; run < RUNS; run++) {
    const flipped: string[] = [];
    const path = await damagedCopy(await loaded, folder.fresh(), (file) => {
      for (let times = 0; times <= run % 3; times++) {
        const database = DATABASES[random(DATABASES.length)] as DatabaseName;
        const keys = file.file.keysAfter(database, null, Number.MAX_SAFE_INTEGER);
        const key = keys[random(keys.length)];
        if (key === undefined) continue;
        if (database === 'meta' && key === 'manifest') continue;
        const value = file.file.readCopy(database, key) as Buffer;
        const at = random(value.length);
        value[at] = (value[at] as number) ^ (1 << random(8));
        file.put(database, key, value);
        flipped.push(`${database} ${key} at ${at}`);
      }
    });
    const report = await repairFile(path, {});
    const what = `${flipped.join(', ')}: ${JSON.stringify(report)}`;
    assert.ok(report.ok || report.lost.length > 0, what);
    if (report.ok && report.lost.length === 0) assert.deepEqual(await contents(path), whole, what);
    if (report.kept === null) assert.ok(report.ok === (report.problemsBefore.length === 0), what);
  }
});

async function code(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: SvcError) => error.code,
  );
}

test('a repair that is refused or stopped leaves the file as it is', async () => {
  const manifest = await damagedCopy(await loaded, folder.fresh(), (file) => flip(file, 'meta', 'manifest'));
  const before = readFileSync(manifest);
  assert.equal(await code(repairFile(manifest, {})), 'store_corrupt');
  assert.ok(readFileSync(manifest).equals(before));
  assert.equal(await code(repairFile(folder.fresh(), {})), 'store_missing');
  const path = await damagedCopy(await loaded, folder.fresh(), (file) => flip(file, 'meta', 'graphs'));
  const bytes = readFileSync(path);
  const stopped = new AbortController();
  let copying = false;
  const control = {
    signal: stopped.signal,
    onProgress: ({ phase }: { phase: string }) => {
      copying ||= phase === 'copy';
      if (copying) stopped.abort();
    },
  };
  assert.equal(await code(repairFile(path, control)), 'aborted');
  assert.ok(copying && readFileSync(path).equals(bytes));
  const engine = await openLmdbEngine(await loaded);
  assert.equal(await code(repairFile(await loaded, {})), 'store_locked');
  await engine.close();
});
