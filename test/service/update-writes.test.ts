/** Updates as writes: gates, turns, large requests, small memory, the writer thread, the operation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gate, openStore, type Progress, type Store } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { knot, onBothStores, T, trace } from './time-support.js';
import { changes, quadsOf, short, update } from './update-support.js';

const folder = new StoreFolder();

/** Items `:s0` … with a number each. */
async function loadItems(store: Store, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, at) => `ex:s${at} ex:p ${at} .`);
  await knot(store, lines.join('\n'), { timestamp: T(1) });
}

async function count(store: Store, pattern: string): Promise<number> {
  const answer = await store.query(`PREFIX : <http://example.org/> SELECT (COUNT(*) AS ?n) WHERE { ${pattern} }`);
  assert.equal(answer.kind, 'select');
  for await (const [n] of answer.rows()) return Number(n?.value);
  return -1;
}

for (const kind of ['memory', 'file']) {
  test(`gates judge the state after the update, and a refusal leaves nothing (${kind})`, async () => {
    const seen: unknown[] = [];
    const gate: Gate = {
      name: 'policy',
      judge(write) {
        const sizes = [write.before, write.after].map((view) =>
          view?.count({ graphs: { kind: 'all' }, pattern: {}, time: { kind: 'current' } }),
        );
        seen.push([write.kind, ...sizes, write.counts, write.options.source]);
        return (sizes[1] ?? 0) > 3
          ? { kind: 'refused', code: 'policy_denied', message: 'too many', findings: [] }
          : { kind: 'accepted', findings: [{ severity: 'Info', message: 'fine' }] };
      },
    };
    const store = await openStore(kind === 'memory' ? ':memory:' : folder.fresh(), { gates: [gate] });
    const accepted = await update(
      store,
      'INSERT DATA { :a :p 1, 2 } ; DELETE DATA { :a :p 1 } ; INSERT DATA { :a :p 3 }',
    );
    assert.deepEqual(accepted.findings, [{ severity: 'Info', message: 'fine' }]);
    const before = await trace(store);
    const text = 'INSERT { ?s :q ?o } WHERE { ?s :p ?o } ; CREATE GRAPH :new';
    await assert.rejects(update(store, text), { code: 'policy_denied' });
    assert.deepEqual(await trace(store), before);
    assert.deepEqual(seen, [
      ['transaction', 0, 2, { asserted: 2, retracted: 0 }, 'sparql-update'],
      // The new graph is two quads of the registry, which nobody asserted.
      ['transaction', 2, 6, { asserted: 2, retracted: 0 }, 'sparql-update'],
    ]);
    await store.close();
  });
}

onBothStores('updates queue: each sees the whole of the one before it', async (store) => {
  await update(store, 'INSERT DATA { :counter :n 0 }');
  const add = 'DELETE { :counter :n ?n } INSERT { :counter :n ?m } WHERE { :counter :n ?n BIND(?n + 1 AS ?m) }';
  const results = await Promise.all(Array.from({ length: 12 }, () => update(store, add)));
  assert.deepEqual(
    results.map(({ tx, inserted, deleted }) => [tx, inserted, deleted]),
    results.map((_, at) => [at + 2, 1, 1]),
  );
  assert.deepEqual(quadsOf(store), [':counter :n 12']);
});

onBothStores('an update of many rows: templates of both kinds, twice in one request', async (store) => {
  const rows = 9000;
  await loadItems(store, rows);
  const seen: Progress[] = [];
  const text = `DELETE { ?s :p ?o } INSERT { ?s :q ?o . ?s :half ?h } WHERE { ?s :p ?o BIND(?o / 2 AS ?h) } ;
    INSERT { GRAPH :copy { ?s :q ?o } } WHERE { ?s :q ?o FILTER(?o >= 4500) } ;
    DELETE WHERE { ?s :half ?h }`;
  assert.deepEqual(await changes(store, text, { onProgress: (one) => seen.push(one) }), {
    tx: 2,
    inserted: rows + 4500,
    deleted: rows,
    graphs: ['ROOT', ':copy'],
  });
  assert.ok(seen.length > 0, 'progress is told');
  assert.equal(await count(store, '?s :q ?o'), rows);
  assert.equal(await count(store, '?s :p ?o'), 0);
  assert.equal(await count(store, 'GRAPH :copy { ?s :q ?o }'), 4500);
  assert.ok((await store.verify()).ok);
});

test('a large update goes straight to runs, and its solutions wait on disk where memory is short', async () => {
  const rows = 70_000;
  const store = await openStore(folder.fresh());
  await loadItems(store, rows);
  const text = 'DELETE { ?s :p ?o } INSERT { ?s :q ?o } WHERE { ?s :p ?o }';
  const memoryBudgetBytes = 768 * 1024;
  assert.deepEqual(await changes(store, text, { memoryBudgetBytes }), {
    tx: 2,
    inserted: rows,
    deleted: rows,
    graphs: ['ROOT'],
  });
  assert.equal(await count(store, '?s :q ?o'), rows);
  const past = store.snapshot({ tx: 1 });
  assert.equal(past.count(), rows);
  past.close();
  assert.deepEqual(await changes(store, 'DELETE WHERE { ?s ?p ?o }'), {
    tx: 3,
    inserted: 0,
    deleted: rows,
    graphs: ['ROOT'],
  });
  assert.equal(store.stats().quadsCurrent, 0);
  assert.ok((await store.verify()).ok);
  await store.close();
});

test('through a writer thread an update does the same, with errors and progress as here', async () => {
  const now = (): number => 86_400;
  const here = await openStore(folder.fresh(), { now });
  const there = await openStore(folder.fresh(), { now, writerThread: true });
  const outcomes: unknown[] = [];
  for (const store of [here, there]) {
    await loadItems(store, 5000);
    const seen: Progress[] = [];
    const first = await update(store, 'INSERT { GRAPH :g { ?s :q ?o } } WHERE { ?s :p ?o }', {
      actor: 'ana',
      onProgress: (one) => seen.push(one),
    });
    assert.ok(seen.length > 0, 'progress is told');
    const failures: unknown[] = [];
    for (const text of [
      'INSERT DATA { :a :p',
      'CLEAR GRAPH :no',
      'INSERT DATA { GRAPH <urn:svc:graph:meta> { :a :p 1 } }',
    ]) {
      failures.push(
        await update(store, text).catch(({ code, message, position, hint }) => ({ code, message, position, hint })),
      );
    }
    outcomes.push({ first: { ...first, graphs: first.graphs.map(short) }, failures, log: store.transactions() });
  }
  assert.deepEqual(outcomes[1], outcomes[0]);
  const abort = new AbortController();
  const endless = update(there, 'INSERT { ?a :r ?d } WHERE { ?a :p ?b . ?c :p ?d . ?e :p ?f }', {
    signal: abort.signal,
  });
  setTimeout(() => abort.abort(new Error('enough')), 50);
  await assert.rejects(endless, { code: 'aborted' });
  assert.equal(there.transactions().length, 2);
  await here.close();
  await there.close();
});
