/** What an answer says of the graphs that its query could read, and the floors below which nothing is read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type QueryOptions, type Store } from '../../interfaces/library/index.js';
import { EX, knot, onBothStores, ROOT } from '../service/time-support.js';
import { dataset, label, setRow, writeRegistry } from './support/registry-writes.js';

const P = `PREFIX ex: <${EX}> `;
const G = (name: string) => `${EX}${name}`;
const ASK = 'ASK { ?s ?p ?o }';

interface Shown {
  readonly [axis: string]: { readonly value: unknown; readonly coverage: string };
}

async function labelsOf(store: Store, text: string, options: QueryOptions = {}): Promise<Shown | null> {
  return (await store.query(P + text, options)).labels as Shown | null;
}

/** Value and coverage of an axis. */
async function freshness(store: Store, text: string, options: QueryOptions = {}): Promise<string> {
  const labels = await labelsOf(store, text, options);
  return labels === null ? 'null' : `${String(labels.freshness?.value)} ${labels.freshness?.coverage}`;
}

onBothStores('LB-1: the labels of a graph, its axes that are not declared among them', async (store) => {
  await knot(store, 'ex:g { ex:s ex:p 1 }');
  await label(store, G('g'), { freshness: 'fresh', policy: ['pii'] });
  assert.deepEqual(await labelsOf(store, ASK, { graph: G('g') }), {
    freshness: { value: 'fresh', coverage: 'full' },
    durability: { value: null, coverage: 'none' },
    trust: { value: null, coverage: 'none' },
    policy: { value: ['pii'], coverage: 'full' },
    kind: { value: null, coverage: 'none' },
  });
  const select = await store.select('SELECT * { ?s ?p ?o }', { graph: G('g') });
  assert.equal((select.labels as unknown as Shown).freshness?.value, 'fresh');
  select.close();
  const graph = await store.construct('CONSTRUCT WHERE { ?s ?p ?o }', { graph: G('g') });
  assert.equal((graph.labels as unknown as Shown).freshness?.value, 'fresh');
  graph.close();
  assert.equal(await labelsOf(store, ASK), null);
});

for (const kind of [':memory:']) {
  test('LB-4: what has expired is not declared, by the clock of the query', async () => {
    let now = 1_000;
    const store = await openStore(kind, { now: () => now });
    await knot(store, 'ex:g { ex:s ex:p 1 } ex:h { ex:s ex:p 2 } ex:i { ex:s ex:p 3 }');
    for (const name of ['g', 'h', 'i']) await label(store, G(name), { freshness: 'fresh', kind: 'archive' }, 1_001);
    await dataset(store, G('ds'), [G('g'), G('h'), G('i')]);
    const count = async () => {
      const answer = await store.select('SELECT (COUNT(*) AS ?n) { ?s ?p ?o }', { includeKinds: ['archive'] });
      for await (const [n] of answer.rows()) return n?.value;
    };
    assert.equal(await freshness(store, ASK, { graph: G('g') }), 'fresh full');
    assert.equal(await freshness(store, ASK, { graph: G('ds') }), 'fresh full');
    assert.equal(await count(), '3');
    now = 1_001;
    assert.equal(await freshness(store, ASK, { graph: G('g') }), 'null');
    assert.equal(await freshness(store, ASK, { graph: G('ds') }), 'null');
    assert.equal(await freshness(store, ASK, { graph: G('g'), tx: 3 }), 'null', 'also for the past');
    assert.equal(await count(), '0', 'and its kind counts no more');
    now = 1_000;
    assert.equal(await freshness(store, ASK, { graph: G('ds') }), 'fresh full');
    assert.equal(await count(), '3');
    await store.close();
  });
}

