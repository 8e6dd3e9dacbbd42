/** Conversations with both lines of clients over both transports: each tool, and how calls fail. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { programVersion } from '../../engine/base/program.js';
import { json, startTestServer } from '../http/support.js';
import { type Conversation, LINES, type ToolAnswer, textOf } from './clients.js';

const TOOLS = [
  'svc_accept_proposal',
  'svc_align_apply',
  'svc_align_decide',
  'svc_align_propose',
  'svc_ask',
  'svc_context',
  'svc_cooccurrence',
  'svc_cord',
  'svc_datasets',
  'svc_episode',
  'svc_episodes_complete',
  'svc_export',
  'svc_graph',
  'svc_graph_freeze',
  'svc_graph_list',
  'svc_graph_thaw',
  'svc_hybrid_search',
  'svc_impact',
  'svc_knot',
  'svc_list_proposals',
  'svc_overlay_compose',
  'svc_overlay_create',
  'svc_overlay_write',
  'svc_path_backtest',
  'svc_path_cone',
  'svc_policy_check',
  'svc_project',
  'svc_propose_schema_change',
  'svc_queries',
  'svc_query',
  'svc_reject_proposal',
  'svc_report',
  'svc_resolve_entity',
  'svc_retract',
  'svc_retract_episode',
  'svc_retract_source',
  'svc_search',
  'svc_search_facts',
  'svc_search_nodes',
  'svc_set',
  'svc_shapes',
  'svc_unified_search',
  'svc_unravel',
  'svc_validate',
  'svc_verdict_verify',
  'svc_verifier_authorized',
];

const PEOPLE = `@prefix ex: <http://example.org/> .
ex:ann a ex:Person ; ex:name "Ann" ; ex:age 30 ; ex:knows ex:bob .
ex:bob a ex:Person ; ex:name "Bob"@en ; ex:account 12345678901234567890 .`;

/** What the call answers; its text is the same body. */
function bodyOf(answer: ToolAnswer): Record<string, unknown> {
  const body = JSON.parse(textOf(answer)) as Record<string, unknown>;
  assert.deepEqual(answer.structuredContent, body);
  return body;
}

async function succeeds(talk: Conversation, name: string, given: Record<string, unknown> = {}) {
  const answer = await talk.call(name, given);
  assert.equal(answer.isError, false, textOf(answer));
  return bodyOf(answer);
}

async function fails(talk: Conversation, name: string, given: Record<string, unknown> = {}) {
  const answer = await talk.call(name, given);
  assert.equal(answer.isError, true, textOf(answer));
  return bodyOf(answer);
}

