/** CURIEs of requests: every field of every operation that holds IRIs takes them, and means what the whole IRI means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { expanderOf, holdsIris } from '../../engine/service/operations/definition/curies.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { openStore, ROOT_GRAPH_IRI, type Store } from '../../interfaces/library/index.js';
import { overlay } from '../graphs/support/registry-writes.js';
import { bodyText } from './answer-body.js';

const CU = 'http://curie.test/a#';
const T = '2026-01-01T00:00:00Z';
const configuration = parseConfiguration('', 'none');
const DATA = `@prefix cu: <${CU}> . cu:one a cu:Thing ; cu:rel cu:two ; cu:size 1, 2 ; <http://www.w3.org/2000/01/rdf-schema#label> "one" .
cu:g { cu:three cu:rel cu:four } cu:h { cu:five cu:rel cu:six }`;

async function filled(): Promise<Store> {
  const store = await openStore(':memory:', { now: () => 1_767_225_600 });
  await store.load({ text: DATA, format: 'trig' }, { timestamp: T, source: 'test' });
  const shapes = `@prefix cu: <${CU}> . @prefix sh: <http://www.w3.org/ns/shacl#> . cu:S a sh:NodeShape .`;
  await store.loadShapes('cu', shapes, { timestamp: T });
  const template = 'SELECT ?o { <{s}> ?p ?o }';
  await store.storeQuery(
    { name: 'of', template, params: [{ name: 's', type: 'iri', required: true }] },
    { timestamp: T },
  );
  const paths = `@prefix cu: <${CU}> . @prefix b: <http://svc.local/ontology/> .
    cu:step1 cu:stepOf cu:way ; cu:actionKind "a" . cu:step2 cu:stepOf cu:way ; cu:actionKind "b" ; cu:verifiedBy cu:v .
    cu:v cu:falsifier 1 . cu:way cu:trajectoryOf cu:item1 . cu:item1 cu:about "t" .
    cu:commit b:implements cu:item1, cu:item2 ; b:modifies cu:file .`;
  await store.load({ text: paths, format: 'turtle' }, { timestamp: T });
  for (const side of ['al', 'ar']) {
    const text = `<${CU}${side}1> a <${CU}Thing> ; <http://www.w3.org/2000/01/rdf-schema#label> "the same" .`;
    await store.load({ text, format: 'turtle' }, { graph: CU + side, timestamp: T });
  }
  await overlay(store, `${CU}ov`, ROOT_GRAPH_IRI);
  return store;
}

/** `cu:` in it is written out for the other of two runs. The keys that hold IRIs are those under test. */
const CASES: readonly (readonly [operation: string, request: Readonly<Record<string, unknown>>])[] = [
  ['knot', { turtle: '<http://e/s> <http://e/p> 1 .', graph: 'cu:h' }],
  [
    'episode',
    {
      name: 'e',
      graph: 'cu:h',
      nodes: [
        { name: 'a', type: 'Host', distinct_from: ['cu:one'] },
        { name: 'b', distinctFrom: ['cu:two'] },
      ],
    },
  ],
  ['read', { query: 'SELECT ?s { ?s ?p ?o }', graph: 'cu:g', base: 'cu:', verbose: true }],
  ['read', { query: 'SELECT ?s { ?s ?p ?o }', default_graph_uri: ['cu:g', 'cu:h'] }],
  ['read', { query: 'SELECT ?s { ?s ?p ?o }', overlay: 'cu:ov' }],
  ['read', { query: 'SELECT ?s ?g { GRAPH ?g { ?s ?p ?o } }', named_graph_uri: ['cu:g'] }],
  ['explain', { query: 'SELECT ?s { ?s ?p ?o }', graph: 'cu:g', base: 'cu:' }],
  ['explain', { query: 'SELECT ?s { ?s ?p ?o }', overlay: 'cu:ov' }],
  ['update', { update: 'INSERT { ?s <http://e/q> <rel> } WHERE { ?s ?p ?o }', using_graph_uri: ['cu:g'], base: 'cu:' }],
  [
    'update',
    {
      update: 'INSERT { ?s <http://e/r> 1 } WHERE { GRAPH ?g { ?s ?p ?o } }',
      using_graph_uri: ['cu:g'],
      using_named_graph_uri: ['cu:h'],
    },
  ],
  ['contradictions', { entity: 'cu:one', predicate: 'cu:size' }],
  ['set', { entity: 'cu:one', predicate: 'cu:rel', value: { iri: 'cu:three' } }],
  ['set', { entity: 'cu:one', predicate: 'cu:size', value: { value: '1', datatype: 'cu:unit' } }],
  ['set', { entity: 'cu:one', predicate: 'cu:note', value: { str: 'text' } }],
  ['retract', { entity: 'cu:one', predicate: 'cu:rel', value: { iri: 'cu:three' } }],
  ['retract_source', { source: 'test', repair: 'r', graph: 'cu:g' }],
  ['cord', { type: 'cu:Thing', predicate: 'cu:size' }],
  ['impact', { entity: 'cu:one', predicates: ['cu:rel', 'cu:other'] }],
  ['entity_history', { iri: 'cu:one' }],
  ['entity_history', { iri: 'cu:three', graph: 'cu:g' }],
  ['fact_explain', { s: 'cu:one', p: 'cu:rel', o: 'cu:three' }],
  ['share', { scope: 'cu:g' }],
  ['graph_create', { graph: 'cu:new' }],
  ['impact', { entity: 'cu:one', predicates: ['cu:rel'] }],
  ['reason', { rules: '', graph: 'cu:g' }],
  ['graph_label', { graph: 'cu:g', trust: { iri: 'cu:canon', chain: 'cu:chain', rank: 1 } }],
  ['datasets', { action: 'create', name: 'cu:both', members: ['cu:g', { graph: 'cu:h', ord: 1 }] }],
  ['dataset_list', { name: 'cu:both' }],
  ['overlay_create', { overlay: 'cu:over', parent_branch: 'cu:g' }],
  [
    'overlay_write',
    { overlay: 'cu:over', op: 'assert', subject: 'cu:one', predicate: 'cu:rel', object: { iri: 'cu:three' } },
  ],
  ['overlay_compose', { overlay: 'cu:over' }],
  ['align_propose', { left: 'cu:al', right: 'cu:ar', entity_type: 'cu:Thing' }],
  ['path_cone', { trajectory: 'cu:way', via: ['cu:rel'], base_ns: 'cu:' }],
  ['path_backtest', { exemplar: 'cu:way', omit: ['cu:step1'], base_ns: 'cu:' }],
  [
    'path_draft',
    {
      trajectory: 'cu:way',
      name: 'n',
      label: 'l',
      via: ['cu:rel'],
      omit: ['cu:step1'],
      by: ['cu:decision'],
      dead_end: ['cu:step2'],
      base_ns: 'cu:',
    },
  ],
  ['cooccurrence', { work_item: 'cu:item1' }],
  ['policy_check', { claim: 'ASK { $target ?p ?o }', target: 'cu:one', policy: 'cu:policy' }],
  ...['project', 'project_read'].flatMap((name) => [
    [name, { algorithm: 'in_degree', type: 'cu:Thing' }] as const,
    [name, { algorithm: 'in_degree', graph: 'cu:g', predicate: 'cu:rel' }] as const,
    [name, { algorithm: 'ppr', seeds: ['cu:one', 'cu:none'] }] as const,
    [name, { algorithm: 'shortest_path', from: 'cu:one', to: 'cu:one' }] as const,
  ]),
  [
    'validate',
    {
      shapes: `@prefix sh: <http://www.w3.org/ns/shacl#> . <http://e/S> sh:targetNode <${CU}rel> ; sh:nodeKind sh:Literal .`,
      data: '<#rel> <http://e/p> 1 .',
      base: 'cu:',
    },
  ],
  ['report', { type: 'cu:Thing', predicate: 'cu:rel' }],
  ['graph', { type: 'cu:Thing' }],
  ['unified_search', { query: 'one', entity_type: 'cu:Thing' }],
  ['search', { embedding: [1], entity_type: 'cu:Thing' }],
  ['search_nodes', { query: 'one', entity_type_filter: 'cu:Thing' }],
  ['export', { graph: 'cu:g', format: 'nquads' }],
  ['changes', { graph: 'cu:g' }],
  ['entity', { iri: 'cu:one' }],
  ['preview', { iri: 'cu:one' }],
  ['fragments', { subject: 'cu:three' }],
  ['fragments', { subject: 'cu:one', predicate: 'cu:size', object: '"1"^^<http://curie.test/a#unit>' }],
  ['fragments', { object: 'cu:Thing' }],
  [
    'reconcile',
    { queries: { q: { query: 'one', type: 'cu:Thing' }, r: { query: 'one', type: ['cu:Other', 'cu:Thing'] } } },
  ],
  ['graph_read', { graph: 'cu:g' }],
  ['graph_replace', { graph: 'cu:g', turtle: '<http://e/s> <http://e/p> <x> .' }],
  ['graph_merge', { graph: 'cu:g', turtle: '<http://e/s> <http://e/p> 2 .' }],
  ['graph_delete', { graph: 'cu:g' }],
  ['queries', { action: 'load', name: 'n', template: 'ASK {}', dataset: 'cu:h' }],
  ['ask', { name: 'of', params: { s: 'cu:five' }, graph: 'cu:h' }],
  ['ask', { name: 'entity_facts', params: { entity: 'cu:one' } }],
  [
    'policy_draft',
    { name: 'n', label: 'l', targets: ['cu:Thing'], claim: 'ASK { $target ?p ?o }', exemplar: 'cu:one' },
  ],
  ['ask', { name: 'n' }],
];

