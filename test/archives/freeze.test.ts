/** Freezing and thawing: what moves, what stays readable, what is refused, and what a fault at any step leaves. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openStore, type Store, type SvcError, terms } from '../../interfaces/library/index.js';
import { EX, historyOf, knot, quad, T, trace } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { answersOf, assertOneCopy, failure, fillGraph, G, lifecycleOf, packsIn, rowsOf, withStore } from './support.js';

const folders = new StoreFolder();
/** Places of a file at which a byte is altered. */
const ALTERED = 40;

/** A folder of its own with a store file. */
function fresh(): { readonly folder: string; readonly path: string } {
  const folder = folders.fresh('');
  mkdirSync(folder);
  return { folder, path: join(folder, 'store.db') };
}

/** With a filled store in a file and in memory, and the folder of its archives. */
function onBoth(name: string, work: (store: Store, folder: string) => Promise<void>): void {
  for (const kind of ['memory', 'file']) {
    test(`${name} (${kind})`, async () => {
      const { folder, path } = fresh();
      const memory = { archives: { dir: folder } };
      await withStore(
        kind === 'memory' ? ':memory:' : path,
        async (store) => {
          await fillGraph(store);
          await work(store, folder);
        },
        kind === 'memory' ? memory : {},
      );
    });
  }
}

onBoth('FZ-1 a frozen graph is read by its name and by its times, and is not written', async (store, folder) => {
  const [plain, history] = [await rowsOf(store, 'SELECT * { ?s ?p ?o }'), await store.history(`${EX}a`, { graph: G })];
  const answers = await answersOf(store);
  const frozen = await store.freezeGraph(G, { timestamp: T(5), actor: 'bob' });
  assert.equal(frozen.lifecycle, 'frozen');
  assert.equal(frozen.facts, 5, 'four assertions and a retraction');
  assert.equal(frozen.transactions, 2);
  assert.equal(dirname(frozen.archive), folder);
  assert.match(frozen.archive, /\/old-[0-9a-f]{12}\.qpack\.db$/);
  assert.ok(frozen.archive.includes(frozen.sha256.slice(0, 12)));
  const last = store.transactions().at(-1);
  assert.deepEqual([last?.id, last?.source, last?.actor, last?.timestamp], [frozen.tx, `freeze:${G}`, 'bob', T(5)]);
  const { graphs } = await store.graphs({ lifecycle: 'frozen' });
  assert.deepEqual(
    graphs.map(({ iri, facts, archive }) => [iri, facts, archive?.error, archive?.sha256, archive?.frozenAt]),
    [[G, 3, null, frozen.sha256, T(5)]],
  );
  assert.deepEqual(await answersOf(store), answers);
  assert.deepEqual(await rowsOf(store, `SELECT * FROM <${G}> { ?s ex:p ?o }`), [`_ x`, `${EX}a 1`]);
  assert.deepEqual(await rowsOf(store, `SELECT ?o { GRAPH <${G}> { ex:a ex:p ?o } }`, { validAt: T(2) }), ['1', '2']);
  assert.deepEqual(await rowsOf(store, 'SELECT * { ?s ?p ?o }'), plain);
  assert.deepEqual(await rowsOf(store, 'SELECT ?g { GRAPH ?g { ?s ?p ?o } }'), []);
  assert.equal((await failure(store.query('ASK { ?s ?p ?o }', { tx: 1 }))).httpStatus, 400);
  assert.equal((await failure(knot(store, 'ex:a ex:p 9 .', { graph: G }))).code, 'state_conflict');
  assert.equal((await failure(store.freezeGraph(G))).code, 'state_conflict');
  assert.equal(history.history.length, 4);
});

