/** The change feed: worked examples, every capture, pages of whole transactions, and a replay that rebuilds every state. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOperation } from '../../engine/service/operations/definition/answer-operation.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { body, configuration, type Json, openThreaded, operationOf, run, textOf } from './reads-support.js';
import { EX, knot, onBothStores, quad, ROOT, T } from './time-support.js';

const folder = new StoreFolder();
const CORES = { graph: ROOT, entity: `${EX}h`, predicate: `${EX}cores` };

/** BT-5: four cores, then eight. */
async function fillCores(store: Store): Promise<void> {
  await knot(store, 'ex:h ex:cores 4 .', { timestamp: T(1), validFrom: T(1) });
  await store.set(`${EX}h`, `${EX}cores`, { int: 8 }, { timestamp: T(4) });
}

onBothStores('CH-1: a value that another replaced: both records carry both', async (store) => {
  await fillCores(store);
  assert.deepEqual(await body(store, 'changes', { since: 1, capture: 'old_and_new_values' }), {
    capture: 'old_and_new_values',
    count: 2,
    next_tx: 2,
    watermark: 2,
    changes: [
      { tx: 2, timestamp: T(4), ...CORES, op: 'retract', old_value: 4, new_value: 8, valid_from: T(1), valid_to: T(4) },
      { tx: 2, timestamp: T(4), ...CORES, op: 'assert', old_value: 4, new_value: 8, valid_from: T(4), valid_to: null },
    ],
  });
});

onBothStores('CH-2: a value that is retracted and not replaced', async (store) => {
  await fillCores(store);
  await store.retract(`${EX}h`, { predicate: `${EX}cores`, timestamp: T(6) });
  const { changes, next_tx } = await body(store, 'changes', { since: 2, capture: 'old_and_new_values' });
  assert.deepEqual(
    [changes, next_tx],
    [
      [
        {
          tx: 3,
          timestamp: T(6),
          ...CORES,
          op: 'retract',
          old_value: 8,
          new_value: null,
          valid_from: T(4),
          valid_to: T(6),
        },
      ],
      3,
    ],
  );
});

onBothStores('captures: new values only, whole rows after each transaction; nothing new', async (store) => {
  assert.deepEqual(await body(store, 'changes', {}), {
    capture: 'new_values',
    count: 0,
    next_tx: 0,
    watermark: 0,
    changes: [],
  });
  await fillCores(store);
  await knot(store, 'ex:h ex:cores 8 .', { timestamp: T(5) });
  await store.transact(
    { assert: [quad('h', 'name', 'n'), quad('h', 'cores', 9), quad('i', 'p', 1)] },
    { timestamp: T(6) },
  );
  const values = await body(store, 'changes', { since: 1 });
  assert.deepEqual(
    values.changes.map((one: Json) => [one.tx, one.op, one.new_value, 'old_value' in one]),
    [
      [2, 'retract', null, false],
      [2, 'assert', 8, false],
      [4, 'assert', 9, false],
      [4, 'assert', `${EX}n`, false],
      [4, 'assert', 1, false],
    ],
  );
  assert.deepEqual([values.next_tx, values.watermark], [4, 4], 'a load of what is there already has no records');
  const { changes } = await body(store, 'changes', { since: 1, capture: 'new_row' });
  assert.deepEqual(changes, [
    {
      tx: 2,
      timestamp: T(4),
      graph: ROOT,
      entity: `${EX}h`,
      op: 'row',
      row: { [`${EX}cores`]: [8] },
      changed: [`${EX}cores`],
    },
    {
      tx: 4,
      timestamp: T(6),
      graph: ROOT,
      entity: `${EX}h`,
      op: 'row',
      row: { [`${EX}cores`]: [8, 9], [`${EX}name`]: [`${EX}n`] },
      changed: [`${EX}cores`, `${EX}name`],
    },
    { tx: 4, timestamp: T(6), graph: ROOT, entity: `${EX}i`, op: 'row', row: { [`${EX}p`]: [1] }, changed: [`${EX}p`] },
  ]);
  const caughtUp = await body(store, 'changes', { since: 4 });
  assert.deepEqual([caughtUp.count, caughtUp.next_tx, caughtUp.watermark], [0, 4, 4]);
  assert.deepEqual([(await body(store, 'changes', { since: 99 })).next_tx], [99]);
});