/** What says that nothing was found, where it is not a count of 0. */
const EMPTY: Readonly<Record<string, RegExp>> = {
  retract: /"retracted":0/,
  search: /"scoped":false/,
  validate: /"conforms":true/,
};

/** They bring a version, which depends on all that was written; test/governance/alignment.test.ts asks them by CURIEs. */
const OF_VERSIONS: ReadonlySet<string> = new Set(['align_decide', 'align_apply']);

/** They write files of one name, which two runs can't both do; test/archives/packs.test.ts asks them by CURIEs. */
const OF_FILES: ReadonlySet<string> = new Set([
  'graph_freeze',
  'graph_thaw',
  'pack',
  'unpack',
  'share_to',
  'graph_import',
]);

/** They answer from the folder of a lake: no store says what its prefixes are. */
const OF_LAKES: ReadonlySet<string> = new Set(['lake_sql', 'lake_query']);

const written = <Given>(request: Given): Given =>
  JSON.parse(JSON.stringify(request).replaceAll('"cu:', `"${CU}`)) as Given;

async function bodyOf(store: Store, name: string, request: Readonly<Record<string, unknown>>): Promise<string> {
  const operation = OPERATIONS.find((one) => one.name === name);
  assert.ok(operation, name);
  const timed = operation.access === 'write' ? { timestamp: T, ...request } : request;
  const context = { store, configuration, control: {}, documents: [], representation: 'body' };
  const text = await bodyText(await operation.run(context, timed));
  // How long a plan took is another number each time; the number of a graph is what the store counts; a share names its store.
  return text.replace(/(?:sha256:|urn:svc:store:)[0-9a-f-]+|"g":\d+,|"times":\{[^}]*\}|milliseconds:[^\\]*/g, '');
}

