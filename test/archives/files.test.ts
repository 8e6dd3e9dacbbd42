/** The files of frozen graphs: missing, moved, copied, foreign, and what an earlier process has left. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../interfaces/library/index.js';
import { EX, knot } from '../service/time-support.js';
import {
  answersOf,
  assertOneCopy,
  failure,
  fillGraph,
  folders,
  freshFolder,
  G,
  lifecycleOf,
  onBoth,
  packsIn,
  rowsOf,
  withStore,
} from './support.js';

test('a pack that is missing or of another size: the store opens, says so, and answers nothing shorter', async () => {
  const { path } = freshFolder();
  const { archive } = await withStore(path, async (store) => {
    await fillGraph(store);
    return store.freezeGraph(G);
  });
  const sound = readFileSync(archive);
  const damages: readonly (readonly [() => void, RegExp])[] = [
    [() => rmSync(archive), /is not there/],
    [() => writeFileSync(archive, sound.subarray(0, sound.length - 4096)), /bytes/],
    [() => writeFileSync(archive, ''), /0 bytes/],
  ];
  for (const readOnly of [false, true]) {
    for (const [damage, message] of damages) {
      writeFileSync(archive, sound);
      damage();
      await withStore(
        path,
        async (store) => {
          assert.match((await store.graph(G))?.archive?.error ?? '', message);
          for (const query of [`ASK { GRAPH <${G}> { ?s ?p ?o } }`, `ASK FROM <${G}> { ?s ?p ?o }`]) {
            const error = await failure(store.query(query).then(async (answer) => answer));
            assert.deepEqual([error.code, error.httpStatus], ['unavailable', 503]);
          }
          assert.deepEqual(await rowsOf(store, 'SELECT * { ?s ?p ?o }'), [`${EX}root ${EX}p 0`]);
          assert.equal((await failure(store.query('ASK {}', { tx: 1 }))).httpStatus, 400);
          if (!readOnly) assert.equal((await failure(store.thawGraph(G))).code, 'state_conflict');
        },
        { readOnly },
      );
    }
  }
  writeFileSync(archive, sound);
  await withStore(path, async (store) => {
    await store.thawGraph(G);
    assert.equal((await store.graph(G))?.facts, 3);
  });
});

async function textOf(answer: Promise<AsyncIterable<Uint8Array>>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const bytes of await answer) parts.push(bytes);
  return Buffer.concat(parts).toString();
}

test('a pack that is taken away from a running store and put back is read again, also while it is verified', async () => {
  const { path } = freshFolder();
  for (const readers of [0, 2]) {
    await withStore(
      path,
      async (store) => {
        if ((await store.graph(G)) === null) await fillGraph(store);
        const answers = await answersOf(store);
        const { archive } = await store.freezeGraph(G);
        const ask = `SELECT ?o { GRAPH <${G}> { ?s ?p ?o } }`;
        const read = (): Promise<string> => textOf(store.read(ask));
        const before = await read();
        const sound = readFileSync(archive);
        for (let round = 0; round < 3; round++) {
          assert.deepEqual(await answersOf(store), answers);
          rmSync(archive);
          assert.equal((await failure(read())).code, 'unavailable');
          writeFileSync(archive, sound);
          if (round > 0) assert.equal((await store.verifyPack(archive)).ok, true);
          assert.equal(await read(), before);
          assert.equal((await store.verifyPack(archive)).ok, true);
          assert.equal(await read(), before);
          assert.deepEqual(await answersOf(store), answers);
        }
        await store.thawGraph(G);
        assert.deepEqual(await answersOf(store), answers);
      },
      { readers },
    );
  }
});

test('a store that is moved with its folder finds its archives; a pack elsewhere is found by its place', async () => {
  const { folder, path } = freshFolder();
  const elsewhere = folders.fresh('');
  mkdirSync(elsewhere);
  const answers = await withStore(path, async (store) => {
    await fillGraph(store);
    const before = await answersOf(store);
    await store.freezeGraph(G);
    return before;
  });
  const moved = `${folder}-moved`;
  renameSync(folder, moved);
  const there = join(moved, 'store.db');
  await withStore(there, async (store) => {
    assert.equal(await assertOneCopy(store, moved, answers), 'frozen');
    await store.thawGraph(G);
    await store.freezeGraph(G, { outDir: elsewhere });
    assert.ok((await store.graph(G))?.archive?.path.startsWith('/'));
  });
  await withStore(there, async (store) => assert.deepEqual(await answersOf(store), answers), { readOnly: true });
});

test('a copy of a store that was copied while it froze leaves the pack of its original alone', async () => {
  const { folder, path } = freshFolder();
  const answers = await withStore(path, async (store) => {
    await fillGraph(store);
    const before = await answersOf(store);
    await store.freezeGraph(G, {
      onProgress: ({ phase }) => {
        if (phase === 'freeze: verified') cpSync(path, join(folder, 'copy.db'));
      },
    });
    return before;
  });
  await withStore(join(folder, 'copy.db'), async (store) => assert.equal(await lifecycleOf(store), null));
  await withStore(path, async (store) => assert.equal(await assertOneCopy(store, folder, answers), 'frozen'));
});

test('two graphs with the same name and contents get two files', async () => {
  const { folder, path } = freshFolder();
  await withStore(path, async (store) => {
    const graphs = ['http://one.example/old', 'http://two.example/old'];
    await store.update(`INSERT DATA { ${graphs.map((one) => `GRAPH <${one}> { <urn:a> <urn:b> 1 }`).join(' ')} }`);
    for (const graph of graphs) await store.freezeGraph(graph);
    assert.equal(packsIn(folder).length, 2);
    for (const graph of graphs)
      assert.deepEqual(await rowsOf(store, 'SELECT * { ?s ?p ?o }', { graph }), ['urn:a urn:b 1']);
  });
});

test('a file of that name with other contents is refused, and stays', async () => {
  const { folder, path } = freshFolder();
  await withStore(path, async (store) => {
    await fillGraph(store);
    const { archive } = await store.freezeGraph(G);
    await store.thawGraph(G);
    const foreign = Buffer.from('no pack at all');
    writeFileSync(archive, foreign);
    assert.match((await failure(store.freezeGraph(G))).message, /is there already/);
    assert.deepEqual(readFileSync(archive), foreign);
    assert.deepEqual(packsIn(folder).length, 1);
    rmSync(archive);
    symlinkSync(path, archive);
    assert.match((await failure(store.freezeGraph(G))).message, /is there already/);
  });
});

onBoth('freeze and thaw are events of their own, and the log tells of nothing else', async (store) => {
  const before = store.events.last;
  const { tx } = await store.freezeGraph(G);
  const thawed = await store.thawGraph(G);
  const { events } = await store.events.read({ since: before });
  assert.deepEqual(
    events.map(({ type, subject, tx_id: at, payload }) => [type, subject, at, Object.keys(payload as object)]),
    [
      ['graph.frozen', G, tx, ['graph', 'tx', 'content_hash', 'facts']],
      ['graph.thawed', G, thawed.tx, ['graph', 'tx', 'content_hash', 'facts']],
    ],
  );
});

test('readers and the writer thread read archives, and see them come and go', async () => {
  const { path } = freshFolder();
  await withStore(path, fillGraph);
  await withStore(
    path,
    async (store) => {
      const ask = async (): Promise<string> => {
        const answer = await store.read(`SELECT (COUNT(*) AS ?n) { GRAPH <${G}> { ?s ?p ?o } }`, { format: 'csv' });
        let text = '';
        for await (const bytes of answer) text += Buffer.from(bytes).toString();
        return text.trim().split(/\s+/)[1] as string;
      };
      assert.equal(await ask(), '3');
      for (let round = 0; round < 3; round++) {
        await store.freezeGraph(G);
        assert.equal(await ask(), '3');
        assert.equal((await failure(knot(store, 'ex:a ex:p 9 .', { graph: G }))).code, 'state_conflict');
        await store.thawGraph(G);
        assert.equal(await ask(), '3');
      }
    },
    { readers: 2, writerThread: true },
  );
});

test('an unfinished freeze of another process is looked after at the next opening', async () => {
  const { folder, path } = freshFolder();
  const store = await openStore(path);
  await fillGraph(store);
  const answers = await answersOf(store);
  const dead = new Error('dead');
  // Nothing after the step runs, as if the process were gone: no cleaning up either.
  for (const step of ['building', 'written', 'named', 'verified']) {
    const copy = join(folders.fresh(''));
    mkdirSync(copy);
    await assert.rejects(
      store.freezeGraph(G, {
        onProgress: ({ phase }) => {
          if (phase !== `freeze: ${step}`) return;
          cpSync(folder, copy, { recursive: true });
          throw dead;
        },
      }),
      /dead/,
    );
    rmSync(join(copy, 'store.db-lock'), { force: true });
    rmSync(join(copy, 'store.db-writer'), { force: true });
    await withStore(join(copy, 'store.db'), async (reopened) => {
      assert.equal(await assertOneCopy(reopened, copy, answers), 'local', step);
      assert.deepEqual(packsIn(copy), [], step);
    });
  }
  await store.close();
});
