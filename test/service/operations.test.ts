/** Every operation: its definition is whole, its answers fit its response schema, its errors name fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { COMMANDS } from '../../engine/service/operations/commands.js';
import type { Answer, AskContext, Body } from '../../engine/service/operations/definition/operation.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { findProblems } from '../../engine/service/requests/check-schema.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { bodyOfAnswer } from './answer-body.js';

const configuration = parseConfiguration('', 'none');

function context(store: Store, more: Partial<AskContext> = {}): AskContext {
  return { store, configuration, control: {}, documents: [], representation: 'body', ...more };
}

function operation(name: string) {
  const found = OPERATIONS.find((one) => one.name === name);
  assert.ok(found, name);
  return found;
}

async function bodyOf(name: string, store: Store, request: unknown, more: Partial<AskContext> = {}): Promise<Body> {
  const answer: Answer<Body> = await operation(name).run(context(store, more), request);
  // What a reader of the JSON text sees is what must fit the schema.
  const read = await bodyOfAnswer(answer);
  assert.deepEqual([...findProblems(operation(name).response, read)], [], name);
  return read;
}

test('definitions are whole: names once, schemas as JSON, projected fields declared', () => {
  const words = COMMANDS.flatMap(({ projections: { cli } }) => [cli.command, ...(cli.aliases ?? [])]);
  assert.equal(new Set(words).size, words.length);
  assert.deepEqual(
    OPERATIONS.map(({ name }) => name),
    [
      'knot',
      'episode',
      'read',
      'explain',
      'update',
      'set',
      'retract',
      'retract_source',
      'cord',
      'entity_history',
      'unravel',
      'impact',
      'unified_search',
      'transactions',
      'contradictions',
      'project',
      'report',
      'events',
      'events_commit',
      'events_refusals',
      'graphs',
      'graph_create',
      'overlay_create',
      'overlay_write',
      'overlay_compose',
      'graph_label',
      'graph_freeze',
      'graph_thaw',
      'graph_import',
      'pack',
      'unpack',
      'share_to',
      'import_share',
      'import_promote',
      'share_status',
      'share_merge',
      'stats',
      'export',
      'reason',
      'fact_explain',
      'validate',
      'policy_check',
      'verdict_verify',
      'verify',
      'backup',
      'lake_export',
      'lake_verify',
      'lake_sql',
      'lake_query',
      'fold',
      'compact',
      'promote',
      'repair',
      'restore',
      'migrate_vectors',
      'queries_running',
      'queries_cancel',
      'fork_create',
      'fork_list',
      'fork_diff',
      'fork_drop',
      'fork_promote',
      'align_propose',
      'align_decide',
      'align_apply',
      'path_cone',
      'path_backtest',
      'path_draft',
      'cooccurrence',
      'proposals',
      'propose',
      'proposal_accept',
      'proposal_reject',
      'policy_draft',
      'policy_backtest',
      'audit_trace',
      'audit_inventory',
      'audit_inheritance',
      'audit_replay',
      'audit_tree',
      'audit_namespace',
      'project_read',
      'graph',
      'changes',
      'timeline',
      'episodes_complete',
      'retract_episode',
      'resolve_entity',
      'reconcile',
      'spotlight',
      'entity',
      'preview',
      'fragments',
      'graph_counts',
      'graph_read',
      'graph_replace',
      'graph_merge',
      'graph_delete',
      'share',
      'verifier_authorized',
      'datasets',
      'dataset_list',
      'queries',
      'query_list',
      'subscriptions',
      'shapes',
      'shape_list',
      'shape_set',
      'ontology',
      'ontology_list',
      'ask',
      'search',
      'hybrid_search',
      'search_nodes',
      'search_facts',
      'node_search',
      'context',
      'embed_backfill',
      'version',
      'void',
    ],
  );
  // What shows itself as a command stands in their list, which help reads.
  assert.equal(
    OPERATIONS.filter(({ projections }) => projections.cli).length,
    COMMANDS.filter((one) => !one.isForm).length,
  );
  for (const { name, request, response, payload, projections, representations } of OPERATIONS) {
    // A clone has no marks of ours, which are symbols.
    const published = structuredClone({ request, response });
    assert.deepEqual(JSON.parse(JSON.stringify(published)), published, name);
    const fields = Object.keys((request as unknown as { properties: object }).properties);
    if (projections.cli === undefined) continue;
    const { options, argument, positional = [], json = [], documents, bundle, text } = projections.cli;
    const given = [...positional, ...(argument ? [argument] : [])].map(({ field }) => field);
    for (const field of [...Object.keys(options), ...given, ...json]) {
      assert.ok(fields.includes(field), `${name}: ${field}`);
    }
    assert.equal(documents === true || bundle !== undefined, payload !== undefined, name);
    assert.ok(text !== undefined || representations.length > 0, `${name} has nothing to print`);
  }
});

test('knot: the document of the request, times, counts, an idempotent second time', async () => {
  const store = await openStore(':memory:');
  const turtle = '@prefix ex: <http://ex.org/> . ex:alice a ex:Person ; ex:age 30 . [] ex:p 1 .';
  const body = await bodyOf('knot', store, {
    turtle,
    valid_from: '2026-01-01T02:00:00+02:00',
    actor: 'agent-1',
    source: 'import',
  });
  assert.deepEqual(body, {
    conforms: true,
    tx_id: 1,
    count: 3,
    new_facts: 3,
    valid_from: '2026-01-01T00:00:00Z',
    snapshot: null,
    replaced: false,
    violations: [],
    warnings: [],
    infos: [],
  });
  const again = await bodyOf('knot', store, { turtle });
  assert.deepEqual([again.tx_id, again.count, again.new_facts], [2, 3, 0]);
  const keyed = await bodyOf('knot', store, { turtle, snapshot: 'k' });
  assert.deepEqual([keyed.snapshot, keyed.new_facts], ['k', 1]);
  assert.deepEqual(
    store.transactions().map(({ actor, source }) => [actor, source]),
    [
      ['agent-1', 'import'],
      [null, null],
      [null, null],
    ],
  );
  await store.close();
});

test('knot: what is wrong leaves nothing', async () => {
  const store = await openStore(':memory:');
  const run = (request: unknown) => operation('knot').run(context(store), request);
  await assert.rejects(run({}), { message: "missing 'turtle' parameter" });
  await assert.rejects(run({ turtle: 1 }), { message: "field 'turtle' is 1; expected a string" });
  await assert.rejects(run({ turtle: '', replace_snapshot: true }), /'replace_snapshot' needs a 'snapshot' key/);
  await assert.rejects(
    run({ turtle: '', shapes: '<a> <b> <c> .' }),
    (error: unknown) => (error as { code?: string }).code === 'parse_error',
  );
  await assert.rejects(
    run({ turtle: '<relative> <http://e/p> 1 .' }),
    (error: unknown) => (error as { code?: string }).code === 'parse_error',
  );
  for (const time of ['2026-02-30T00:00:00Z', 'yesterday', '2026-01-01T24:00:00Z', '2026-01-01T00:00:00']) {
    await assert.rejects(
      run({ turtle: '', valid_from: time }),
      (error: unknown) => (error as { code?: string }).code === 'invalid_request',
      time,
    );
  }
  assert.deepEqual(store.transactions(), []);
  await store.close();
});

test('stats, export and verify answer bodies that fit; export also as a document', async () => {
  const store = await openStore(':memory:');
  await store.load({ text: '<http://e/a> <http://e/p> <http://e/b> .', format: 'turtle' }, { graph: 'http://e/g' });
  await bodyOf('knot', store, { turtle: '<http://e/a> <http://e/p> 1, 2 .' });
  const stats = await bodyOf('stats', store, {});
  assert.deepEqual(
    [stats.facts, stats.entities, stats.predicates, stats.quads, stats.graphs, stats.transactions],
    [2, 1, 1, 3, 2, 2],
  );
  const verified = await bodyOf('verify', store, {});
  assert.deepEqual([verified.ok, verified.problems], [true, []]);
  const exported = await bodyOf('export', store, { graph: 'http://e/g', format: 'ntriples' });
  assert.deepEqual(exported, {
    rdf: '<http://e/a> <http://e/p> <http://e/b> .\n',
    format: 'ntriples',
    graph: 'http://e/g',
    triples: 1,
  });
  const answer = await operation('export').run(context(store, { representation: 'turtle' }), {});
  assert.ok(answer.kind === 'document');
  assert.equal(answer.mediaType, 'text/turtle; charset=utf-8');
  let text = '';
  for await (const chunk of answer.chunks) text += Buffer.from(chunk).toString();
  assert.match(text, /^<http:\/\/e\/a> <http:\/\/e\/p> "?1/);
  await store.close();
});

test('documents that a face hands over stand in for the payload', async () => {
  const store = await openStore(':memory:');
  const bytes = new TextEncoder().encode('<http://e/a> <http://e/p> "x" .');
  const body = await bodyOf(
    'knot',
    store,
    {},
    { documents: [{ kind: 'bytes', bytes, name: 'a', format: 'ntriples' }] },
  );
  assert.deepEqual([body.count, body.new_facts], [1, 1]);
  await store.close();
});
