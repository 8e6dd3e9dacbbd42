/** Operations over time: bodies as the wire shapes show them, and what bad requests get. */
import assert from 'node:assert/strict';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { findProblems } from '../../engine/service/requests/check-schema.js';
import type { Store } from '../../interfaces/library/index.js';
import { DATE, MALFORMED_TIMES } from '../malformed-times.js';
import { bodyOfAnswer } from './answer-body.js';
import { EX, onBothStores, quad, ROOT, T, trace } from './time-support.js';

const configuration = parseConfiguration('', 'none');
const TURTLE = `@prefix ex: <${EX}> .\n`;

type Body = Readonly<Record<string, unknown>>;

function run(store: Store, name: string, request: unknown) {
  const operation = OPERATIONS.find((one) => one.name === name);
  assert.ok(operation, name);
  return operation.run({ store, configuration, control: {}, documents: [], representation: 'body' }, request);
}

/** The body as its reader sees it, held to its schema. */
async function body(store: Store, name: string, request: unknown): Promise<Body> {
  const answer = await run(store, name, request);
  const read = await bodyOfAnswer(answer);
  assert.deepEqual([...findProblems(OPERATIONS.find((one) => one.name === name)?.response as never, read)], [], name);
  return read;
}

const knot = (store: Store, text: string, more = {}) => body(store, 'knot', { turtle: TURTLE + text, ...more });
const ALICE = `${EX}alice`;
const AGE = `${EX}age`;

onBothStores('knot with replace_snapshot', async (store) => {
  await knot(store, 'ex:a ex:p 1, 2 .', {
    snapshot: 'k',
    replace_snapshot: true,
    source: 'mine',
    timestamp: '2026-01-01',
  });
  const second = await knot(store, 'ex:a ex:p 2, 3 .', { snapshot: 'k', replace_snapshot: true, timestamp: T(2) });
  assert.deepEqual(second, {
    conforms: true,
    tx_id: 2,
    count: 2,
    new_facts: 1,
    valid_from: T(2),
    snapshot: 'k',
    replaced: true,
    retracted: 1,
    violations: [],
    warnings: [],
    infos: [],
  });
  const before = await trace(store);
  for (const more of [{}, { snapshot: '' }, { snapshot: ' ' }]) {
    await assert.rejects(run(store, 'knot', { turtle: '', replace_snapshot: true, ...more }), {
      code: 'invalid_request',
    });
  }
  assert.deepEqual(await trace(store), before);
});

onBothStores('a knot answers with the stored labels of the blank nodes that it labels', async (store) => {
  const text = 'ex:a ex:p _:b1, _:c.d . _:b1 ex:q "_:no", <urn:x:_:no>, [] . # _:no\n_:c.d ex:r ex:_:x .'.replace(
    'ex:_:x',
    'ex:x',
  );
  for (const more of [{}, { snapshot: 'k' }, { blank_node_scope: 'store' }]) {
    const { blank_nodes: minted } = (await knot(store, text, more)) as { blank_nodes: Record<string, string> };
    assert.deepEqual(Object.keys(minted), ['_:b1', '_:c.d']);
    for (const [label, facts] of [
      ['_:b1', 3],
      ['_:c.d', 1],
    ] as const) {
      const { count } = await body(store, 'entity_history', { iri: minted[label] });
      assert.equal(count, facts, `${label} ${JSON.stringify(more)}`);
    }
  }
  assert.equal((await knot(store, 'ex:a ex:p "_:b" .')).blank_nodes, undefined);
});

