/** The age cap of snapshots, reads that outlast it, and figures of who reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportDocument } from '../../engine/service/export/export.js';
import { StoreSnapshot } from '../../engine/service/reads/snapshot.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { RenewingSnapshot } from '../../engine/storage/seam/renewing-snapshot.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import { openStore, SvcError } from '../../interfaces/library/index.js';

const EX = 'http://example.org/';

function code(expected: string) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, expected, error.stack);
    return true;
  };
}

function text(rows: number): string {
  return Array.from({ length: rows }, (_, row) => `<${EX}s${row}> <${EX}p> ${row} .\n`).join('');
}

test('a snapshot past the age cap is closed by the store, and its next use says so', async (t) => {
  // The first query loads the engine, which may take longer than the cap.
  const warm = await openStore(':memory:');
  await warm.query('ASK {}');
  await warm.close();
  let clockMs = 0;
  t.mock.method(performance, 'now', () => clockMs);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const store = await openStore(':memory:', { readerAgeMaxMs: 400 });
  await store.load({ text: text(10_000), format: 'turtle' });
  const snapshot = store.snapshot();
  const answer = await store.query('SELECT * WHERE { ?s ?p ?o }');
  const quads = store.snapshot().quads();
  assert.ok(answer.kind === 'select');
  const rows = answer.rows()[Symbol.asyncIterator]();
  assert.equal((await rows.next()).done, false);
  assert.equal((await quads.next()).done, false);
  assert.equal(store.stats().snapshots.open, 3);
  clockMs = 399;
  t.mock.timers.tick(399);
  assert.equal(store.stats().snapshots.open, 3);
  clockMs = 401;
  t.mock.timers.tick(2);
  assert.equal(store.stats().snapshots.open, 0);
  assert.throws(() => snapshot.count(), code('snapshot_expired'));
  assert.throws(() => snapshot.tx, code('snapshot_expired'));
  await assert.rejects(quads.next(), code('snapshot_expired'));
  const readOn = async (): Promise<void> => {
    while (!(await rows.next()).done);
  };
  await assert.rejects(readOn(), code('snapshot_expired'), 'rows that are missing are never taken for the end');
  snapshot.close();
  assert.equal(store.snapshot({ tx: 1 }).count(), 10_000);
  await store.close();
});

test('an export that is renewed after every batch has the same bytes, and one may outlast the cap', async () => {
  const engine = openMemoryEngine({ batches: { rowsMax: 64, sparse: true } });
  const bytes = new TextEncoder().encode(text(1000));
  const staged = await engine.stageLoad([{ kind: 'bytes', bytes, name: 'a', format: 'turtle' }], {}, {});
  await staged.commit().durable;
  const read = async (storage: RenewingSnapshot | ReturnType<typeof engine.snapshot>): Promise<string> => {
    const snapshot = new StoreSnapshot(storage, CURRENT, () => undefined);
    const parts: Uint8Array[] = [];
    for await (const part of exportDocument(snapshot, 'nquads', {})) parts.push(part);
    snapshot.close();
    return Buffer.concat(parts).toString();
  };
  const renewing = new RenewingSnapshot(() => engine.snapshot(), { renewAfterMs: 0 });
  const renewed = await read(renewing);
  assert.ok(renewing.renewals > 10);
  assert.equal(renewed, await read(engine.snapshot()));
  assert.equal(renewed.split('\n').length, 1001);
  await engine.close();

  const store = await openStore(':memory:', { readerAgeMaxMs: 1 });
  await store.load({ text: text(9000), format: 'turtle' });
  let lines = 0;
  for await (const part of store.export('ntriples')) lines += Buffer.from(part).toString().split('\n').length - 1;
  assert.equal(lines, 9000);
  await store.close();
});