onBothStores('the members of an answer are the graphs that the query could read', async (store) => {
  await knot(store, 'ex:s ex:p 0 . ex:g { ex:s ex:p 1 } ex:h { ex:s ex:p 2 } ex:i { ex:s ex:p 3 }');
  await label(store, ROOT, { freshness: 'recomputing' });
  await label(store, G('g'), { freshness: 'fresh' });
  await label(store, G('h'), { freshness: 'stale' });
  const asked = (text: string, options: QueryOptions = {}) => freshness(store, text, options);
  assert.equal(await asked(ASK), 'recomputing full');
  assert.equal(await asked('ASK { GRAPH ex:g { ?s ?p ?o } }'), 'fresh full', 'ROOT is not read');
  assert.equal(await asked('ASK { GRAPH ex:g { ?s ?p ?o } ?s ?p ?o }'), 'recomputing full');
  assert.equal(await asked('ASK { GRAPH ex:g { ?s ex:p+ ?o } }'), 'fresh full');
  assert.equal(await asked('ASK { GRAPH ex:g { ?s ?p ?o } FILTER EXISTS { ?s ex:p+ ?z } }'), 'recomputing full');
  assert.equal(await asked('ASK { GRAPH ex:g { ?s ?p ?o } GRAPH ex:none { ?s ?p ?o } }'), 'fresh full');
  assert.equal(
    await asked('ASK { GRAPH ex:g { ?s ?p ?o } FILTER EXISTS { GRAPH ex:i { ?s ?p ?z } } }'),
    'fresh partial',
  );
  assert.equal(await asked('ASK { GRAPH ?g { ?s ?p ?o } }'), 'stale partial', 'g, h and i');
  assert.equal(await asked('ASK { GRAPH ?g {} }'), 'stale partial');
  assert.equal(await asked('ASK FROM NAMED ex:g { GRAPH ?g { ?s ?p ?o } }'), 'fresh full');
  assert.equal(await asked('ASK FROM ex:g { GRAPH ex:h { ?s ?p ?o } }'), 'null', 'no named graph is active');
  assert.equal(await asked('ASK FROM ex:g FROM ex:h { ?s ?p ?o }'), 'stale full');
  assert.equal(await asked('ASK FROM ex:g FROM <http://example.org/g#inferred> { ?s ?p ?o }'), 'fresh full');
  await writeRegistry(store, (stage) => setRow(stage, `${G('g')}#inferred`));
  assert.equal(await asked('ASK FROM ex:g FROM <http://example.org/g#inferred> { ?s ?p ?o }'), 'fresh partial');
  assert.equal(await asked('ASK {}'), 'null');
  assert.equal(await asked('ASK { FILTER(1 = 2) ?s ?p ?o }'), 'recomputing full', 'whatever comes of it');
  const described = await store.construct('DESCRIBE <http://example.org/s>');
  assert.equal((described.labels as unknown as Shown).freshness?.value, 'recomputing');
  described.close();
  for (const name of ['g', 'h', 'g']) {
    // The same plan serves both.
    assert.equal(await asked(`ASK { GRAPH ex:${name} { ex:s ex:p ?o } }`), name === 'g' ? 'fresh full' : 'stale full');
  }
});

onBothStores('trust of two chains can not be stated, and the rows are still there', async (store) => {
  await knot(store, 'ex:g { ex:s ex:p 1 } ex:h { ex:s ex:p 2 }');
  await label(store, G('g'), { trust: { iri: 'urn:t:a', chain: 'urn:c:1', rank: 4 } });
  await label(store, G('h'), { trust: { iri: 'urn:t:b', chain: 'urn:c:2', rank: 1 } });
  const answer = await store.select(`SELECT ?o FROM <${G('g')}> FROM <${G('h')}> { ?s ?p ?o }`);
  assert.match((answer.labels as { error: string }).error, /<urn:c:1> and <urn:c:2>/);
  let count = 0;
  for await (const _ of answer.rows()) count++;
  assert.equal(count, 2);
  assert.deepEqual((await labelsOf(store, ASK, { graph: G('g') }))?.trust, {
    value: { iri: 'urn:t:a', chain: 'urn:c:1', rank: 4 },
    coverage: 'full',
  });
});