onBothStores('pairs: only one retracted and one asserted value of a predicate make one', async (store) => {
  await knot(store, 'ex:a ex:p 1, 2 ; ex:q 1 . ex:g { ex:a ex:p 1 }');
  await store.transact({
    retract: [quad('a', 'p', 1), quad('a', 'p', 2), quad('a', 'q', 1)],
    assert: [quad('a', 'p', 3), quad('a', 'q', 2), quad('a', 'p', 9, 'g')],
  });
  const { changes } = await body(store, 'changes', { since: 1, capture: 'old_and_new_values' });
  assert.deepEqual(
    changes.map((one: Json) => [
      one.graph.replace(EX, ''),
      one.predicate.replace(EX, ''),
      one.op,
      one.old_value,
      one.new_value,
    ]),
    [
      ['g', 'p', 'assert', null, 9],
      [ROOT, 'p', 'retract', 1, null],
      [ROOT, 'p', 'retract', 2, null],
      [ROOT, 'p', 'assert', null, 3],
      [ROOT, 'q', 'retract', 1, 2],
      [ROOT, 'q', 'assert', 1, 2],
    ],
  );
  const everyGraph = await body(store, 'changes', {});
  assert.ok(
    everyGraph.changes.every(({ graph }: Json) => [ROOT, `${EX}g`].includes(graph)),
    'no graph of the service itself',
  );
  const ofGraph = await body(store, 'changes', { graph: `${EX}g` });
  assert.deepEqual(
    ofGraph.changes.map(({ new_value }: Json) => new_value),
    [1, 9],
  );
  assert.equal((await body(store, 'changes', { graph: ROOT, since: 1 })).count, 5);
});

onBothStores('changes: bad requests by name', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const refused = (request: object, message: RegExp) => assert.rejects(run(store, 'changes', request), message);
  await refused(
    { capture: 'all' },
    /field 'capture' is "all"; expected one of new_values, old_and_new_values, new_row/,
  );
  await refused({ graph: `${EX}none` }, /unknown graph: http:\/\/example\.org\/none/);
  await refused({ since: -1 }, /field 'since' is -1/);
  await refused({ since: 1.5 }, /field 'since' is 1.5/);
  await refused({ limit: 'x' }, /field 'limit' is "x"/);
  assert.equal(store.stats().snapshots.open, 0);
});

/** Loads, small transactions and folds, with literals of every kind, blank nodes, two graphs. */
async function fillMixed(store: Store): Promise<void> {
  await knot(store, '_:b ex:p "tab\\tline\\n", "a"@en, 01, 1.50 . ex:a ex:p 1, 2, 3 . ex:g { ex:a ex:p 1 }');
  await store.transact({ retract: [quad('a', 'p', 1)], assert: [quad('n', 'p', 1), quad('n', 'p', 2, 'g')] });
  await store.transact({ assert: [quad('a', 'p', 1)] });
  await store.fold();
  await store.transact({ retract: [quad('n', 'p', 1), quad('a', 'p', 2)] });
  await knot(store, 'ex:a ex:p 2, 4 . ex:n ex:p 1 .', { snapshotKey: 'k', replaceSnapshot: true });
  await knot(store, 'ex:n ex:p 5 .', { snapshotKey: 'k', replaceSnapshot: true });
  await store.fold();
  await store.retract(`${EX}a`);
}

