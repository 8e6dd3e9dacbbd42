/** `inferred: true` (ruling R66): what rules derived is read with the graphs that it follows from, and the answer says so. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANYONE } from '../../engine/base/principal.js';
import { NarrowedEngine } from '../../engine/service/reads/narrowed-engine.js';
import { openStore, type QueryOptions, type Store, terms } from '../../interfaces/library/index.js';
import { EX, knot, onBothStores, quad, ROOT } from '../service/time-support.js';
import { randomNumbers } from '../storage/scan-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import {
  dataset,
  derive,
  engineOf,
  label,
  overlay,
  setRow,
  writeOverlay,
  writeRegistry,
} from './support/registry-writes.js';

const P = `PREFIX ex: <${EX}> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> `;
const G = (name: string) => `${EX}${name}`;
const INF = (graph: string) => `${graph}#inferred`;
const ALL = 'SELECT ?o { ?s ?p ?o }';

/** What a SELECT with one variable finds, sorted, and what its answer says of derived facts. */
async function asked(store: Store, query: string, options: QueryOptions = {}) {
  const answer = await store.select(P + query, options);
  const found: string[] = [];
  for await (const [term] of answer.rows()) found.push((term?.value ?? '-').replace(EX, '').replace(ROOT, 'root'));
  return { found: found.sort(), inferred: answer.inferred, inference: answer.inference, labels: answer.labels };
}

const rows = async (store: Store, query: string, options: QueryOptions = {}) =>
  (await asked(store, query, options)).found;

onBothStores('the companion of ROOT is read on demand, and the answer says so', async (store) => {
  await knot(store, 'ex:a ex:p ex:b . ex:b ex:p ex:c .');
  assert.deepEqual(await asked(store, ALL, { inferred: true }), {
    found: ['b', 'c'],
    inferred: { applied: true, graphs: [], graphsTruncated: false },
    inference: null,
    labels: null,
  });
  await derive(store, ROOT, [quad('a', 'p', 'c'), quad('a', 'p', 'b')]);
  const q = 'SELECT ?o { ex:a ex:p ?o }';
  assert.deepEqual(await asked(store, q), { found: ['b'], inferred: null, inference: null, labels: null });
  assert.deepEqual(await rows(store, q, { inferred: false }), ['b']);
  const both = await asked(store, q, { inferred: true });
  assert.deepEqual(both.found, ['b', 'c'], 'a triple that is asserted and derived is one');
  assert.deepEqual(both.inferred, { applied: true, graphs: [INF(ROOT)], graphsTruncated: false });
  assert.deepEqual(await rows(store, q), ['b'], 'the kept plan of the same text is not used for it, nor the other way');
  assert.deepEqual(await rows(store, 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }', { inferred: true }), ['3']);
  assert.deepEqual(await rows(store, 'SELECT ?g { GRAPH ?g { ?s ?p ex:c } }', { inferred: true }), ['root#inferred']);
});

onBothStores('FROM, and the dataset of the protocol, beat it, and the answer says that', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  await derive(store, ROOT, [quad('a', 'p', 2)]);
  const withheld = { applied: false, note: 'FROM says which graphs are read' };
  for (const [text, options] of [
    [`SELECT ?o FROM <${ROOT}> { ?s ?p ?o }`, {}],
    [ALL, { defaultGraphs: [ROOT] }],
  ] as const) {
    const { found, inferred } = await asked(store, text, { ...options, inferred: true });
    assert.deepEqual([found, inferred], [['1'], withheld]);
  }
  assert.deepEqual(await rows(store, `SELECT ?o FROM <${ROOT}> FROM <${INF(ROOT)}> { ?s ?p ?o }`), ['1', '2']);
});

