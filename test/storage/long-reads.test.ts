/** Snapshots that expire and snapshots that are renewed, over both stores. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { ExpiringSnapshot } from '../../engine/storage/seam/expiring-snapshot.js';
import { RenewingSnapshot } from '../../engine/storage/seam/renewing-snapshot.js';
import { BATCH_ROWS, CURRENT, type ScanRequest, type TimeSlice } from '../../engine/storage/seam/scan.js';
import { ALL, drain, type IdRow, load, node, ORDERS, quad, readBatch, SPOG, typed } from './scan-support.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const ENGINES: readonly (readonly [string, () => Promise<StorageEngine>])[] = [
  ['memory', async () => openMemoryEngine({ batches: { rowsMax: 700, sparse: true } })],
  ['lmdb', () => openLmdbEngine(folder.fresh())],
];
const WRITES = 6;

function code(expected: string) {
  return (error: unknown): boolean => error instanceof SvcError && error.code === expected;
}

/** Quads whose subjects stand between those of other rounds, some in a graph. */
function quads(round: number, count: number) {
  return Array.from({ length: count }, (_, at) =>
    quad(
      node(`s${at % 97}-${at}`),
      node(`p${at % 3}`),
      at % 2 === 0 ? typed(String(at * 10 + round), 'integer') : node(`o${at % 11}-${round}`),
      at % 5 === 0 ? node(`g${at % 2}`) : undefined,
    ),
  );
}

for (const [name, open] of ENGINES) {
  test(`${name}: a renewed scan gives the rows of its first snapshot, whatever is written meanwhile`, async () => {
    const engine = await open();
    await load(engine, quads(0, 2 * BATCH_ROWS + 1000), { timestamp: 1000 });
    const times: TimeSlice[] = [CURRENT, { kind: 'validAt', validAt: 1500 }, { kind: 'asOf', tx: 1 }];
    let round = 0;
    for (const order of ORDERS) {
      const time = times[round % times.length] as TimeSlice;
      const request: ScanRequest = { graphs: ALL, pattern: {}, order, time, columns: SPOG };
      const renewing = new RenewingSnapshot(() => engine.snapshot(), { renewAfterMs: 0 });
      const plain = engine.snapshot();
      const cursor = renewing.scan(request);
      const rows: IdRow[] = [];
      for (let batch = readBatch(cursor, SPOG); batch !== null; batch = readBatch(cursor, SPOG)) {
        rows.push(...batch);
        if (round < WRITES) await load(engine, quads(++round, 50), { timestamp: 1400 });
      }
      assert.ok(renewing.renewals >= 2, 'it went on in newer snapshots');
      assert.ok(engine.snapshot().tx > renewing.tx || round === WRITES);
      assert.deepEqual(rows, drain(plain.scan(request), SPOG));
      assert.equal(renewing.tx, plain.tx);
      assert.equal(renewing.count(request), rows.length);
      renewing.close();
      plain.close();
    }
    await engine.close();
  });

  test(`${name}: an expired snapshot says so everywhere; a renewing one goes on`, async () => {
    const engine = await open();
    await load(engine, quads(0, BATCH_ROWS + 500));
    let last: ExpiringSnapshot | null = null;
    const openOne = (): ExpiringSnapshot => {
      last = new ExpiringSnapshot(engine.snapshot(), { ageMaxMs: 7 });
      return last;
    };
    const request: ScanRequest = { graphs: ALL, pattern: {}, time: CURRENT, columns: ['s'] };
    const snapshot = openOne();
    const cursor = snapshot.scan(request);
    assert.notEqual(cursor.next(), null);
    snapshot.expire();
    snapshot.close();
    const uses = [
      () => cursor.next(),
      () => cursor.seek([1n]),
      () => snapshot.scan(request),
      () => snapshot.count(request),
      () => snapshot.encode(node('x')),
      () => snapshot.graphs(),
      () => snapshot.tx,
    ];
    for (const use of uses) assert.throws(use, code('snapshot_expired'));
    cursor.close();

    const closed = openOne();
    const open_ = closed.scan(request);
    closed.close();
    assert.throws(() => open_.next(), code('store_closed'), 'not taken for the end of the rows');

    const renewing = new RenewingSnapshot(openOne, { renewAfterMs: Number.POSITIVE_INFINITY });
    const rows: IdRow[] = [];
    const scan = renewing.scan(request);
    for (let batch = readBatch(scan, ['s']); batch !== null; batch = readBatch(scan, ['s'])) {
      rows.push(...batch);
      (last as unknown as ExpiringSnapshot).expire();
    }
    assert.ok(renewing.renewals > 0);
    assert.equal(rows.length, BATCH_ROWS + 500);
    scan.close();

    // Batches of a second cursor would become void: nothing is renewed under two.
    const two = [renewing.scan(request), renewing.scan(request)];
    two[0]?.next();
    (last as unknown as ExpiringSnapshot).expire();
    assert.throws(() => two[0]?.next(), code('snapshot_expired'));
    renewing.close();
    await engine.close();
  });
}