async function allChanges(store: Store, request: Json, limit: number): Promise<Json[]> {
  const all: Json[] = [];
  for (let since = 0; ; ) {
    const page = await body(store, 'changes', { ...request, since, limit });
    assert.equal(page.count, page.changes.length);
    assert.ok(page.count <= limit || new Set(page.changes.map(({ tx }: Json) => tx)).size === 1);
    assert.ok(
      page.changes.every(({ tx }: Json) => tx > since),
      'no transaction is split',
    );
    all.push(...page.changes);
    if (page.next_tx === page.watermark || page.count === 0) return all;
    since = page.next_tx;
  }
}

onBothStores('replayed, the changes give every state of the store; pages of any size say the same', async (store) => {
  await fillMixed(store);
  const whole = await allChanges(store, { capture: 'old_and_new_values' }, 10_000);
  for (const limit of [1, 2, 5]) {
    assert.deepEqual(await allChanges(store, { capture: 'old_and_new_values' }, limit), whole);
  }
  const rows = await allChanges(store, { capture: 'new_row' }, 10_000);
  for (const limit of [1, 3]) assert.deepEqual(await allChanges(store, { capture: 'new_row' }, limit), rows);
  const state = new Set<string>();
  const lastTx = store.transactions().at(-1)?.id as number;
  for (let tx = 1; tx <= lastTx; tx++) {
    for (const one of whole.filter((change) => change.tx === tx)) {
      const key = (value: unknown) => JSON.stringify([one.graph, one.entity, one.predicate, value]);
      if (one.op === 'assert') assert.ok(!state.has(key(one.new_value)), 'it was not there');
      if (one.op === 'assert') state.add(key(one.new_value));
      else assert.ok(state.delete(key(one.old_value)), `${tx}: ${key(one.old_value)} was there`);
    }
    const { termToJson, writeJson } = await import('../../engine/service/requests/json.js');
    const snapshot = store.snapshot({ tx });
    const expected = [...snapshot.dataset()].map((it) => {
      const graph = it.graph.termType === 'DefaultGraph' ? ROOT : it.graph.value;
      return writeJson([graph, termToJson(it.subject), termToJson(it.predicate), termToJson(it.object)]);
    });
    snapshot.close();
    assert.deepEqual(
      [...state].sort(),
      expected.map((text) => JSON.stringify(JSON.parse(text))).sort(),
      `transaction ${tx}`,
    );
  }
  assert.equal(store.stats().snapshots.open, 0);
});

test('a load that is larger than a page stands alone and is streamed; what follows comes next', async () => {
  const store = await openThreaded();
  const text = Array.from({ length: 3000 }, (_, at) => `<${EX}e${at % 1500}> <${EX}p> ${at} .`).join('\n');
  await store.load({ text: `<${EX}first> <${EX}p> 1 .`, format: 'turtle' });
  await store.load({ text, format: 'turtle' });
  await store.set(`${EX}e1`, `${EX}q`, 'x');
  const context = { store, configuration, control: {}, documents: [], representation: 'body' };
  const page = async (request: object) => {
    const answer = await answerOperation(operationOf('changes'), request, context);
    assert.equal(answer.mediaType, 'application/json');
    return JSON.parse(await textOf(answer));
  };
  const first = await page({ limit: 10 });
  assert.deepEqual([first.count, first.next_tx, first.watermark], [1, 1, 3]);
  const second = await page({ since: 1, limit: 10 });
  assert.deepEqual([second.count, second.changes.length, second.next_tx], [3000, 3000, 2]);
  const order = second.changes.map(({ entity, new_value }: Json) => `${entity} ${String(new_value).padStart(5)}`);
  assert.equal(new Set(order).size, 3000);
  assert.deepEqual(
    second.changes.map(({ entity }: Json) => entity),
    second.changes.map(({ entity }: Json) => entity).sort(),
  );
  const rows = await page({ since: 1, limit: 10, capture: 'new_row' });
  assert.deepEqual([rows.count, rows.changes.length, rows.changes[0].row[`${EX}p`].length], [1500, 1500, 2]);
  assert.deepEqual(
    (await page({ since: 2, limit: 10 })).changes.map(({ tx }: Json) => tx),
    [3],
  );
  // An answer that nobody reads gives everything back.
  (await answerOperation(operationOf('changes'), { since: 1, limit: 10 }, context)).close();
  await store.close();
});

