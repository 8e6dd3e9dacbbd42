/** Freezing and thawing: what moves, what stays readable, what is refused, and what a fault at any step leaves. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { type Progress, type Store, type SvcError, terms } from '../../interfaces/library/index.js';
import { EX, historyOf, knot, quad, T, trace } from '../service/time-support.js';
import {
  answersOf,
  assertOneCopy,
  failure,
  fillGraph,
  freshFolder,
  G,
  lifecycleOf,
  onBoth,
  packsIn,
  rowsOf,
  withStore,
} from './support.js';

/** Places of a file at which a byte is altered. */
const ALTERED = 40;
const LATER = new Date('2040-01-01T00:00:00Z');

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

/** Freezes, and does something to the one file of archives that is there when a step is done. */
function freezeWith(store: Store, folder: string, step: string, change: (path: string) => void): Promise<unknown> {
  const onProgress = ({ phase }: Progress): void => {
    if (phase === `freeze: ${step}`) change(join(folder, packsIn(folder)[0] as string));
  };
  return store.freezeGraph(G, { onProgress });
}

/** Alters the first byte that is not 0 from a share of a file on, as if it were written later. */
function alterByte(path: string, share: number): void {
  const bytes = readFileSync(path);
  const at = bytes.findIndex((byte, index) => index >= share * bytes.length && byte !== 0);
  if (at < 0) return;
  bytes[at] = (bytes[at] as number) ^ 0x11;
  writeFileSync(path, bytes);
  utimesSync(path, LATER, LATER);
}

onBoth(
  'a file that is altered in one byte once it is written is refused, or holds what was written',
  async (store, folder) => {
    const answers = await answersOf(store);
    let refused = 0;
    for (let part = 1; part < ALTERED; part++) {
      const error = await freezeWith(store, folder, 'written', (path) => alterByte(path, part / ALTERED)).then(
        () => null,
        (failed: SvcError) => failed,
      );
      if (error === null) {
        // It was a byte of a page that nothing uses: what comes back is what left.
        assert.equal(await assertOneCopy(store, folder, answers), 'frozen');
        const { archive } = await store.thawGraph(G);
        rmSync(archive);
      } else {
        refused++;
        assert.match(error.code, /^store_(corrupt|foreign|newer)$/, error.message);
      }
      assert.deepEqual([await lifecycleOf(store), await answersOf(store)], [null, answers]);
      assert.deepEqual(packsIn(folder), []);
    }
    assert.ok(refused > ALTERED / 10, `${refused} of ${ALTERED}`);
  },
);

/** What may come to the file of a freeze or a thaw, besides an altered byte; with packs of another graph and another store. */
async function changesOf(store: Store): Promise<Readonly<Record<string, (path: string) => void>>> {
  const aside = freshFolder();
  const [other, copy] = [join(aside.folder, 'other'), join(aside.folder, 'copy')];
  await store.update(`INSERT DATA { GRAPH <${EX}other> { <${EX}a> <${EX}p> 1 } }`);
  await store.packGraph(`${EX}other`, other);
  // A store of its own that holds the very same graph in the same transactions.
  const { archive: twin } = await withStore(aside.path, async (one) => {
    await fillGraph(one);
    return one.freezeGraph(G);
  });
  const exchange = (path: string, by: string): void => {
    cpSync(by, copy);
    renameSync(copy, path);
  };
  return {
    'is gone': (path) => rmSync(path),
    'is empty': (path) => writeFileSync(path, ''),
    'is cut': (path) => writeFileSync(path, readFileSync(path).subarray(0, -4096)),
    'is no pack': (path) => writeFileSync(path, 'no pack at all'),
    'is that of another graph': (path) => exchange(path, other),
    'is that of another store': (path) => exchange(path, twin),
    'is a link to a copy': (path) => {
      cpSync(path, copy);
      rmSync(path);
      symlinkSync(copy, path);
    },
  };
}

onBoth(
  'whatever comes to the file between two steps of a freeze, it is refused, and the rows stay',
  async (store, folder) => {
    const answers = await answersOf(store);
    const changes = await changesOf(store);
    const later = { ...changes, 'is altered': (path: string) => alterByte(path, 0.5) };
    for (const step of ['written', 'compared', 'named', 'verified']) {
      for (const [what, change] of Object.entries(step === 'written' ? changes : later)) {
        const { code, message } = await failure(freezeWith(store, folder, step, change));
        assert.match(code, /^store_(corrupt|foreign|missing)$/, `${step}, ${what}: ${message}`);
        assert.equal(await assertOneCopy(store, folder, answers), 'local', `${step}, ${what}`);
        assert.deepEqual(packsIn(folder), [], `${step}, ${what}`);
      }
    }
    await store.freezeGraph(G);
    assert.equal(await assertOneCopy(store, folder, answers), 'frozen');
  },
);

onBoth('whatever comes to the file once a thaw has read it, the thaw is refused', async (store, folder) => {
  const answers = await answersOf(store);
  const changes = await changesOf(store);
  const { archive } = await store.freezeGraph(G);
  const sound = readFileSync(archive);
  for (const [what, change] of Object.entries({ ...changes, altered: (path: string) => alterByte(path, 0.5) })) {
    const onProgress = ({ phase }: Progress): void => {
      if (phase === 'thaw: compared') change(archive);
    };
    const { code } = await failure(store.thawGraph(G, { onProgress }));
    assert.equal(code, 'store_corrupt', what);
    assert.equal(await lifecycleOf(store), 'frozen', what);
    rmSync(archive, { force: true });
    writeFileSync(archive, sound);
    assert.equal(await assertOneCopy(store, folder, answers), 'frozen', what);
  }
  await store.thawGraph(G);
  assert.equal(await assertOneCopy(store, folder, answers), 'local');
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
  const { path } = freshFolder();
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
  const { path } = freshFolder();
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