onBoth('FZ-2 thawing brings the history back with its transactions, and keeps the file', async (store, folder) => {
  const [history, answers] = [await historyOf(store, 'a', { graph: G }), await answersOf(store)];
  const before = await rowsOf(store, 'SELECT ?s ?p ?o { ?s ?p ?o }', { graph: G, tx: 2 });
  await store.freezeGraph(G, { timestamp: T(5) });
  const thawed = await store.thawGraph(G, { timestamp: T(6) });
  assert.equal(thawed.lifecycle, null);
  assert.ok(existsSync(thawed.archive));
  assert.equal(packsIn(folder).length, 1);
  assert.deepEqual(await historyOf(store, 'a', { graph: G }), history);
  assert.deepEqual(await answersOf(store), answers);
  assert.deepEqual(await rowsOf(store, 'SELECT ?s ?p ?o { ?s ?p ?o }', { graph: G, tx: 2 }), before);
  assert.deepEqual(await rowsOf(store, 'SELECT * { ?s ?p ?o }', { tx: 1 }), [`${EX}root ${EX}p 0`]);
  assert.equal(store.transactions().at(-1)?.source, `thaw:${G}`);
  assert.equal((await failure(store.thawGraph(G))).code, 'state_conflict');
  await knot(store, 'ex:new ex:p 1 .', { graph: G });
  // The same contents no more, so another file; and again from the same file.
  const again = await store.freezeGraph(G, { timestamp: T(7) });
  assert.notEqual(again.archive, thawed.archive);
  await store.thawGraph(G);
  const third = await store.freezeGraph(G);
  assert.equal(third.archive, again.archive);
  assert.equal(packsIn(folder).length, 2);
});

onBoth('FZ-3 an altered pack is not thawed, and the graph stays frozen', async (store) => {
  const answers = await answersOf(store);
  const { archive } = await store.freezeGraph(G);
  const sound = readFileSync(archive);
  let refused = 0;
  for (let part = 1; part < ALTERED; part++) {
    const altered = Buffer.from(sound);
    const at = altered.findIndex((byte, index) => index >= (part * sound.length) / ALTERED && byte !== 0);
    if (at < 0) continue;
    altered[at] = (altered[at] as number) ^ 0x11;
    writeFileSync(archive, altered);
    const transactions = store.transactions().length;
    try {
      await store.thawGraph(G);
    } catch (error) {
      assert.equal((error as SvcError).code, 'state_conflict');
      assert.equal(await lifecycleOf(store), 'frozen');
      assert.equal(store.transactions().length, transactions);
      refused++;
      continue;
    }
    // It was a byte of a page that nothing uses: what came back is what left.
    assert.deepEqual(await answersOf(store), answers);
    writeFileSync(archive, sound);
    await store.freezeGraph(G);
  }
  assert.ok(refused > ALTERED / 10, `${refused} of ${ALTERED}`);
  writeFileSync(archive, sound);
  await store.thawGraph(G);
  assert.deepEqual(await answersOf(store), answers);
});

/** Steps of a freeze as it reports them, and what the store is afterwards. */
const FREEZE_STEPS = ['measured', 'building', 'written', 'compared', 'named', 'verified', 'frozen'] as const;

for (const [at, wanted] of FREEZE_STEPS.entries()) {
  onBoth(`a freeze that fails at '${wanted}' leaves one whole copy`, async (store, folder) => {
    const answers = await answersOf(store);
    let seen = 0;
    const onProgress = ({ phase }: { readonly phase: string }): void => {
      if (!phase.startsWith('freeze: ')) return;
      if (seen++ === at) {
        assert.equal(phase, `freeze: ${wanted}`);
        throw new Error('injected');
      }
    };
    await assert.rejects(store.freezeGraph(G, { onProgress }), /injected/);
    assert.equal(await assertOneCopy(store, folder, answers), wanted === 'frozen' ? 'frozen' : 'local');
    if (wanted === 'frozen') return;
    assert.deepEqual(packsIn(folder), []);
    await store.freezeGraph(G);
    assert.equal(await assertOneCopy(store, folder, answers), 'frozen');
  });
}

for (const [at, wanted] of ['compared', 'thawed'].entries()) {
  onBoth(`a thaw that fails at '${wanted}' leaves one whole copy`, async (store, folder) => {
    const answers = await answersOf(store);
    await store.freezeGraph(G);
    let seen = 0;
    const onProgress = ({ phase }: { readonly phase: string }): void => {
      if (phase.startsWith('thaw: ') && seen++ === at) throw new Error('injected');
    };
    await assert.rejects(store.thawGraph(G, { onProgress }), /injected/);
    assert.equal(await assertOneCopy(store, folder, answers), wanted === 'thawed' ? 'local' : 'frozen');
  });
}