test('every operation with a field that holds IRIs takes CURIEs there, and answers as for the whole IRI', async () => {
  const [short, whole] = [await filled(), await filled()];
  for (const [name, request] of CASES) {
    assert.notDeepEqual(written(request), request === CASES.at(-1)?.[1] ? {} : request, `${name} has a CURIE`);
    const [given, wanted] = [await bodyOf(short, name, request), await bodyOf(whole, name, written(request))];
    assert.equal(given, wanted, `${name} ${JSON.stringify(request)}`);
    const empty = EMPTY[name] ?? /"(count|triples|totalCount)":0\b/;
    assert.ok(!empty.test(given), `${name} found something: ${given}`);
  }
  const documentOf = async (store: Store) => {
    let text = '';
    for await (const bytes of store.export('nquads')) text += Buffer.from(bytes).toString();
    return text;
  };
  assert.equal(await documentOf(short), await documentOf(whole), 'both stores hold the same');
  assert.ok(!(await documentOf(short)).includes('<cu:'), 'no CURIE was taken for an IRI');
  await Promise.all([short.close(), whole.close()]);
});

test('every field that holds IRIs is among the cases', () => {
  for (const { name, request } of OPERATIONS) {
    if ([OF_FILES, OF_VERSIONS, OF_LAKES].some((names) => names.has(name))) continue;
    const covered = new Set(CASES.flatMap(([operation, given]) => (operation === name ? Object.keys(given) : [])));
    for (const [field, schema] of Object.entries(request.properties ?? {})) {
      assert.ok(!holdsIris(schema) || covered.has(field), `${name}.${field}`);
      const said = /\bIRIs?\b/.test(schema.description ?? '') && !/minted|mints/.test(schema.description ?? '');
      assert.ok(
        !said || holdsIris(schema) || ['verbose', 'confidence', 'expanded', 'o'].includes(field),
        `${name}.${field} is said to hold IRIs`,
      );
    }
  }
});

test('prefixes: those that everybody knows keep their meaning, those of the sets hold as long as the sets do', async () => {
  const store = await openStore(':memory:');
  const expand = (text: string) => expanderOf(store)(text);
  assert.equal(expand('rdfs:label'), 'http://www.w3.org/2000/01/rdf-schema#label');
  for (const text of ['cu:a', 'rdfs://a', '_:rdfs', 'rdfs', '', `${CU}a`, 'urn:svc:graph:root'])
    assert.equal(expand(text), text);
  const shape = '<http://e/S> a <http://www.w3.org/ns/shacl#NodeShape> .';
  await store.loadShapes(
    'one',
    `@prefix cu: <${CU}> . @prefix rdfs: <http://elsewhere/> . @prefix : <http://no/> . ${shape}`,
  );
  assert.equal(expand('cu:a'), `${CU}a`);
  assert.equal(expand('rdfs:label'), 'http://www.w3.org/2000/01/rdf-schema#label');
  assert.equal(expand(':a'), ':a');
  await store.set('http://e/S', 'http://e/p', 'x').catch(() => undefined);
  assert.equal(expand('cu:a'), `${CU}a`, 'after another write');
  await store.removeShapes('one');
  assert.equal(expand('cu:a'), 'cu:a');
  await store.close();
});
