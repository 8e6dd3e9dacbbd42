/** A gate of reads is asked who reads which graphs as of when, before anything of it is evaluated, and what it refuses is not read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { ANYONE, type Principal } from '../../engine/base/principal.js';
import type { AskedRead, ReadGate } from '../../engine/query/read-gate.js';
import { terms } from '../../engine/rdf/terms.js';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { answerOperation } from '../../engine/service/operations/definition/answer-operation.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { toQuery } from '../../engine/service/reads/query.js';
import { readContext } from '../../engine/service/reads/read-context.js';
import { graphTest } from '../../engine/storage/seam/source.js';
import { openStore, type Store } from '../../interfaces/library/index.js';

const EX = 'http://example.org/';
const FLOOR = `${EX}low`;
const configuration = parseConfiguration('', 'none');
const ANN: Principal = {
  authenticated: { principal: `${EX}ann`, credential_id: 'k', auth_class: 'named_bearer' },
  readable: null,
};

/** Refuses everybody but Ann a graph of low trust, and her its past. */
class Floor implements ReadGate {
  readonly name = 'floor';
  asked = 0;

  check({ principal, time, graphs, snapshot }: AskedRead): void {
    this.asked++;
    const low = snapshot.encode(terms.namedNode(FLOOR));
    if (low === null || !graphs.some((set) => graphTest(set)(low))) return;
    if (principal.authenticated?.principal === `${EX}ann` && time.kind === 'current') return;
    throw new SvcError('policy_denied', `<${FLOOR}> is below the floor of trust`);
  }
}

async function filled(gate: ReadGate): Promise<Store> {
  const store = await openStore(':memory:', { readGates: [gate] } as object);
  const text = `<${EX}a> <${EX}p> <${EX}b> ; a <${EX}T> .`;
  await store.load({ text, format: 'turtle' });
  await store.load({ text, format: 'turtle' }, { graph: FLOOR });
  await store.load({ text, format: 'turtle' }, { graph: `${EX}high` });
  return store;
}

async function rows(store: Store, text: string, principal: Principal, options = {}): Promise<number> {
  const answer = await store.answerQuery(text, { ...toQuery(options), principal });
  if (answer.kind === 'ask') return Number(answer.value);
  let count = 0;
  for await (const _ of answer.kind === 'select' ? answer.rows() : answer.quads()) count++;
  return count;
}

const denied = { code: 'policy_denied', message: /below the floor/ };

test('queries that can read the graph are refused before they are evaluated, each time, whatever form they have', async (t) => {
  const store = await filled(new Floor());
  t.after(() => store.close());
  const refused = [
    `SELECT * { GRAPH <${FLOOR}> { ?s ?p ?o } }`,
    `SELECT * { GRAPH ?g { ?s ?p ?o } }`,
    `SELECT * FROM <${FLOOR}> { ?s ?p ?o }`,
    `SELECT * FROM NAMED <${FLOOR}> { GRAPH ?g { ?s <${EX}p> ?o } }`,
    `ASK { ?s ?p ?o FILTER EXISTS { GRAPH <${FLOOR}> { ?s ?p ?o } } }`,
    `ASK { GRAPH <${FLOOR}> { <${EX}a> <${EX}p>+ ?o } }`,
    `SELECT * { ?s ?p ?o OPTIONAL { GRAPH <${FLOOR}> { ?o ?q ?x } } }`,
    `CONSTRUCT { ?s ?p ?o } { { ?s ?p ?o } UNION { GRAPH <${FLOOR}> { ?s ?p ?o } } }`,
    `DESCRIBE <${EX}a> FROM <${FLOOR}>`,
    `SELECT * { { SELECT ?s { GRAPH <${FLOOR}> { ?s ?p ?o } } LIMIT 1 } }`,
  ];
  for (const text of refused) {
    for (const _ of [1, 2]) await assert.rejects(rows(store, text, ANYONE), denied, text);
    // She may, and a plan that was made for her serves nobody else.
    assert.ok((await rows(store, text, ANN)) > 0, text);
    await assert.rejects(rows(store, text, ANYONE), denied, text);
    await assert.rejects(rows(store, text, ANN, { tx: 3 }), denied, text);
  }
  const free = [`SELECT * { ?s ?p ?o }`, `SELECT * { GRAPH <${EX}high> { ?s ?p ?o } }`];
  for (const text of free) for (const _ of [1, 2]) assert.equal(await rows(store, text, ANYONE), 2, text);
  assert.equal(store.stats().snapshots.open, 0, 'refused queries give their snapshots back');
});

test('a plan that is used for another graph is judged by that graph', async (t) => {
  const gate = new Floor();
  const store = await filled(gate);
  t.after(() => store.close());
  const text = (graph: string) => `SELECT * { GRAPH <${graph}> { ?s <${EX}p> ?o } }`;
  for (const _ of [1, 2]) assert.equal(await rows(store, text(`${EX}high`), ANYONE), 1);
  for (const _ of [1, 2]) await assert.rejects(rows(store, text(FLOOR), ANYONE), denied);
  const given = 'SELECT * { GRAPH ?graph { ?s ?p ?o } }';
  const parameters = (graph: string) => ({ parameters: { graph: terms.namedNode(graph) } });
  for (const _ of [1, 2]) assert.equal(await rows(store, given, ANYONE, parameters(`${EX}high`)), 2);
  for (const _ of [1, 2]) await assert.rejects(rows(store, given, ANYONE, parameters(FLOOR)), denied);
  const before = gate.asked;
  await rows(store, text(`${EX}high`), ANYONE);
  assert.ok(gate.asked > before, 'a plan that is kept is judged again');
});

test('reads that are no queries are judged as well', async (t) => {
  const store = await filled(new Floor());
  t.after(() => store.close());
  const requests: Readonly<Record<string, object>> = {
    read: { query: 'SELECT * { GRAPH ?g { ?s ?p ?o } }' },
    entity_history: { iri: `${EX}a`, graph: FLOOR },
    export: { graph: FLOOR },
    graph_read: { graph: FLOOR },
    graphs: {},
    changes: { since: 0 },
  };
  for (const [name, request] of Object.entries(requests)) {
    const operation = OPERATIONS.find((one) => one.name === name);
    assert.ok(operation !== undefined, name);
    const ask = async (principal: Principal) => {
      const read = readContext(configuration, principal);
      const given = { store, configuration, read, control: {}, documents: [], representation: 'body' };
      const form = operation.representations.find(({ name }) => name === 'turtle')?.name ?? 'body';
      const bytes: Uint8Array[] = [];
      const answer = await answerOperation(operation, request, { ...given, representation: form });
      for await (const chunk of answer) bytes.push(chunk);
      return Buffer.concat(bytes).toString();
    };
    await assert.rejects(ask(ANYONE), denied, name);
  }
  const hers = await store.as(ANN).ask(`ASK { GRAPH <${FLOOR}> { ?s ?p ?o } }`);
  assert.equal(hers, true, 'a view reads as its principal');
  await assert.rejects(store.ask(`ASK { GRAPH <${FLOOR}> { ?s ?p ?o } }`), denied);
});

test('gates of reads judge in the thread of the caller alone', async () => {
  await assert.rejects(openStore('/nowhere/at/all', { readers: 1, readGates: [new Floor()] } as object), {
    code: 'invalid_request',
    message: /gates of reads/,
  });
});
