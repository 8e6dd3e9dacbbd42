/**
 * Child process: reads a store again and again until standard input ends, each time through a new
 * snapshot, and holds what it sees to itself: the rows that a scan gives are as many as are counted,
 * and as many as the transactions up to the snapshot have added.
 *   node watch-store.js <store>
 * Lines: `ready`, `saw <rows>` when that has changed, `wrong <message>`.
 */

import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { CURRENT, type StorageSnapshot } from '../../../engine/storage/seam/scan.js';
import { ALL } from '../scan-support.js';

function scannedRows(snapshot: StorageSnapshot): number {
  const cursor = snapshot.scan({
    graphs: ALL,
    pattern: {},
    order: 'POSG',
    time: CURRENT,
    columns: ['s', 'p', 'o', 'g'],
  });
  let rows = 0;
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) rows += batch.selection?.length ?? batch.rows;
  cursor.close();
  return rows;
}

const engine = await openLmdbEngine(process.argv[2] as string, { readOnly: true });
let last = -1;
let over = false;
process.stdin.on('end', () => {
  over = true;
});
process.stdin.resume();
console.log('ready');
while (!over) {
  const snapshot = engine.snapshot();
  try {
    const rows = scannedRows(snapshot);
    const counted = snapshot.count({ graphs: ALL, pattern: {}, time: CURRENT });
    const added = engine
      .transactions()
      .filter(({ id }) => id <= snapshot.tx)
      .reduce((sum, { quadsAdded }) => sum + quadsAdded, 0);
    if (rows !== counted || rows !== added) console.log(`wrong ${rows} rows, ${counted} counted, ${added} added`);
    if (rows !== last) console.log(`saw ${rows}`);
    last = rows;
  } catch (error) {
    console.log(`wrong ${(error as Error).stack?.replaceAll('\n', ' | ')}`);
  } finally {
    snapshot.close();
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
}
await engine.close();