async function useEachTool(talk: Conversation): Promise<void> {
  const overlay = 'http://example.org/tried';
  await succeeds(talk, 'svc_overlay_create', { overlay });
  const triple = { subject: 'http://example.org/ann', predicate: 'http://example.org/mood', object: 'good' };
  await succeeds(talk, 'svc_overlay_write', { overlay, op: 'assert', ...triple });
  assert.equal((await succeeds(talk, 'svc_overlay_compose', { overlay })).count, 1);
  assert.deepEqual((await succeeds(talk, 'svc_datasets', {})).datasets, []);
  const knotted = await succeeds(talk, 'svc_knot', { turtle: PEOPLE, source: 'interview' });
  assert.equal(knotted.count, 7);
  const tx = knotted.tx_id as number;
  const counted = await succeeds(talk, 'svc_query', { query: 'SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }' });
  assert.deepEqual(counted.rows, [{ n: 7 }]);
  const names = 'SELECT ?name WHERE { ?p <http://example.org/name> ?name } ORDER BY ?name';
  const named = await succeeds(talk, 'svc_query', { query: names });
  assert.deepEqual(named.rows, [{ name: 'Ann' }, { name: { value: 'Bob', lang: 'en' } }]);
  // All digits are there; what a client makes of a number is its own affair.
  const account = await talk.call('svc_query', { query: 'SELECT ?n WHERE { ?s <http://example.org/account> ?n }' });
  assert.match(textOf(account), /12345678901234567890/);

  const set = await succeeds(talk, 'svc_set', {
    entity: 'http://example.org/ann',
    predicate: 'http://example.org/age',
    value: { int: 31 },
  });
  assert.deepEqual([set.retracted, set.asserted], [1, 1]);
  const gone = await succeeds(talk, 'svc_retract', {
    entity: 'http://example.org/ann',
    predicate: 'http://example.org/knows',
    value: { iri: 'http://example.org/bob' },
  });
  assert.equal(gone.retracted, 1);
  const age = 'SELECT ?age WHERE { <http://example.org/ann> <http://example.org/age> ?age }';
  assert.deepEqual((await succeeds(talk, 'svc_query', { query: age })).rows, [{ age: 31 }]);
  assert.deepEqual((await succeeds(talk, 'svc_query', { query: age, tx })).rows, [{ age: 30 }]);

  const listed = await succeeds(talk, 'svc_cord', { type: 'http://example.org/Person', limit: 1 });
  assert.equal(listed.truncated, true);
  assert.deepEqual(
    (listed.entities as { iri: string }[]).map(({ iri }) => iri),
    ['http://example.org/ann'],
  );
  assert.equal((await succeeds(talk, 'svc_unravel', { tx })).count, 7);
  const unified = await succeeds(talk, 'svc_unified_search', { query: 'ann', limit: 1 });
  assert.deepEqual(
    (unified.results as { entity: string; relevance: string }[]).map(({ entity, relevance }) => [entity, relevance]),
    [['http://example.org/ann', 'Direct']],
  );
  const around = await succeeds(talk, 'svc_context', { query: 'ann', expand_links: false });
  assert.equal((around.entities as unknown[]).length, 1);
  assert.equal((await succeeds(talk, 'svc_search_nodes', { query: 'ann' })).count, 1);
  assert.equal((await succeeds(talk, 'svc_search_facts', { query: 'account', verbose: true })).count, 1);
  assert.deepEqual((await succeeds(talk, 'svc_search', { embedding: [1] })).results, []);
  const sparql = 'SELECT ?p { ?p a <http://example.org/Person> }';
  assert.equal((await succeeds(talk, 'svc_hybrid_search', { embedding: [1], sparql })).sparql_candidates, 2);
  const written = await succeeds(talk, 'svc_export', { format: 'ntriples' });
  assert.deepEqual([written.format, written.graph, written.triples], ['ntriples', null, 6]);
  assert.match(written.rdf as string, /^<http:\/\/example.org\/ann> <http:\/\/example.org\/age> "31"/m);
  const graphs = await succeeds(talk, 'svc_graph_list');
  assert.ok((graphs.graphs as { graph: string }[]).some(({ graph }) => graph === 'urn:svc:graph:root'));

  const params = [{ name: 'who', type: 'iri', required: true }];
  const template = 'SELECT ?name WHERE { <{who}> <http://example.org/name> ?name }';
  const stored = await succeeds(talk, 'svc_queries', { action: 'load', name: 'name_of', template, params });
  assert.deepEqual([stored.loaded, stored.params], ['name_of', 1]);
  const asked = await succeeds(talk, 'svc_ask', { name: 'name_of', params: { who: 'http://example.org/ann' } });
  assert.deepEqual(asked.rows, [{ name: 'Ann' }]);
  assert.equal(((await succeeds(talk, 'svc_ask')).queries as unknown[]).length, 6);

  const turtle = '@prefix sh: <http://www.w3.org/ns/shacl#> . <http://example.org/S> a sh:NodeShape .';
  assert.deepEqual(await succeeds(talk, 'svc_shapes', { action: 'load', name: 'none', turtle }), {
    action: 'loaded',
    name: 'none',
    shapes: 1,
    rules: 0,
  });
  assert.deepEqual(await succeeds(talk, 'svc_shapes', { action: 'remove', name: 'none' }), {
    action: 'removed',
    name: 'none',
    found: true,
  });

  const edges = [{ source: 'my app', target: 'kota', relation: 'runs_on' }];
  const learnt = { name: 'deploy-42', nodes: [{ name: 'my app', type: 'WebApplication' }, { name: 'kota' }], edges };
  assert.equal((await succeeds(talk, 'svc_episode', learnt)).outcome, 'created');
  assert.equal((await succeeds(talk, 'svc_episode', learnt)).outcome, 'unchanged');
  const meant = await succeeds(talk, 'svc_resolve_entity', { name: 'my-app' });
  assert.deepEqual(meant.candidates, [
    { iri: 'http://svc.local/ontology/my_app', score: 0.911111, matched_on: 'canonical_name:jaro_winkler:0.91' },
  ]);
  const noted = await succeeds(talk, 'svc_episodes_complete', { name: 'note-1', episode_body: 'kota is down' });
  assert.equal(noted.count, 4);
  assert.equal((await succeeds(talk, 'svc_retract_episode', { episode: 'deploy-42' })).retracted, 9);
  const aliased = await succeeds(talk, 'svc_retract_episode', { episode_id: 'note-1', orphan_policy: 'allow' });
  assert.deepEqual([aliased.retracted, aliased.on_orphan, aliased.ignored_fields], [4, 'allow', undefined]);

  const plan = await succeeds(talk, 'svc_retract_source', { source: 'interview', repair: 'T-1' });
  assert.deepEqual([plan.planned, plan.applied], [5, false]);
  const applied = { source: 'interview', repair: 'T-1', apply: true, expect: 5 };
  assert.equal((await succeeds(talk, 'svc_retract_source', applied)).retracted, 5);
}