onBothStores('set with valid_from says when it is, and what is easily taken for something else', async (store) => {
  await knot(store, 'ex:alice ex:age 30, 29 .', { timestamp: T(1) });
  const about = { entity: ALICE, predicate: AGE };
  const told = { entity: ALICE, predicate: AGE, valid_from: T(2) };
  assert.deepEqual(
    await body(store, 'set', { ...about, value: { int: 31 }, valid_from: '2026-02-01T01:00:00+01:00' }),
    {
      tx_id: 2,
      retracted: 2,
      asserted: 1,
      ...told,
    },
  );
  const later = await body(store, 'set', { ...about, value: { int: 32 }, valid_from: '2999-01-01T00:00:00Z' });
  assert.equal(later.valid_from, '2999-01-01T00:00:00Z');
  assert.match(String(later.note), /lies in the future: reads without a time show the new value at once/);
  const same = await body(store, 'set', { ...about, value: { int: 32 }, valid_from: T(2) });
  assert.deepEqual([same.tx_id, same.valid_from], [0, undefined]);
  assert.match(String(same.note), /nothing was written/);
  await knot(store, 'ex:alice ex:age 33 .');
  const kept = await body(store, 'set', { ...about, value: { int: 32 }, valid_from: T(3) });
  assert.deepEqual([kept.retracted, kept.asserted], [1, 0]);
  assert.match(String(kept.note), /keeps its own beginning; the others end at 2026-03-01T00:00:00Z/);
  const before = await trace(store);
  for (const valid_from of ['2026-12-01', 'tomorrow', 5]) {
    await assert.rejects(run(store, 'set', { ...about, value: { int: 40 }, valid_from }), /valid_from/);
  }
  assert.deepEqual(await trace(store), before);
});

onBothStores('set, retract and entity_history', async (store) => {
  await knot(store, 'ex:alice ex:age 30 ; ex:name "Alice"@en ; ex:knows _:b .', { timestamp: T(1), snapshot: 'k' });
  assert.deepEqual(
    await body(store, 'set', { entity: ALICE, predicate: AGE, value: { int: 31 }, timestamp: T(2), actor: 'me' }),
    {
      tx_id: 2,
      retracted: 1,
      asserted: 1,
      entity: ALICE,
      predicate: AGE,
    },
  );
  assert.deepEqual(
    await body(store, 'retract', { entity: ALICE, predicate: AGE, value: { int: 31 }, timestamp: T(3) }),
    {
      tx_id: 3,
      retracted: 1,
      entity: ALICE,
    },
  );
  assert.deepEqual(await body(store, 'retract', { entity: ALICE, predicate: AGE }), {
    tx_id: 0,
    retracted: 0,
    entity: ALICE,
  });
  const history = await body(store, 'entity_history', { iri: ALICE });
  const entries = history.history as Body[];
  const label = (entries.find(({ predicate }) => predicate === `${EX}knows`) as Body).value as string;
  assert.match(label, /^_:d[0-9a-f]{16}-b$/);
  const entry = (op: string, name: string, value: unknown, from: number, to: number | null, tx: number) => ({
    op,
    predicate: `${EX}${name}`,
    value,
    valid_from: T(from),
    valid_to: to === null ? null : T(to),
    tx,
  });
  assert.deepEqual(history, {
    iri: ALICE,
    count: 6,
    truncated: false,
    history: [
      entry('assert', 'age', 30, 1, 2, 1),
      entry('assert', 'knows', label, 1, null, 1),
      entry('assert', 'name', { value: 'Alice', lang: 'en' }, 1, null, 1),
      entry('retract', 'age', 30, 1, null, 2),
      entry('assert', 'age', 31, 2, 3, 2),
      entry('retract', 'age', 31, 2, null, 3),
    ],
  });
  const page = await body(store, 'entity_history', { iri: ALICE, limit: 2, offset: 5 });
  assert.deepEqual([page.count, page.truncated], [1, false]);
  assert.deepEqual((await body(store, 'entity_history', { iri: label })).count, 0);
  await assert.rejects(run(store, 'entity_history', {}), { message: "missing 'iri' parameter" });
  await assert.rejects(run(store, 'entity_history', { iri: `${EX}nobody` }), {
    message: `entity not found: ${EX}nobody`,
  });
  await assert.rejects(run(store, 'set', { entity: `${EX}nobody`, predicate: AGE, value: 'x' }), {
    message: `entity not found: ${EX}nobody`,
  });
  await assert.rejects(run(store, 'set', { entity: ALICE, predicate: AGE }), { message: "missing 'value' parameter" });
  await assert.rejects(run(store, 'set', { entity: ALICE, predicate: AGE, value: null }), {
    message: "missing 'value' parameter",
  });
  for (const value of [42, true, [], {}, { str: 'x', int: 1 }]) {
    await assert.rejects(
      run(store, 'set', { entity: ALICE, predicate: AGE, value }),
      /\{"iri": "\.\.\."\}/,
      JSON.stringify(value),
    );
    await assert.rejects(run(store, 'retract', { entity: ALICE, value }), /\{"iri": "\.\.\."\}/, JSON.stringify(value));
  }
});

