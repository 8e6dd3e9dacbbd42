/**
 * Child process: makes scripted changes, from the one after the store's newest transaction on, until it
 * is killed or has made so many; now and then it copies the store to `<store>.copy` meanwhile.
 *   node write-changes.js <store> <seed> <fold rows> <changes>
 * Lines: `opened`, `began <tx>` before a transaction is committed, `acknowledged <tx>` when it is durable,
 * `copied` when a copy is whole, `failed <message>`.
 */

import { setImmediate } from 'node:timers/promises';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { type ScriptedChange, scriptedChange } from '../history/scripted-changes.js';

const [store, seed, foldRows, changes] = process.argv.slice(2) as [string, string, string, string];

async function load(engine: StorageEngine, { options, assert }: ScriptedChange): Promise<number> {
  const bounds = { ownPartitionRows: 40, epochRowsMax: 200 };
  const source = { kind: 'quads', quads: assert, name: 'quads' } as const;
  const staged = await engine.stageLoad([source], { ...options, blankNodeScope: 'store', threads: 1, bounds }, {});
  const { tx, durable } = staged.commit();
  await durable;
  return tx;
}

function write(engine: StorageEngine, { options, retract, assert }: ScriptedChange): Promise<number> {
  const stage = engine.stage(options);
  stage.retract(retract);
  stage.assert(assert);
  const { tx, durable } = stage.commit({ recordEmpty: true });
  return durable.then(() => tx);
}

try {
  const engine = await openLmdbEngine(store, { bounds: { foldRows: Number(foldRows), windowRows: Number(foldRows) } });
  console.log('opened');
  const first = engine.stats().transactions + 1;
  let pending: Promise<void>[] = [];
  let copying: Promise<unknown> = Promise.resolve();
  for (let tx = first; tx < first + Number(changes); tx++) {
    const change = scriptedChange(Number(seed), tx);
    const alone = change.kind === 'load' || change.fold || change.wait;
    if (alone) await Promise.all(pending.splice(0));
    console.log(`began ${tx}`);
    const written = change.kind === 'load' ? load(engine, change) : write(engine, change);
    const told = written.then((done) => console.log(`acknowledged ${done}`));
    if (alone) await told;
    else pending.push(told);
    if (change.fold) await engine.fold({});
    if (tx % 9 === 4) {
      await copying;
      copying = engine.backup(`${store}.copy`, { overwrite: true }, {}).then(() => console.log('copied'));
      // Whoever waits for it next is told.
      copying.catch(() => undefined);
    }
    // Slices of maintenance come in between.
    for (let turns = tx % 4; turns > 0; turns--) await setImmediate();
  }
  await Promise.all([...pending, copying]);
  pending = [];
  await engine.close();
  console.log('closed');
} catch (error) {
  console.log(`failed ${(error as Error).stack?.replaceAll('\n', ' | ')}`);
  process.exitCode = 1;
}