async function failInEachWay(talk: Conversation): Promise<void> {
  const parsed = await fails(talk, 'svc_query', { query: 'SELECT * WHERE {\n ?s ?p' });
  assert.equal(parsed.code, 'parse_error');
  assert.deepEqual((parsed.position as { line: number }).line, 2);
  assert.equal((await fails(talk, 'svc_query')).error, "missing 'query' parameter");
  assert.equal((await fails(talk, 'svc_unravel')).code, 'invalid_request');
  const orphan = { entity: 'http://example.org/nobody', predicate: 'http://example.org/age', value: { int: 1 } };
  assert.equal((await fails(talk, 'svc_set', orphan)).error, 'entity not found: http://example.org/nobody');
  assert.match(
    (await fails(talk, 'svc_export', { format: 'jsonld' })).error as string,
    /expected one of turtle, ntriples/,
  );
  const action = (await fails(talk, 'svc_queries', { action: 'drop' })).error as string;
  assert.match(action, /^unknown queries action 'drop'/);
  assert.match((await fails(talk, 'svc_graph_list', { lifecycle: 'thawed' })).error as string, /frozen/);
  for (const key of ['token', 'auth_token', 'authorization', 'Authorization']) {
    const refused = await fails(talk, 'svc_query', { query: 'ASK {}', [key]: 'very-secret' });
    assert.equal(refused.code, 'invalid_request');
    assert.doesNotMatch(JSON.stringify(refused), /very-secret/);
  }
  await assert.rejects(talk.call('svc_nothing'), (error: { code: number }) => error.code === -32602);
  const ignored = await succeeds(talk, 'svc_query', {
    query: 'ASK {}',
    zebra: 1,
    base: 'http://x/',
    ant: null,
    bee: [],
  });
  assert.deepEqual(ignored, { result: true, labels: null, ignored_fields: ['base', 'bee', 'zebra'] });
  // A write that passed over an argument says so in words, too.
  await succeeds(talk, 'svc_knot', { turtle: '<http://example.org/nan> <http://example.org/nick> "N" .' });
  const about = { entity: 'http://example.org/nan', predicate: 'http://example.org/nick', value: 'Annie' };
  const written = await talk.call('svc_set', { ...about, valid_form: '2026-01-01T00:00:00Z', zebra: 1 });
  assert.deepEqual(bodyOf(written).ignored_fields, ['valid_form', 'zebra']);
  assert.deepEqual(
    written.content.slice(1).map(({ text }) => text),
    [
      "The write went on without 'valid_form', which svc_set does not know; did you mean valid_from?",
      "The write went on without 'zebra', which svc_set does not know; it takes entity, predicate, value, valid_from, timestamp, actor",
    ],
  );
  assert.equal((await talk.call('svc_set', { ...about, valid_from: '2026-01-01T00:00:00Z' })).content.length, 1);
  await succeeds(talk, 'svc_retract', { entity: about.entity });
}

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'svc-mcp-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** What was agreed; and a client that knows the tools holds every answer, failures too, against their schemas. */
async function meet(talk: Conversation, version: string): Promise<void> {
  assert.equal(talk.version, version);
  assert.deepEqual([talk.server?.name, talk.server?.version], ['svc', programVersion()]);
  assert.deepEqual((await talk.tools()).map(({ name }) => name).sort(), TOOLS);
}

for (const [name, { connect, version }] of Object.entries(LINES)) {
  test(`${name}, over HTTP: every tool, every kind of failure`, async (t) => {
    const server = await startTestServer(t);
    const talk = await connect({ url: `${server.base}/mcp` });
    t.after(() => talk.close());
    assert.equal((await json(await server.get('/version'))).version, programVersion());
    await meet(talk, version);
    await failInEachWay(talk);
    await useEachTool(talk);
  });

  test(`${name}, over standard input and output: every tool, every kind of failure`, async (t) => {
    const talk = await connect({ arguments: ['mcp', '--db', join(folder(t), 'store.svc')] });
    t.after(() => talk.close());
    await meet(talk, version);
    await failInEachWay(talk);
    await useEachTool(talk);
  });
}
