/** What rules say, and which graphs of a store that means as it grows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayRead } from '../../engine/base/principal.js';
import { ReadRules, readRulesOf } from '../../engine/governance/read-rules.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const EX = 'http://example.org/';
const ROOT = 'urn:svc:graph:root';
const folder = new StoreFolder();

test('rules of one reader count together, and `except` takes from its own rule alone', () => {
  const rules = new ReadRules([
    { principal: 'everyone', graphs: [`${EX}a`] },
    { principal: 'shared', graphs: ['*'], except: [`${EX}team/*`, 'ROOT'] },
    { principal: `${EX}ana`, graphs: ['ROOT', `${EX}team/*`], except: [`${EX}team/closed`] },
    { principal: `${EX}ana`, graphs: [`${EX}team/closed`] },
    { principal: `${EX}bob`, graphs: ['*'] },
  ]);
  const reads = (name: string) => (iri: string) => mayRead({ authenticated: null, ...rules.grant(name) }, iri);
  const [anonymous, shared, ana, bob] = ['anonymous', 'shared', `${EX}ana`, `${EX}bob`].map(reads);
  const seen = (read: ((iri: string) => boolean) | undefined, ...iris: readonly string[]) =>
    iris.map((iri) => read?.(iri));
  assert.deepEqual(seen(anonymous, `${EX}a`, `${EX}a#inferred`, `${EX}b`, ROOT), [true, true, false, false]);
  assert.deepEqual(seen(reads(`${EX}nobody`), `${EX}a`, `${EX}b`), [true, false], 'whom no rule names');
  assert.deepEqual(seen(shared, `${EX}b`, `${EX}team/x`, `${EX}team/x#inferred`, ROOT), [true, false, false, false]);
  assert.deepEqual(
    seen(shared, 'urn:svc:fork:f', 'urn:svc:graph:meta'),
    [false, false],
    'copies are named or not meant',
  );
  assert.deepEqual(seen(ana, ROOT, `${ROOT}#inferred`, `${EX}team/x`, `${EX}team/closed`, `${EX}b`), [
    true,
    true,
    true,
    true,
    false,
  ]);
  assert.deepEqual(seen(bob, `${EX}b`, ROOT, 'urn:svc:fork:f'), [true, true, true]);
  assert.equal(rules.grant(`${EX}bob`).readable, null, 'who may read everything is not narrowed');
  assert.deepEqual([readRulesOf(undefined), readRulesOf([])], [null, null]);
});

async function seenBy(store: Store): Promise<string[]> {
  const answer = await store.select('SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g');
  const found: string[] = [];
  for await (const { g } of answer.bindings()) found.push(String(g?.value).replace(EX, ''));
  return found;
}

for (const kind of ['memory', 'file']) {
  test(`a view follows the store: new graphs, overlays, companions, forks, past states (${kind})`, async (t) => {
    const readRules = [
      { principal: 'anonymous', graphs: [`${EX}open/*`, `${EX}later`] },
      { principal: 'shared', graphs: ['*'] },
    ];
    const store = await openStore(kind === 'memory' ? ':memory:' : folder.fresh(), { governance: { readRules } });
    t.after(() => store.close());
    const write = (graph: string) =>
      store.load({ text: `<${EX}s> <${EX}p> "${graph}" .`, format: 'turtle' }, { graph: EX + graph });
    await store.load({ text: `<${EX}s> <${EX}p> "root" .`, format: 'turtle' });
    const view = store.readAs('anonymous');
    assert.deepEqual(await seenBy(view), []);
    await write('closed');
    await write('open/1');
    assert.deepEqual(await seenBy(view), ['open/1']);
    await write('later');
    await write('open/2');
    assert.deepEqual(await seenBy(view), ['later', 'open/1', 'open/2']);
    assert.equal(store.readAs('anonymous'), view, 'one view for all who may read the same');
    assert.equal(store.readAs('shared'), store);
    assert.equal(view.readAs('shared'), view, 'a view opens nothing');

    const past = await view.select('SELECT ?g { GRAPH ?g { ?s ?p ?o } }', { tx: 3 });
    const then: unknown[] = [];
    for await (const { g } of past.bindings()) then.push(g?.value);
    assert.deepEqual(then, [`${EX}open/1`]);

    await store.createFork({ tx: 1, name: 'copy' });
    await store.createOverlay(`${EX}open/over`, { parent: `${EX}closed` });
    await store.writeOverlay(`${EX}open/over`, { op: 'assert', subject: `${EX}s`, predicate: `${EX}p`, object: 'x' });
    assert.deepEqual(
      await seenBy(view),
      ['later', 'open/1', 'open/2'],
      'a fork of ROOT, and what lies over a hidden graph',
    );
    const listed = (await view.graphs()).graphs.map(({ iri }) => iri).filter((iri) => iri.startsWith(EX));
    assert.deepEqual(listed.sort(), [`${EX}later`, `${EX}open/1`, `${EX}open/2`]);

    await store.update(`DELETE WHERE { GRAPH <${EX}open/1> { ?s ?p ?o } }`);
    assert.deepEqual(await seenBy(view), ['later', 'open/2']);
    const history = await view.history(`${EX}s`, { graph: `${EX}open/1` });
    assert.equal(history.history.length > 0, true, 'a graph that is empty now has its past');
  });
}

test('a view writes what it reads, and what is about every graph says so', async (t) => {
  const governance = { readRules: [{ principal: 'everyone', graphs: [`${EX}a`] }] };
  const store = await openStore(':memory:', { governance });
  t.after(() => store.close());
  await store.load({ text: `<${EX}s> <${EX}p> 1 .`, format: 'turtle' }, { graph: `${EX}a` });
  const view = store.readAs('anonymous');
  const none = { code: 'authority_denied', message: /is none that the reader may read, and so none/ };
  const text = `<${EX}t> <${EX}p> 2 .`;
  await assert.rejects(view.load({ text, format: 'turtle' }), none);
  await assert.rejects(view.load({ text: `<${EX}b> { ${text} }`, format: 'trig' }, { graph: `${EX}a` }), none);
  await view.load({ text: `<${EX}a> { ${text} }`, format: 'trig' }, { graph: `${EX}a` });
  await view.transact((draft) => {
    assert.equal(draft.count(), 2, 'a draft shows what may be read');
  });
  await assert.rejects(view.storeQuery({ name: 'q', template: 'SELECT * { ?s ?p ?o }' }), {
    code: 'authority_denied',
    message: /works on the whole store/,
  });
  await assert.rejects(view.freezeGraph(`${EX}a`, { outDir: '/nowhere' }), { code: 'authority_denied' });
  const denied = { code: 'authority_denied', message: /some graphs only|some only/ };
  const { events } = await view.events.read();
  assert.deepEqual(
    events.map(({ type, payload }) => [type, payload.graph]),
    [
      ['entity.added', `${EX}a`],
      ['graph.created', `${EX}a`],
      ['entity.added', `${EX}a`],
    ],
  );
  await assert.rejects(view.events.read({ group: 'g' }), denied);
  await assert.rejects(
    view.events.subscribe({ consumerId: 'c', webhookUrl: 'https://hooks.example.org/', group: 'g' }),
    denied,
  );
  await assert.rejects(view.events.prune(new Date()), { code: 'authority_denied' });
  await assert.rejects(view.events.refusals(), denied);
  await assert.rejects(view.explain('ASK {}'), denied);
  assert.throws(() => view.transactions(), denied);
  assert.deepEqual([view.stats().terms, view.stats().quadsCurrent], [0, 2]);
  const open = await openStore(':memory:');
  t.after(() => open.close());
  assert.throws(() => open.readAs('anonymous'), { code: 'invalid_request', message: /without read rules/ });
});
