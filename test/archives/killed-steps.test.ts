/**
 * A process that is killed by itself right after a step of a freeze or a thaw, with nothing of it cleaned up (worked examples
 * FZ-4 and FZ-5): the next opening finds one whole copy of the graph, and knows which.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Store } from '../../interfaces/library/index.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { EX, historyOf, knot, T } from '../service/time-support.js';
import {
  answersOf,
  assertOneCopy,
  failure,
  fillGraph,
  freshFolder,
  G,
  lifecycleOf,
  packsIn,
  rowsOf,
  withStore,
} from './support.js';

const LIBRARY = pathToFileURL(join(CHECKOUT, 'dist/interfaces/library/index.js')).href;

/** Another process does one thing with the store, and is gone when the step is reported. */
async function dieAt(path: string, work: 'freezeGraph' | 'thawGraph', step: string): Promise<void> {
  const program = `
    const { openStore } = await import(${JSON.stringify(LIBRARY)});
    const store = await openStore(${JSON.stringify(path)});
    await store.${work}(${JSON.stringify(G)}, {
      timestamp: ${JSON.stringify(T(5))},
      onProgress: ({ phase }) => {
        if (phase === ${JSON.stringify(step)}) process.kill(process.pid, 'SIGKILL');
      },
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' });
  const [, signal] = await once(child, 'exit');
  assert.equal(signal, 'SIGKILL', `the process did not come to '${step}'`);
}

interface Before {
  readonly answers: unknown;
  readonly history: readonly string[];
}

async function fill(path: string): Promise<Before> {
  return withStore(path, async (store) => {
    await fillGraph(store);
    return { answers: await answersOf(store), history: await historyOf(store, 'a', { graph: G }) };
  });
}

/** The graph is in the store with all of its rows, and no pack is there or attached. */
async function assertLocal(store: Store, folder: string, { answers, history }: Before): Promise<void> {
  assert.equal(await assertOneCopy(store, folder, answers), 'local');
  assert.deepEqual(await historyOf(store, 'a', { graph: G }), history);
  assert.deepEqual(packsIn(folder), []);
  assert.deepEqual((await store.graphs({ lifecycle: 'frozen' })).graphs, []);
  assert.deepEqual(await rowsOf(store, 'SELECT * { ?s ?p ?o }', { tx: 1 }), [`${EX}root ${EX}p 0`]);
}

const BEFORE_STEP_5 = ['measured', 'building', 'written', 'compared', 'named', 'verified'];

for (const step of BEFORE_STEP_5) {
  const id = step === 'named' || step === 'verified' ? 'FZ-4 ' : '';
  test(`${id}killed after '${step}' of a freeze: the graph is the store's with all rows, and no pack is attached`, async () => {
    const { folder, path } = freshFolder();
    const before = await fill(path);
    await dieAt(path, 'freezeGraph', `freeze: ${step}`);
    if (step === 'verified') {
      // Whoever only reads has nothing to clean up with, and reads the rows of the store.
      await withStore(path, async (store) => assert.deepEqual(await answersOf(store), before.answers), {
        readOnly: true,
      });
      assert.equal(packsIn(folder).length, 1);
    }
    await withStore(path, async (store) => {
      await assertLocal(store, folder, before);
      await knot(store, 'ex:a ex:p 1 .', { graph: G });
      await store.freezeGraph(G);
      assert.equal(await assertOneCopy(store, folder, before.answers), 'frozen');
    });
  });
}

test('FZ-5 killed after step 5 of a freeze: the graph is frozen and readable', async () => {
  const { folder, path } = freshFolder();
  const before = await fill(path);
  await dieAt(path, 'freezeGraph', 'freeze: frozen');
  for (const readOnly of [true, false]) {
    await withStore(
      path,
      async (store) => {
        assert.equal(await assertOneCopy(store, folder, before.answers), 'frozen');
        assert.deepEqual(await rowsOf(store, 'SELECT * { ?s ?p ?o }'), [`${EX}root ${EX}p 0`]);
        assert.equal((await failure(store.query('ASK {}', { tx: 1 }))).httpStatus, 400);
      },
      { readOnly },
    );
  }
  await withStore(path, async (store) => {
    assert.equal((await failure(knot(store, 'ex:a ex:p 9 .', { graph: G }))).code, 'state_conflict');
    await store.thawGraph(G);
    assert.deepEqual(await historyOf(store, 'a', { graph: G }), before.history);
  });
});

for (const [step, wanted] of [
  ['compared', 'frozen'],
  ['thawed', null],
] as const) {
  test(`killed after '${step}' of a thaw: ${wanted === null ? 'the rows of the store' : 'the pack'} alone answers`, async () => {
    const { folder, path } = freshFolder();
    const before = await fill(path);
    await withStore(path, (store) => store.freezeGraph(G));
    await dieAt(path, 'thawGraph', `thaw: ${step}`);
    await withStore(path, async (store) => {
      await assertOneCopy(store, folder, before.answers);
      assert.equal(await lifecycleOf(store), wanted);
      assert.equal(packsIn(folder).length, 1, 'the file of a thawed graph is kept');
      if (wanted === 'frozen') await store.thawGraph(G);
      assert.deepEqual(await historyOf(store, 'a', { graph: G }), before.history);
    });
  });
}
