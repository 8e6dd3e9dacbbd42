/** The work of probes, counted: n keys in m blocks read m blocks, and whole blocks of one key are counted unread. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TermId } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { BATCH_ROWS, CURRENT, type ProbeRequest, type StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { columnOf, exactly, idOf, load, node, quad, scan, typed } from './scan-support.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const SUBJECTS = 12_000;
const ROWS = 2 * SUBJECTS;
const BLOCKS = Math.ceil(ROWS / BATCH_ROWS);

async function withStore(work: (snapshot: StorageSnapshot, graph: TermId) => void): Promise<void> {
  const engine: StorageEngine = await openLmdbEngine(folder.fresh());
  const quads = Array.from({ length: SUBJECTS }, (_, at) => [
    quad(node(`s${at}`), node('p'), typed(String(at), 'integer')),
    quad(node(`s${at}`), node('q'), node('o')),
  ]).flat();
  await load(engine, quads);
  const snapshot = engine.snapshot();
  work(snapshot, snapshot.graphs()[0] as TermId);
  snapshot.close();
  await engine.close();
}

/** Blocks and rows that looking keys up reads; and how many rows come. */
function work(snapshot: StorageSnapshot, request: ProbeRequest, keys: readonly TermId[]): Record<string, number> {
  const { counters } = snapshot;
  const [blocks, scanned] = [counters.blocksRead, counters.rowsScanned];
  const cursor = snapshot.probe(request);
  cursor.begin([columnOf([...keys])], keys.length);
  let rows = 0;
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    rows +=
      batch.counts === null ? batch.rows : batch.counts.subarray(0, batch.rows).reduce((sum, one) => sum + one, 0);
  }
  cursor.close();
  return { blocks: counters.blocksRead - blocks, scanned: counters.rowsScanned - scanned, rows };
}

test('keys that share a block read it once, and rows that are not asked for are not scanned', async () => {
  await withStore((snapshot, graph) => {
    const graphs = { kind: 'one', graph } as const;
    const subjects = scan(snapshot, { graphs, order: 'SPOG', pattern: { p: exactly(idOf(snapshot, node('p'))) } }).map(
      (row) => row[0] as TermId,
    );
    const ask: ProbeRequest = { graphs, pattern: {}, order: 'SPOG', time: CURRENT, keys: ['s'], columns: ['o'] };
    assert.deepEqual(work(snapshot, ask, subjects), { blocks: BLOCKS, scanned: ROWS, rows: ROWS });
    const near = subjects.slice(100, 140);
    assert.deepEqual(work(snapshot, ask, near), { blocks: 1, scanned: 80, rows: 80 });
    // One key a block, from the middle of each.
    const apart = Array.from({ length: BLOCKS - 1 }, (_, at) => subjects[at * (BATCH_ROWS / 2) + 1000] as TermId);
    assert.deepEqual(work(snapshot, ask, apart), {
      blocks: apart.length,
      scanned: 2 * apart.length,
      rows: 2 * apart.length,
    });
    assert.deepEqual(work(snapshot, ask, [0n, 1n, 2n]), { blocks: 0, scanned: 0, rows: 0 });
    const q = exactly(idOf(snapshot, node('q')));
    assert.deepEqual(work(snapshot, { ...ask, pattern: { p: q } }, near), { blocks: 1, scanned: 40, rows: 40 });
  });
});

test('a count of rows reads the blocks at the edges of a key', async () => {
  await withStore((snapshot, graph) => {
    const graphs = { kind: 'one', graph } as const;
    const keys = ['p', 'q'].map((name) => idOf(snapshot, node(name))).sort((a, b) => (a < b ? -1 : 1));
    const ask: ProbeRequest = {
      graphs,
      pattern: {},
      order: 'POSG',
      time: CURRENT,
      keys: ['p'],
      columns: [],
      counted: true,
    };
    const { blocks, rows } = work(snapshot, ask, keys);
    assert.equal(rows, ROWS);
    assert.ok((blocks as number) <= 4, `${blocks} blocks of ${BLOCKS}`);
  });
});
