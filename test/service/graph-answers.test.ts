/** Graphs through the library: quads, documents, snapshots given back, the same bytes from reader threads. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withDefaults } from '../../engine/service/configuration/keys.js';
import { read } from '../../engine/service/operations/query/read.js';
import { openStore, RESULT_FORMATS, type ResultFormat, type Store } from '../../interfaces/library/index.js';
import { bodyOfAnswer } from './answer-body.js';

const EX = 'http://example.org/';
const CONSTRUCT = `CONSTRUCT { ?s <${EX}has> ?v } WHERE { ?s <${EX}n> ?v } ORDER BY ?v`;

async function filled(path = ':memory:', readers?: number): Promise<Store> {
  const store = await openStore(path, readers === undefined ? {} : { readers });
  const lines = Array.from(
    { length: 5000 },
    (_, at) => `<${EX}s${at}> <${EX}n> ${at} ; <${EX}t> "text ${at} \u00fc" .`,
  );
  await store.load({ text: lines.join('\n'), format: 'turtle' });
  return store;
}

async function bytesOf(chunks: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(pieces);
}

function openSnapshots(store: Store): number {
  return store.stats().snapshots.open;
}

test('quads and documents of a graph; the snapshot is given back after the end, when left, when closed', async () => {
  const store = await filled();
  const whole = await store.query(CONSTRUCT);
  assert.ok(whole.kind === 'graph');
  assert.equal(openSnapshots(store), 1);
  const objects: string[] = [];
  for await (const quad of whole.quads()) objects.push(quad.object.value);
  assert.equal(objects.length, 5000);
  assert.deepEqual(objects.slice(0, 3), ['0', '1', '2']);
  assert.equal(openSnapshots(store), 0);
  const left = await store.query(CONSTRUCT);
  assert.ok(left.kind === 'graph');
  for await (const _ of left.quads()) break;
  assert.equal(openSnapshots(store), 0);
  const closed = await store.query(CONSTRUCT);
  assert.ok(closed.kind === 'graph');
  closed.close();
  assert.equal(openSnapshots(store), 0);
  const document = await store.query(`${CONSTRUCT} LIMIT 1`);
  const integer = 'http://www.w3.org/2001/XMLSchema#integer';
  assert.equal(String(await bytesOf(document.encode('nquads'))), `<${EX}s0> <${EX}has> "0"^^<${integer}> .\n`);
  assert.equal(openSnapshots(store), 0);
  await store.close();
});

test('a form that does not fit gives the snapshot back', async () => {
  const store = await filled();
  await assert.rejects(store.read(CONSTRUCT, { format: 'json' }), { code: 'invalid_request' });
  await assert.rejects(store.read('ASK {}', { format: 'csv' }), { code: 'invalid_request' });
  const configuration = withDefaults({});
  const context = { store, configuration, control: {}, documents: [], representation: 'csv' };
  await assert.rejects(read.run(context, { query: CONSTRUCT }), { code: 'invalid_request' });
  assert.equal(openSnapshots(store), 0);
  await store.close();
});

test('the body of a graph is cut at the limit of rows, and says so', async () => {
  const store = await filled();
  const configuration = withDefaults({});
  const small = { ...configuration, search: { ...configuration.search, max_sparql_rows: 3 } };
  const answer = await read.run(
    { store, configuration: small, control: {}, documents: [], representation: 'body' },
    { query: CONSTRUCT },
  );
  const { triples, count, truncated, labels } = (await bodyOfAnswer(answer)) as { triples: unknown[] } & Record<
    string,
    unknown
  >;
  assert.equal(triples.length, 3);
  assert.deepEqual([count, truncated, labels], [3, true, null]);
  assert.equal(openSnapshots(store), 0);
  await store.close();
});

test('reader threads answer every form in every format, with the bytes of the caller\u2019s thread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-graphs-'));
  try {
    const store = await filled(join(folder, 'a.db'), 1);
    const plain = await openStore(join(folder, 'a.db'), { readOnly: true });
    const select = `SELECT ?s ?v ?t WHERE { ?s <${EX}n> ?v ; <${EX}t> ?t } ORDER BY ?v`;
    for (const [format, { kinds }] of Object.entries(RESULT_FORMATS) as [
      ResultFormat,
      { kinds: readonly string[] },
    ][]) {
      const query = kinds.includes('rows') ? select : CONSTRUCT;
      const there = await store.read(query, { format });
      assert.equal(there.format, format);
      const here = await bytesOf((await plain.query(query)).encode(format));
      assert.ok(here.length > 10_000, format);
      assert.ok(here.equals(await bytesOf(there)), format);
    }
    const defaults = await Promise.all([select, 'ASK {}', CONSTRUCT].map((query) => store.read(query)));
    assert.deepEqual(
      defaults.map(({ kind, format }) => [kind, format]),
      [
        ['select', 'json'],
        ['ask', 'json'],
        ['graph', 'turtle'],
      ],
    );
    for (const answer of defaults) answer.close();
    await assert.rejects(store.read(CONSTRUCT, { format: 'csv' }), { code: 'invalid_request' });
    await plain.close();
    await store.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
