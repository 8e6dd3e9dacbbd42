/** Proposals to change the schema (semantics of reasoning, 6): made, listed, decided once; a shape is loaded with its acceptance. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { inFolder, svcHere } from '../cli/svc.js';
import { json, sharedTestServer } from '../http/support.js';
import { onBothStores, trace } from '../service/time-support.js';

const EX = 'http://example.org/';
const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <${EX}> .
ex:PersonShape a sh:NodeShape ; sh:targetClass ex:Person ; sh:property [ sh:path ex:name ; sh:minCount 1 ] .`;
const PERSON = `<${EX}al> a <${EX}Person> .`;

const served = sharedTestServer();

test('EX-6.1: a diff is read when it is accepted, and what fails stays pending', async () => {
  const server = await served();
  const shape = (diff: string) => ({ kind: 'shape', target: 'person', diff, proposer: 'agent-1', rationale: 'names' });
  assert.deepEqual(await json(await server.post('/propose', shape('not turtle'))), {
    proposal_id: 1,
    status: 'pending',
  });
  const refused = await server.post('/proposal/accept', { id: 1 });
  assert.equal(refused.status, 400);
  assert.equal((await json(refused)).code, 'parse_error');
  const pending = await json(await server.post('/proposals', { status: 'pending' }));
  assert.equal(pending.count, 1);
  assert.deepEqual(await json(await server.post('/shapes', { action: 'list' })), {
    shapes: [],
    count: 0,
    truncated: false,
  });
  await server.post('/propose', shape(SHAPES));
  assert.deepEqual(await json(await server.post('/proposal/accept', { id: '2', decided_by: 'ann' })), {
    proposal_id: 2,
    status: 'accepted',
    target: 'person',
    kind: 'shape',
  });
  const sets = (await json(await server.post('/shapes', { action: 'list' }))).shapes as { name: string }[];
  assert.deepEqual(
    sets.map(({ name }) => name),
    ['person'],
  );
  assert.equal((await server.post('/knot', { turtle: PERSON })).status, 400);
  const again = await server.post('/proposal/accept', { id: 2 });
  assert.equal(again.status, 409);
  const { error, code } = await json(again);
  assert.deepEqual([error, code], ['proposal 2 is already accepted', 'state_conflict']);
  const silent = await server.post('/proposal/reject', { id: 1 });
  assert.equal(silent.status, 400);
  assert.equal((await json(silent)).error, "missing 'note' parameter");
  assert.deepEqual(await json(await server.post('/proposal/reject', { id: 1, note: 'no' })), {
    proposal_id: 1,
    status: 'rejected',
    target: 'person',
  });
  const { events } = (await json(await server.get('/events'))) as { events: Record<string, unknown>[] };
  const own = events.filter(({ type }) => /^(proposal|shapes)\./.test(String(type)));
  assert.deepEqual(
    own.map(({ type, subject, payload }) => [type, subject, (payload as { id?: number }).id]),
    [
      ['proposal.created', 'person', 1],
      ['proposal.created', 'person', 2],
      ['shapes.loaded', 'person', undefined],
      ['proposal.accepted', 'person', 2],
      ['proposal.rejected', 'person', 1],
    ],
  );
  // The load and the decision are one transaction.
  assert.equal(own[2]?.tx_id, own[3]?.tx_id);
});

test('bad input over HTTP: each with its status and what is wrong', async () => {
  const server = await served();
  const whole = { kind: 'class', target: 't', diff: 'd', proposer: 'p' };
  const cases: readonly (readonly [string, object, number, RegExp])[] = [
    ['/propose', { ...whole, kind: 'table' }, 400, /'kind' is "table"; expected/],
    ['/propose', { ...whole, proposer: undefined }, 400, /missing 'proposer' parameter/],
    ['/propose', { ...whole, diff: '' }, 400, /diff/],
    ['/propose', { ...whole, timestamp: 'yesterday' }, 400, /timestamp/],
    ['/proposals', { status: 'open' }, 400, /'status' is "open"/],
    ['/proposals', { limit: 1.5 }, 400, /limit/],
    ['/proposal/accept', { id: 999 }, 400, /^proposal 999 not found$/],
    ['/proposal/accept', { id: 'first' }, 400, /'id' is/],
    ['/proposal/accept', {}, 400, /missing 'id' parameter/],
    ['/proposal/reject', { id: 999, note: 'no' }, 400, /^proposal 999 not found$/],
  ];
  for (const [path, body, status, message] of cases) {
    const answer = await server.post(path, body);
    assert.equal(answer.status, status, path + JSON.stringify(body));
    assert.match(String((await json(answer)).error), message);
  }
});

const INPUT = { kind: 'class', target: `${EX}Car`, diff: 'a car', proposer: 'ann' } as const;

onBothStores('records: newest first, nothing is ever taken away, absent optionals are null', async (store) => {
  const at = (timestamp: string, more = {}) => store.propose({ ...INPUT, ...more }, { timestamp });
  await at('2026-03-01', { rationale: 'why', triggerRef: `${EX}ticket` });
  await at('2026-01-01');
  await at('2026-03-01');
  await store.rejectProposal(3, 'no', { decidedBy: 'bob', timestamp: '2026-04-01' });
  const { proposals, truncated } = await store.proposals();
  assert.deepEqual([proposals.map(({ id }) => id), truncated], [[3, 1, 2], false]);
  assert.deepEqual(proposals[0], {
    ...INPUT,
    id: 3,
    rationale: null,
    triggerRef: null,
    status: 'rejected',
    decidedBy: 'bob',
    decidedAt: '2026-04-01T00:00:00Z',
    decisionNote: 'no',
    createdAt: '2026-03-01T00:00:00Z',
  });
  const { decidedBy, decidedAt, decisionNote, rationale, triggerRef } = proposals[1] as (typeof proposals)[number];
  assert.deepEqual([decidedBy, decidedAt, decisionNote], [null, null, null]);
  assert.deepEqual([rationale, triggerRef], ['why', `${EX}ticket`]);
  const page = await store.proposals({ limit: 1, offset: 1 });
  assert.deepEqual([page.proposals.map(({ id }) => id), page.truncated], [[1], true]);
  assert.equal((await store.proposals({ status: 'pending' })).proposals.length, 2);
  // Registry rows are no facts.
  assert.equal(store.stats().factsCurrent, 0);
});

onBothStores('a refused decision leaves no trace', async (store) => {
  await store.propose({ ...INPUT, kind: 'shape', target: 'person', diff: SHAPES });
  await store.propose({ ...INPUT, kind: 'shape', target: 'other', diff: '<urn:a> <urn:b> <urn:c> .' });
  const rules = '[] a <http://svc.local/rule#Rule> .';
  await store.propose({ ...INPUT, kind: 'shape', target: 'rules', diff: rules });
  const before = await trace(store);
  for (const id of [2, 3, 4, 1.5]) await assert.rejects(store.acceptProposal(id));
  await assert.rejects(store.rejectProposal(1, ' '), /missing 'note' parameter/);
  assert.deepEqual(await trace(store), before);
  assert.deepEqual(await store.shapeSets(), []);
});

onBothStores('of two decisions at once one counts', async (store) => {
  await store.propose({ ...INPUT, kind: 'shape', target: 'person', diff: SHAPES });
  const both = [store.acceptProposal(1), store.rejectProposal(1, 'no'), store.acceptProposal(1)];
  const outcomes = await Promise.allSettled(both);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  const status = (await store.proposals()).proposals[0]?.status;
  assert.equal((await store.shapeSets()).length, status === 'accepted' ? 1 : 0);
});

test('kinds other than shape are recorded, and nothing is applied', async (t) => {
  const store: Store = await openStore(':memory:');
  t.after(() => store.close());
  await store.propose({ ...INPUT, kind: 'ontology', diff: SHAPES });
  const { kind, target } = await store.acceptProposal(1, { note: 'fine' });
  assert.deepEqual([kind, target], ['ontology', INPUT.target]);
  assert.deepEqual(await store.shapeSets(), []);
});

test('on the command line: lines of the specification', async () => {
  await inFolder(async (cwd) => {
    writeFileSync(join(cwd, 's.ttl'), SHAPES);
    const run = async (...words: string[]) => svcHere(words, { cwd });
    assert.equal((await run('propose', 'submit', 'shape', 'person', 's.ttl', '--proposer', 'ann')).code, 0);
    const why = ['--rationale', 'why', '--trigger', 'ticket-1', '--timestamp', '2030-01-01'];
    const made = await run('propose', 'submit', 'class', 'Car', 's.ttl', '--proposer', 'bob', ...why);
    assert.equal(made.out, 'proposal 2 created (status: pending)\n');
    const listed = await run('propose', 'list', '--status', 'pending');
    const lines = ['  #2 [pending] Class Car -- why (by bob)', '  #1 [pending] Shape person (by ann)', '2 proposal(s)'];
    assert.equal(listed.out, `${lines.join('\n')}\n`);
    const accepted = await run('propose', 'accept', '1', '--by', 'ann');
    assert.equal(accepted.out, 'proposal 1 accepted (target: person, kind: Shape)\n');
    assert.equal((await run('propose', 'reject', '2')).code, 1);
    const rejected = await run('propose', 'reject', '2', '--note', 'no');
    assert.equal(rejected.out, 'proposal 2 rejected (target: Car)\n');
    assert.equal((await run('propose', 'accept', '2')).code, 1);
    assert.equal((await run('propose', 'list', '--status', 'pending')).out, 'no proposals found\n');
  });
});