onBoth('each refusal of a freeze leaves everything as it was', async (store, folder) => {
  await store.update(`INSERT DATA { GRAPH <${EX}other> { <${EX}a> <${EX}p> 1 } }`);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const before = await trace(store);
  const cases: readonly [graph: string, outDir: string | undefined, code: string, message: RegExp][] = [
    [`${EX}none`, undefined, 'not_found_in_store', /unknown graph/],
    ['urn:svc:graph:root', undefined, 'invalid_request', /is ROOT/],
    ['urn:svc:graph:meta', undefined, 'invalid_request', /meta graph/],
    ['urn:svc:graph:registry', undefined, 'not_found_in_store', /unknown graph/],
    ['urn:svc:dataset:frozen', undefined, 'not_found_in_store', /unknown graph/],
    [G, join(folder, 'nowhere'), 'invalid_request', /is not there/],
    [G, file, 'invalid_request', /is no folder/],
  ];
  for (const [graph, outDir, code, message] of cases) {
    const error = await failure(store.freezeGraph(graph, { outDir }));
    assert.equal(error.code, code, graph);
    assert.match(error.message, message);
  }
  assert.equal((await failure(store.thawGraph(G))).code, 'state_conflict');
  assert.equal((await failure(store.thawGraph(`${EX}none`))).code, 'not_found_in_store');
  assert.match((await failure(store.freezeGraph(G, { timestamp: 'yesterday' }))).message, /timestamp/);
  assert.deepEqual(await trace(store), before);
});

test('a store in memory without a folder refuses to freeze', async () => {
  await withStore(':memory:', async (store) => {
    await fillGraph(store);
    assert.match((await failure(store.freezeGraph(G))).message, /no folder for archives/);
  });
});

test('a store that is open for reading refuses to freeze and to thaw', async () => {
  const { path } = fresh();
  await withStore(path, fillGraph);
  await withStore(path, async (store) => assert.equal((await failure(store.freezeGraph(G))).httpStatus, 403), {
    readOnly: true,
  });
});

onBoth('nothing writes a frozen graph, by whichever way', async (store) => {
  await store.freezeGraph(G);
  await store.update(`INSERT DATA { GRAPH <${EX}h> { <${EX}a> <${EX}p> 1 } }`);
  const before = await trace(store);
  const P = `PREFIX ex: <${EX}> `;
  const updates = [
    `INSERT DATA { GRAPH <${G}> { ex:n ex:p 1 } }`,
    `DELETE DATA { GRAPH <${G}> { ex:a ex:p 1 } }`,
    `DELETE WHERE { GRAPH <${G}> { ?s ?p ?o } }`,
    `INSERT { GRAPH <${G}> { ex:n ex:p ?o } } WHERE { ?s ?p ?o }`,
    `WITH <${G}> DELETE { ?s ?p ?o } INSERT { ?s ?p 7 } WHERE { ?s ?p ?o }`,
    `CLEAR GRAPH <${G}>`,
    `DROP GRAPH <${G}>`,
    `DROP SILENT GRAPH <${G}>`,
    `COPY ex:h TO <${G}>`,
    `MOVE ex:h TO <${G}>`,
    `MOVE <${G}> TO ex:h`,
    `ADD ex:h TO <${G}>`,
  ];
  const works: (() => Promise<unknown>)[] = [
    ...updates.map((text) => () => store.update(P + text)),
    () => knot(store, 'ex:n ex:p 1 .', { graph: G }),
    () => knot(store, `ex:n ex:p 1 . <${G}> { ex:n ex:p 1 }`),
    () =>
      store.load({
        quads: [terms.quad(terms.namedNode(G), terms.namedNode(G), terms.namedNode(G), terms.namedNode(G))],
      }),
    () => store.writeGraph('put', G, [{ text: `<${EX}n> <${EX}p> 1 .`, format: 'turtle' }]),
    () => store.writeGraph('post', G, [{ text: `<${EX}n> <${EX}p> 1 .`, format: 'turtle' }]),
    () => store.writeGraph('delete', G, []),
    () => store.transact({ assert: [{ ...quad('n', 'p', 1), graph: terms.namedNode(G) } as never] }),
    () =>
      store.transact((draft) =>
        draft.retract([
          terms.quad(terms.namedNode(`${EX}a`), terms.namedNode(`${EX}p`), terms.literal('x'), terms.namedNode(G)),
        ]),
      ),
    () => store.retractSource('x', { repair: 'T-1', graph: G, apply: true }),
    () => store.writeEpisode({ name: 'e', graph: G, nodes: [{ name: 'n' }] }),
    () => new Promise((resolve, reject) => store.deleteGraph(G).on('end', resolve).on('error', reject)),
  ];
  for (const work of works) {
    const error = await failure(work());
    assert.equal(error.code, 'state_conflict', `${work}: ${error.message}`);
    assert.match(`${error.message} ${error.hint}`, /thaw/);
  }
  assert.deepEqual(await trace(store), before);
  // To read it in an update is allowed, and gives what it holds.
  await store.update(
    `${P} ADD <${G}> TO ex:copy ; INSERT { GRAPH ex:more { ?s ?p ?o } } WHERE { GRAPH <${G}> { ?s ?p ?o } }`,
  );
  for (const name of ['copy', 'more']) assert.equal((await store.graph(EX + name))?.facts, 3, name);
  await store.update('CLEAR NAMED');
  await store.thawGraph(G);
  assert.equal((await store.graph(G))?.facts, 3);
});

