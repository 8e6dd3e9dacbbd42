/** One method for each form of query, and what a caller's signal does to any work. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore, type Store, SvcError, terms } from '../../interfaces/library/index.js';

const EX = 'http://example.org/';
const QUADS = ['a', 'b', 'c'].map((name) =>
  terms.quad(terms.namedNode(EX + name), terms.namedNode(`${EX}p`), terms.literal(name)),
);

test('select, ask and construct answer their form, and refuse others by the name of the right one', async () => {
  const store = await openStore(':memory:');
  await store.transact({ assert: QUADS });
  const found: unknown[] = [];
  for await (const { o } of (await store.select('SELECT ?o { ?s ?p ?o } ORDER BY ?o')).bindings()) found.push(o?.value);
  assert.deepEqual(found, ['a', 'b', 'c']);
  assert.deepEqual([await store.ask('ASK { ?s ?p "a" }'), await store.ask('ASK { ?s ?p "z" }')], [true, false]);
  let triples = 0;
  for await (const _ of (await store.construct('CONSTRUCT WHERE { ?s ?p ?o }')).quads()) triples++;
  for await (const _ of (await store.construct(`DESCRIBE <${EX}a>`)).quads()) triples++;
  assert.equal(triples, 4);

  const texts = { select: 'SELECT * { ?s ?p ?o }', ask: 'ASK {}', construct: 'CONSTRUCT WHERE { ?s ?p ?o }' } as const;
  for (const asked of Object.keys(texts) as (keyof typeof texts)[]) {
    for (const [right, text] of Object.entries(texts)) {
      if (right === asked) continue;
      const message = `${asked} does not answer this form of query`;
      await assert.rejects(store[asked](text), { code: 'invalid_request', message, hint: `ask it with ${right}` });
    }
  }
  await assert.rejects(store.select('ASK {}', { graph: 1 as unknown as string }), { code: 'invalid_request' });
  assert.equal(store.stats().snapshots.open, 0, 'refused answers give their snapshots back');
  await store.close();
});

async function drained(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

/** Each kind of work, with a signal. */
function works(store: Store, path: string): Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> {
  return {
    query: (signal) => store.query('SELECT * { ?s ?p ?o }', { signal }),
    select: (signal) => store.select('SELECT * { ?s ?p ?o }', { signal }),
    ask: (signal) => store.ask('ASK { ?s ?p ?o }', { signal }),
    prepare: async (signal) => (await store.prepare('ASK { ?s ?p ?o }')).query({}, { signal }),
    read: async (signal) => drained(await store.read('SELECT * { ?s ?p ?o }', { signal })),
    load: (signal) => store.load({ quads: QUADS }, { signal }),
    update: (signal) => store.update(`INSERT DATA { <${EX}x> <${EX}p> 1 }`, { signal }),
    transact: (signal) => store.transact({ retract: QUADS }, { signal }),
    set: (signal) => store.set(`${EX}a`, `${EX}p`, 'z', { signal }),
    export: (signal) => drained(store.export('ntriples', { signal })),
    verify: (signal) => store.verify({ signal }),
    exportLake: (signal) => store.exportLake(`${path}-lake`, { signal }),
    backup: (signal) => store.backup(path, { signal }),
  };
}

test('what a signal of the caller cancels is an AbortError, in this thread and in others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-abort-'));
  const reason = new Error('the caller left');
  for (const threads of [{}, { readers: 1, writerThread: true }]) {
    const store = await openStore(join(folder, 'a.db'), threads);
    await store.transact({ assert: QUADS });
    for (const [name, work] of Object.entries(works(store, join(folder, 'b.db')))) {
      await assert.rejects(work(AbortSignal.abort(reason)), (error: unknown) => {
        assert.ok(error instanceof SvcError, `${name}: ${error}`);
        assert.deepEqual([error.name, error.code, error.cause], ['AbortError', 'aborted', reason], name);
        return true;
      });
    }
    assert.deepEqual([store.stats().snapshots.open, store.stats().factsCurrent], [0, 3]);
    await store.close();
  }
  rmSync(folder, { recursive: true });
});

test('a signal that fires while an answer is read ends it with an AbortError', async () => {
  const store = await openStore(':memory:');
  await store.update(
    `INSERT DATA { ${Array.from({ length: 300 }, (_, at) => `<${EX}s> <${EX}p> ${at}`).join(' . ')} }`,
  );
  const controller = new AbortController();
  const answer = await store.select('SELECT * { ?a ?p ?o . ?b ?p ?q . ?c ?p ?r }', { signal: controller.signal });
  let rows = 0;
  const reading = async (): Promise<void> => {
    for await (const _ of answer.rows()) if (rows++ === 10) controller.abort();
  };
  await assert.rejects(reading(), { name: 'AbortError', code: 'aborted' });
  await assert.rejects(store.query('SELECT', {}), { name: 'SvcError', code: 'parse_error' });
  await store.close();
});