test('the changes of a load read its own blocks, not those of every other load', async () => {
  const store = await openStore(folder.fresh());
  const load = (name: string) => {
    const text = Array.from({ length: 20_000 }, (_, at) => `<${EX}${name}${at}> <${EX}p> ${at} .`).join('\n');
    return store.load({ text, format: 'turtle' });
  };
  for (const name of ['a', 'b', 'c', 'd']) await load(name);
  await load('small');
  const snapshot = store.snapshot();
  const { storage } = snapshot;
  const before = storage.counters.rowsScanned;
  let rows = 0;
  for (const batch of storage.changes(3)) rows += batch.rows;
  assert.equal(rows, 20_000);
  assert.ok(storage.counters.rowsScanned - before < 60_000, `${storage.counters.rowsScanned - before} rows of 100,000`);
  snapshot.close();
  await store.close();
});

test('a load larger than a page: every capture says what single transactions of its parts say; a graph of it alone', async () => {
  const store = await openStore(folder.fresh());
  const lines: string[] = [];
  for (let n = 0; n < 3000; n++) {
    const graph = n % 10 === 0 ? `<${EX}g>` : '';
    lines.push(
      `<${EX}e${n % 700}> <${EX}p${n % 3}> "v\\t\\"${n}"@en ${graph} .`,
      `_:b${n % 50} <${EX}p> <${EX}e${n}> .`,
    );
  }
  await store.load({ text: lines.join('\n'), format: 'nquads' }, { timestamp: T(1) });
  const whole = await body(store, 'changes', {});
  assert.equal(whole.count, 6000);
  const shown = new Map<string, number>();
  for (const { graph, entity, predicate, new_value, ...rest } of whole.changes) {
    assert.deepEqual(rest, { tx: 1, timestamp: T(1), op: 'assert', valid_from: T(1), valid_to: null });
    const key = JSON.stringify([graph, entity, predicate, new_value]);
    shown.set(key, (shown.get(key) ?? 0) + 1);
  }
  const snapshot = store.snapshot();
  const stored = [...snapshot.dataset()].map(({ subject, predicate, object, graph }) =>
    JSON.stringify([
      graph.termType === 'DefaultGraph' ? ROOT : graph.value,
      subject.termType === 'BlankNode' ? `_:${subject.value}` : subject.value,
      predicate.value,
      object.termType === 'Literal' ? { value: object.value, lang: 'en' } : object.value,
    ]),
  );
  snapshot.close();
  assert.deepEqual([...shown.keys()].sort(), stored.sort());
  assert.ok([...shown.values()].every((times) => times === 1));
  const ofGraph = await body(store, 'changes', { graph: `${EX}g` });
  assert.deepEqual(
    ofGraph.changes,
    whole.changes.filter(({ graph }: Json) => graph === `${EX}g`),
  );
  const rows = await body(store, 'changes', { capture: 'new_row', extra: 1 });
  assert.equal(rows.count, new Set(whole.changes.map(({ graph, entity }: Json) => `${graph} ${entity}`)).size);
  assert.deepEqual(rows.ignored_fields, ['extra']);
  for (const { graph, entity, row, changed } of rows.changes) {
    const own = whole.changes.filter((one: Json) => one.graph === graph && one.entity === entity);
    assert.deepEqual(changed, [...new Set(own.map(({ predicate }: Json) => predicate))]);
    for (const predicate of changed as string[]) {
      const values = own.filter((one: Json) => one.predicate === predicate).map((one: Json) => one.new_value);
      assert.deepEqual(row[predicate], values);
    }
  }
  await store.close();
});