onBoth('reads as of a transaction are refused while a graph is frozen', async (store) => {
  await store.freezeGraph(G);
  const asOf = { tx: 1 };
  const works: (() => unknown)[] = [
    () => store.query('ASK {}', asOf),
    () => store.read('ASK {}', asOf),
    () => store.explain('ASK {}', asOf),
    async () => (await store.prepare('ASK {}')).query({}, asOf),
    () => store.unravel(asOf),
    () => store.shapeSets(asOf),
    () => store.validate('<urn:a> <urn:b> 1 .', asOf),
    async () => store.snapshot(asOf),
    async () => store.dataset(asOf),
    () => store.query('ASK {}', { tx: 1, validAt: T(1) }),
  ];
  for (const work of works) {
    const error = await failure(Promise.resolve(work()));
    assert.match(error.message, /while graphs are frozen/, String(work));
    assert.match(error.hint ?? '', /valid_at.*archives\.as_of/);
  }
  await store.unravel({ validAt: T(1) });
  assert.ok(store.transactions().length > 3);
  await store.thawGraph(G);
  await store.query('ASK {}', asOf);
});

test('with archives.as_of "allow" they are answered from store and packs together', async () => {
  const { path } = fresh();
  await withStore(
    path,
    async (store) => {
      await fillGraph(store);
      const before: string[][] = [];
      for (const tx of [1, 2, 3]) before.push(await rowsOf(store, 'SELECT * { ?s ?p ?o }', { graph: G, tx }));
      await store.freezeGraph(G);
      for (const tx of [1, 2, 3]) {
        assert.deepEqual(await rowsOf(store, 'SELECT * { ?s ?p ?o }', { graph: G, tx }), before[tx - 1]);
      }
      assert.deepEqual(await rowsOf(store, 'SELECT * { ?s ?p ?o }', { tx: 1 }), [`${EX}root ${EX}p 0`]);
    },
    { archives: { asOf: 'allow' } },
  );
});

test('a pack that is missing or of another size: the store opens, says so, and answers nothing shorter', async () => {
  const { path } = fresh();
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

test('a store that is moved with its folder finds its archives; a pack elsewhere is found by its place', async () => {
  const { folder, path } = fresh();
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
  const { folder, path } = fresh();
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
  const { folder, path } = fresh();
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
  const { folder, path } = fresh();
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
  const { path } = fresh();
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
  const { folder, path } = fresh();
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