onBothStores('unravel', async (store) => {
  await knot(store, 'ex:alice ex:age 30 . ex:bob ex:age "x" .', { timestamp: T(1) });
  await body(store, 'set', { entity: ALICE, predicate: AGE, value: { int: 31 }, timestamp: T(2) });
  const fact = (entity: string, value: unknown, from: number, to: number | null, tx: number) => ({
    entity: `${EX}${entity}`,
    predicate: AGE,
    value,
    valid_from: T(from),
    valid_to: to === null ? null : T(to),
    tx,
  });
  assert.deepEqual(await body(store, 'unravel', { tx: 1 }), {
    facts: [fact('alice', 30, 1, null, 1), fact('bob', 'x', 1, null, 1)],
    count: 2,
    truncated: false,
  });
  assert.deepEqual(await body(store, 'unravel', { valid_at: '2026-01-01T01:00:00+01:00', limit: 1 }), {
    facts: [fact('alice', 30, 1, 2, 1)],
    count: 1,
    truncated: true,
  });
  assert.deepEqual((await body(store, 'unravel', { tx: 2, valid_at: '2026-02-02' })).count, 2);
  assert.deepEqual((await body(store, 'unravel', { tx: 0 })).facts, []);
  assert.deepEqual((await body(store, 'unravel', { tx: 2, limit: -5 })).count, 1, 'clamped');
  for (const request of [{}, { tx: -1 }, { tx: 1.5 }, { tx: '1' }, { tx: 1, limit: 1.5 }, { tx: 1, offset: -1 }]) {
    await assert.rejects(run(store, 'unravel', request), { code: 'invalid_request' }, JSON.stringify(request));
  }
});

onBothStores('transactions', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', { timestamp: T(1), actor: 'a', source: 's' });
  for (let value = 2; value <= 4; value++)
    await body(store, 'set', { entity: `${EX}a`, predicate: `${EX}p`, value: { int: value } });
  const first = { id: 1, timestamp: T(1), actor: 'a', source: 's', authenticated: null, asserted: 1, retracted: 0 };
  const all = await body(store, 'transactions', {});
  assert.deepEqual([all.count, all.next_since, (all.transactions as Body[])[0]], [4, null, first]);
  const ids = async (request: object) => {
    const { transactions, next_since: next } = await body(store, 'transactions', request);
    return [(transactions as Body[]).map(({ id }) => id), next];
  };
  assert.deepEqual(await ids({ since: 1, limit: 2 }), [[2, 3], 3]);
  assert.deepEqual(await ids({ since: 3 }), [[4], null]);
  assert.deepEqual(await ids({ limit: 0 }), [[1], 1]);
  assert.deepEqual(await ids({ since: 9 }), [[], null]);
  for (const request of [{ since: -1 }, { since: 1.5 }, { limit: 'x' }]) {
    await assert.rejects(run(store, 'transactions', request), { code: 'invalid_request' });
  }
});

