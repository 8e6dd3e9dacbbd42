/** Answers that are encoded at the same time share nothing that shows: each is what it is alone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../interfaces/library/index.js';

const ROWS = 3000;

async function filled(): Promise<Store> {
  const store = await openStore(':memory:');
  const triples = Array.from({ length: ROWS }, (_, i) => `<urn:s${i}> <urn:p> "text ${i}", ${i}, "${i}"@en .`);
  await store.update(`INSERT DATA { ${triples.join('\n')} }`);
  return store;
}

const QUERIES = [
  'SELECT ?s ?o { ?s <urn:p> ?o }',
  'SELECT ?o ("a" AS ?a) { <urn:s7> <urn:p> ?o }',
  'SELECT ?other ?nothing { <urn:s8> <urn:p> ?other }',
  'SELECT ?o { <urn:none> <urn:p> ?o }',
];

async function chunksOf(store: Store, text: string): Promise<AsyncIterator<string | Uint8Array>> {
  const answer = await store.query(text);
  assert.equal(answer.kind, 'select');
  return answer.encode('json')[Symbol.asyncIterator]();
}

async function alone(store: Store, text: string): Promise<string> {
  const chunks = await chunksOf(store, text);
  let written = '';
  for (let step = await chunks.next(); !step.done; step = await chunks.next()) written += Buffer.from(step.value);
  return written;
}

test('interleaved answers are what they are alone', async () => {
  const store = await filled();
  try {
    const expected: string[] = [];
    for (const text of QUERIES) expected.push(await alone(store, text));
    assert.equal(JSON.parse(expected[0] as string).results.bindings.length, 3 * ROWS);
    for (const given of [QUERIES, [...QUERIES].reverse()]) {
      const running = await Promise.all(given.map((text) => chunksOf(store, text)));
      const written = given.map(() => '');
      for (let open = given.length; open > 0; ) {
        open = 0;
        for (const [at, chunks] of running.entries()) {
          const step = await chunks.next();
          if (step.done) continue;
          written[at] += Buffer.from(step.value);
          open++;
        }
      }
      assert.deepEqual(
        written,
        given.map((text) => expected[QUERIES.indexOf(text)]),
      );
    }
  } finally {
    await store.close();
  }
});

test('an answer that is left early spoils no later one', async () => {
  const store = await filled();
  try {
    const [large, small] = QUERIES as [string, string];
    const expected = await alone(store, small);
    const left = await chunksOf(store, large);
    await left.next();
    const other = await chunksOf(store, small);
    await left.return?.();
    const first = await other.next();
    assert.equal(Buffer.from(first.value as Uint8Array).toString(), expected);
    assert.equal(await alone(store, small), expected);
  } finally {
    await store.close();
  }
});