onBothStores('LB-7: a graph below a floor refuses the query, and says which', async (store) => {
  await knot(store, 'ex:s ex:p 0 . ex:g { ex:s ex:p 1 } ex:h { ex:s ex:p 2 } ex:a { ex:s ex:p 3 }');
  const floors = { minFreshness: 'fresh' } as const;
  await label(store, G('g'), { freshness: 'fresh' });
  await label(store, G('h'), { freshness: 'stale' });
  const refused = (graph: string, what: RegExp) => ({
    code: 'label_floor',
    message: new RegExp(`the graph <${graph}> is below the floor of ${what.source}`),
  });
  await assert.rejects(
    store.ask(ASK, { floors }),
    refused(ROOT, /freshness: it declares nothing, and labels.min_freshness/),
  );
  assert.equal(await store.ask(ASK, { floors, graph: G('g') }), true);
  assert.equal(await store.ask(`${P}ASK { GRAPH ex:g { ?s ?p ?o } }`, { floors }), true);
  const both = `${P}ASK FROM ex:g FROM ex:h { ?s ?p ?o }`;
  await assert.rejects(store.ask(both, { floors }), refused(G('h'), /freshness: it declares 'stale'/));
  await assert.rejects(store.ask(`${P}ASK { GRAPH ?g { ?s ?p ?o } }`, { floors }), refused(G('a'), /freshness/));
  await dataset(store, G('ds'), [G('a'), G('g'), G('h'), ROOT]);
  await assert.rejects(store.ask(ASK, { floors, graph: G('ds') }), refused(G('a'), /freshness/));
  assert.equal(await store.ask(ASK, { floors, graph: G('none') }), false, 'no graph is below it');
  assert.equal(await store.ask(ASK, { floors: {} }), true);
  await assert.rejects(store.ask(ASK, { floors: { minFreshness: 'FRESH' as 'fresh' } }), { code: 'invalid_request' });
});

onBothStores('floors of each axis', async (store) => {
  await knot(store, 'ex:g { ex:s ex:p 1 }');
  await label(store, G('g'), {
    durability: 'reproducible',
    trust: { iri: 'urn:t', chain: 'urn:c', rank: 5 },
    policy: ['pii'],
  });
  const asked = (floors: QueryOptions['floors']) => store.ask(ASK, { floors, graph: G('g') });
  assert.equal(await asked({ minDurability: 'reproducible' }), true);
  await assert.rejects(asked({ minDurability: 'backed' }), /below the floor of durability/);
  assert.equal(await asked({ minTrust: { chain: 'urn:c', rank: 5 } }), true);
  await assert.rejects(
    asked({ minTrust: { chain: 'urn:c', rank: 6 } }),
    /trust: it declares rank 5 of the chain <urn:c>/,
  );
  await assert.rejects(asked({ minTrust: { chain: 'urn:d', rank: 1 } }), /below the floor of trust/);
  assert.equal(await asked({ denyPolicyTokens: ['no-export'] }), true);
  await assert.rejects(asked({ denyPolicyTokens: ['no-export', 'pii'] }), /policy: it declares 'pii'/);
  await assert.rejects(store.ask(ASK, { floors: { denyPolicyTokens: ['x'] } }), /policy: it declares nothing/);
});

onBothStores(
  'of many graphs below a floor the first by IRI is named, as labels and members come and go',
  async (store) => {
    // Ids do not come in the order of IRIs.
    const names = Array.from({ length: 24 }, (_, at) => `m${(at * 7) % 24}`);
    const fresh = new Set<string>();
    let members = names.slice(0, 12);
    const create = () => store.createDataset({ name: G('many'), members: members.map(G) });
    for (const name of names) await store.createGraph(G(name));
    await create();
    const floors = { minFreshness: 'fresh' } as const;
    for (let round = 0; round < 40; round++) {
      const name = names[(round * 11) % names.length] as string;
      const becomesFresh = !fresh.has(name);
      if (becomesFresh) fresh.add(name);
      else fresh.delete(name);
      await label(store, G(name), { freshness: becomesFresh ? 'fresh' : 'stale' });
      if (round % 8 === 7) {
        members = names.filter((_, at) => at % 5 !== round % 5);
        await create();
      }
      const [first] = members.filter((one) => !fresh.has(one)).sort();
      const asked = store.query(ASK, { graph: G('many'), floors });
      if (first === undefined) await asked;
      else await assert.rejects(asked, (error: Error) => error.message.includes(`<${G(first)}> is below`), `${round}`);
    }
  },
);