onBothStores('retract_source and contradictions', async (store) => {
  await knot(store, 'ex:a ex:p 1, "x" .', { source: 'import', timestamp: T(1) });
  const preview = await body(store, 'retract_source', { source: 'import', repair: 'TICKET-7' });
  assert.deepEqual(preview, {
    source: 'import',
    graph: ROOT,
    planned: 2,
    entities: 1,
    applied: false,
    tx_id: null,
    retracted: null,
    repair_source: 'repair:TICKET-7',
    sample: [
      { entity: `${EX}a`, predicate: `${EX}p`, value: 1 },
      { entity: `${EX}a`, predicate: `${EX}p`, value: 'x' },
    ],
    sample_truncated: false,
  });
  const pairs = await body(store, 'contradictions', { all_predicates: true });
  assert.deepEqual(pairs, {
    contradictions: [
      {
        entity: `${EX}a`,
        predicate: `${EX}p`,
        facts: [
          { value: 1, valid_from: T(1), valid_to: null, tx: 1 },
          { value: 'x', valid_from: T(1), valid_to: null, tx: 1 },
        ],
      },
    ],
    count: 1,
    truncated: false,
  });
  await assert.rejects(run(store, 'retract_source', { source: 'import' }), { message: "missing 'repair' parameter" });
  await assert.rejects(run(store, 'retract_source', { repair: 'x' }), { message: "missing 'source' parameter" });
  await assert.rejects(run(store, 'retract_source', { source: 'import', repair: 'r', expect: 3, apply: true }), {
    message: 'expected 3 facts, plan has 2; nothing was changed',
  });
  const applied = await body(store, 'retract_source', { source: 'import', repair: 'r', apply: true, expect: 2 });
  assert.deepEqual([applied.applied, applied.tx_id, applied.retracted, applied.remaining], [true, 2, 2, 0]);
});

onBothStores('malformed times of every operation that takes one', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const before = await trace(store);
  const requests: [string, Body, string][] = [
    ['knot', { turtle: '' }, 'timestamp'],
    ['knot', { turtle: '' }, 'valid_from'],
    ['knot', { turtle: '', snapshot: 'k', replace_snapshot: true }, 'valid_from'],
    ['set', { entity: `${EX}a`, predicate: `${EX}p`, value: 'x' }, 'timestamp'],
    ['retract', { entity: `${EX}a` }, 'timestamp'],
    ['retract_source', { source: 's', repair: 'r', apply: true }, 'timestamp'],
    ['read', { query: 'ASK {}' }, 'valid_at'],
    ['unravel', {}, 'valid_at'],
  ];
  for (const [name, request, field] of requests) {
    for (const time of [...MALFORMED_TIMES, 5, true, {}]) {
      await assert.rejects(
        run(store, name, { ...request, [field]: time }),
        (error: Error & { code?: string }) => error.code === 'invalid_request' && error.message.includes(field),
        `${name} ${field} ${JSON.stringify(time)}`,
      );
    }
  }
  await assert.rejects(run(store, 'knot', { turtle: '', valid_from: DATE }), { code: 'invalid_request' });
  assert.deepEqual(await trace(store), before);
  assert.equal((await body(store, 'unravel', { valid_at: DATE })).count, 0);
});

onBothStores('transactions: a long log is written as it is read, up to what was there when it began', async (store) => {
  for (let n = 1; n <= 1001; n++) {
    const write = store.transact({ assert: [quad('a', 'p', n)] }, { timestamp: T(1), actor: `"${n}` });
    if (n % 100 === 0 || n === 1001) await write;
  }
  const answer = await run(store, 'transactions', { extra: 1 });
  assert.ok(answer.kind === 'document' && answer.mediaType === 'application/json');
  const chunks: string[] = [];
  for await (const chunk of answer.chunks) {
    if (chunks.push(String(chunk)) === 1) await store.transact({ assert: [quad('b', 'p', 1)] });
  }
  assert.ok(chunks.length > 2, 'in parts');
  const log = JSON.parse(chunks.join(''));
  assert.deepEqual([log.count, log.next_since, log.ignored_fields], [1001, null, ['extra']]);
  const expected = Array.from({ length: 1001 }, (_, n) => [n + 1, `"${n + 1}`, 1]);
  assert.deepEqual(
    log.transactions.map(({ id, actor, asserted }: { id: number; actor: string; asserted: number }) => [
      id,
      actor,
      asserted,
    ]),
    expected,
  );
  const stopped = new AbortController();
  const control = { signal: stopped.signal };
  const context = { store, configuration, control, documents: [], representation: 'body' };
  const cut = await OPERATIONS.find(({ name }) => name === 'transactions')?.run(context, {});
  assert.ok(cut?.kind === 'document');
  stopped.abort();
  await assert.rejects(
    async () => {
      for await (const _ of cut.chunks);
    },
    { code: 'aborted' },
  );
});