onBothStores('each member of a graph, a dataset, kinds, a fork or an overlay brings its companion', async (store) => {
  await knot(store, 'ex:a ex:p 0 . ex:g { ex:a ex:p 1 } ex:h { ex:a ex:p 2 }');
  await derive(store, ROOT, [quad('a', 'p', 10)]);
  await derive(store, G('g'), [quad('a', 'p', 11)]);
  await derive(store, G('h'), [quad('a', 'p', 12)]);
  await dataset(store, G('ds'), [G('g'), G('h')]);
  await label(store, G('h'), { kind: 'operational' });
  const found = (options: QueryOptions) => rows(store, ALL, { ...options, inferred: true });
  assert.deepEqual(await found({ graph: G('g') }), ['1', '11']);
  assert.deepEqual(await found({ graph: G('ds') }), ['1', '11', '12', '2']);
  assert.deepEqual(await found({ graph: G('g'), includeKinds: ['operational'] }), ['1', '11', '12', '2']);
  assert.deepEqual(await found({ includeKinds: ['operational'] }), ['0', '10', '12', '2']);
  assert.deepEqual(await found({ graph: INF(G('g')) }), ['11'], 'a companion has none');
  assert.deepEqual(await found({ graph: G('none') }), []);
  const { inferred } = await asked(store, ALL, { graph: G('ds'), inferred: true });
  assert.deepEqual(inferred, { applied: true, graphs: [INF(G('g')), INF(G('h'))], graphsTruncated: false });

  await store.createFork({ name: 'f', tx: 1 });
  await knot(store, 'ex:a ex:p 5 .', { graph: 'urn:svc:fork:f' });
  await derive(store, 'urn:svc:fork:f', [quad('a', 'p', 15)]);
  assert.deepEqual(await found({ fork: 'f' }), ['0', '15', '5']);

  await overlay(store, G('ov'), G('g'));
  await writeOverlay(store, G('ov'), { asserted: [quad('a', 'p', 3)], gone: [quad('a', 'p', 1), quad('a', 'p', 11)] });
  assert.deepEqual(
    await found({ overlay: G('ov') }),
    ['11', '3'],
    'an overlay takes away facts of its parent, not what follows',
  );
  assert.deepEqual(await found({ overlay: G('ov'), precedence: 'governed' }), ['1', '11', '3']);
});

function parts({ subject, predicate, object }: ReturnType<typeof quad>) {
  return [subject, predicate, object] as const;
}

onBothStores('the past of a companion is its own', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', { timestamp: '2026-01-01' });
  const first = await derive(store, ROOT, [quad('a', 'p', 2)]);
  const second = await derive(store, ROOT, [quad('a', 'p', 3)], [quad('a', 'p', 2)]);
  const at = (options: QueryOptions) => rows(store, ALL, { ...options, inferred: true });
  assert.deepEqual(await at({}), ['1', '3']);
  assert.deepEqual(await at({ tx: second }), ['1', '3']);
  assert.deepEqual(await at({ tx: first }), ['1', '2']);
  assert.deepEqual(await at({ tx: 1 }), ['1']);
  assert.deepEqual(await at({ validAt: '2025-01-01' }), []);
  const { inferred } = await asked(store, ALL, { tx: 1, inferred: true });
  assert.deepEqual(inferred, { applied: true, graphs: [], graphsTruncated: false }, 'there was none then');
});

onBothStores(
  'ROOT with its companion is not exactly ROOT: classes are not expanded, and the answer says so',
  async (store) => {
    await knot(store, 'ex:Web rdfs:subClassOf ex:Service . ex:a a ex:Web . ex:b a ex:Service .');
    const q = 'SELECT ?s { ?s a ex:Service }';
    assert.deepEqual(await rows(store, q), ['a', 'b']);
    const types = [{ type: G('Service'), subclasses: [G('Web')] }];
    const withheld = await asked(store, q, { inferred: true });
    assert.deepEqual(withheld.found, ['b']);
    const note = 'asserted types only: the default graph is not ROOT alone';
    assert.deepEqual(withheld.inference, { applied: false, withheldTypes: types, note });
    const type = terms.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');
    const derived = terms.quad(terms.namedNode(G('a')), type, terms.namedNode(G('Service')));
    await derive(store, ROOT, [derived]);
    assert.deepEqual(await rows(store, q, { inferred: true }), ['a', 'b'], 'what a rule derived is there');
    assert.deepEqual((await asked(store, q, { graph: ROOT, inferred: true })).inference, null);
    assert.deepEqual((await asked(store, q, { inference: false, inferred: true })).inference, {
      applied: false,
      withheldTypes: types,
      note: 'asserted types only',
    });
  },
);

onBothStores('companions are undeclared members of labels and floors', async (store) => {
  await knot(store, 'ex:g { ex:a ex:p 1 }');
  await label(store, G('g'), { freshness: 'fresh' });
  const floors = { minFreshness: 'fresh', denyPolicyTokens: [] } as const;
  const coverage = async (options: QueryOptions) =>
    ((await asked(store, ALL, { graph: G('g'), ...options })).labels as { freshness: { coverage: string } }).freshness
      .coverage;
  assert.equal(await coverage({ inferred: true, floors }), 'full', 'there is no companion yet');
  await derive(store, G('g'), [quad('a', 'p', 2)]);
  assert.equal(await coverage({ floors }), 'full');
  assert.equal(await coverage({ inferred: true }), 'partial');
  await assert.rejects(rows(store, ALL, { graph: G('g'), inferred: true, floors }), { code: 'label_floor' });
});

