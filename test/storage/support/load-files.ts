/**
 * Child process: loads files into a store in one load with small epochs, saying how far it is.
 *   node load-files.js <store> <epoch rows> <threads> <file ...>
 * Lines: `opened`, `phase <name>` per report, `staged`, `published <tx>`, `failed <code> <message>`.
 */

import { SvcError } from '../../../engine/base/errors.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';

const [store, rows, threads, ...files] = process.argv.slice(2) as [string, string, string, ...string[]];
try {
  const engine = await openLmdbEngine(store);
  console.log('opened');
  const staged = await engine.stageLoad(
    files.map((path) => ({ kind: 'file', path })),
    { threads: Number(threads), bounds: { epochRowsMax: Number(rows), helperInputBytesMin: 0 }, timestamp: 1000 },
    { onProgress: ({ phase, done }) => console.log(`phase ${phase} ${done}`) },
  );
  console.log('staged');
  const { tx, durable } = staged.commit();
  await durable;
  console.log(`published ${tx}`);
  await engine.close();
} catch (error) {
  console.log(`failed ${error instanceof SvcError ? error.code : 'unknown'} ${(error as Error).message}`);
  process.exitCode = 1;
}