onBothStores('EXPLAIN takes it, an update refuses it, prepared statements keep it apart', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  await derive(store, ROOT, [quad('a', 'p', 2)]);
  const explained = await store.explain(P + ALL, { inferred: true, analyze: true });
  assert.equal(explained.rows, 2);
  const update = `${P}INSERT { ex:b ex:p ?o } WHERE { ex:a ex:p ?o }`;
  await assert.rejects(store.explain(update, { inferred: true }), /'inferred' is for queries/);
  const prepared = await store.prepare(P + ALL);
  const count = async (options: QueryOptions) => {
    const answer = await prepared.query({}, options);
    let found = 0;
    if (answer.kind === 'select') for await (const _ of answer.rows()) found++;
    return found;
  };
  assert.deepEqual([await count({}), await count({ inferred: true }), await count({})], [1, 2, 1]);
});

test('a reader who may not read a companion reads nothing of it, and is not told of it', async () => {
  const store = await openStore(':memory:');
  await knot(store, 'ex:g { ex:a ex:p 1 }');
  await derive(store, G('g'), [quad('a', 'p', 2)]);
  const { executeQuery } = await import('../../engine/query/query.js');
  const seen = async (readable: readonly string[]) => {
    const engine = new NarrowedEngine(engineOf(store), { ...ANYONE, readable });
    const snapshot = engine.snapshot();
    let companions: unknown = 'not told';
    const options = {
      scope: { graph: G('g'), inferred: true },
      onGraphs: (about: { companions: unknown }) => {
        companions = about.companions;
      },
    };
    const answer = await executeQuery(snapshot, ALL, options);
    let found = 0;
    if (answer.kind === 'select') for await (const _ of answer.rows()) found++;
    snapshot.close();
    return [found, (companions as unknown[]).length];
  };
  assert.deepEqual(await seen([G('g'), INF(G('g'))]), [2, 1]);
  assert.deepEqual(await seen([G('g')]), [1, 0]);
  await store.close();
});

const RUNS = Math.ceil(Number(process.env.SVC_PROPERTY_RUNS ?? 20));

test('random graphs: inferred = FROM each graph FROM each companion', async () => {
  const folder = new StoreFolder();
  const next = randomNumbers(71);
  for (let run = 0; run < RUNS; run++) {
    const store = await openStore(run % 2 === 0 ? ':memory:' : folder.fresh());
    const graphs = [ROOT, ...Array.from({ length: 3 }, (_, at) => G(`g${at}`))];
    for (const graph of graphs) {
      const some = () =>
        Array.from({ length: next(1000) % 6 }, () =>
          quad(`s${next(1000) % 3}`, `p${next(1000) % 2}`, `s${next(1000) % 3}`),
        );
      const there = terms.namedNode(graph);
      const base = some().map((one) => terms.quad(...parts(one), graph === ROOT ? terms.defaultGraph() : there));
      if (graph !== ROOT) await writeRegistry(store, (stage) => setRow(stage, graph));
      if (base.length > 0) await store.transact({ assert: base });
      if (next(1000) % 3 > 0) await derive(store, graph, some());
    }
    await dataset(
      store,
      G('ds'),
      graphs.filter(() => next(1000) % 2 === 0),
    );
    for (const [options, from] of [
      [{}, [ROOT]],
      [{ graph: G('g1') }, [G('g1')]],
      [{ graph: G('ds') }, ((await store.datasetMembers(G('ds'))) ?? []).map(({ graph }) => graph)],
    ] as const) {
      for (const body of [
        '{ ?s ?p ?o }',
        '{ ?a ?p ?b . ?b ?q ?o }',
        '{ ?s ex:p0+ ?o }',
        '{ ?s ex:p0 ?o MINUS { ?o ex:p1 ?x } }',
      ]) {
        const clauses = from.flatMap((iri) => [`FROM <${iri}>`, `FROM <${INF(iri)}>`]);
        const written = from.length === 0 ? [] : await rows(store, `SELECT ?o ${clauses.join(' ')} ${body}`);
        assert.deepEqual(await rows(store, `SELECT ?o ${body}`, { ...options, inferred: true }), written, body);
      }
    }
    await store.close();
  }
});
