/** The backfill: which entities get vectors, what stays when it ends early, and what another model is told. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Progress } from '../../../engine/base/control.js';
import { vectorsAt } from '../../../engine/service/embedding/missing-texts.js';
import { type OpenOptions, openStore, type Store } from '../../../interfaces/library/index.js';
import { gone, type OwnProvider, ownProvider, refused } from './own-provider.js';

const ITEMS = 20;
const turtle = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `<urn:e:${from + at}> <urn:name> "item ${from + at}" .`).join('\n');

const PLACES = ['in memory', 'a file', 'a file with threads'] as const;
type Place = (typeof PLACES)[number];

/** A store, opened anew by each call at the same place. */
function opener(t: TestContext, place: Place): (options: OpenOptions) => Promise<Store> {
  if (place === 'in memory') return (options) => openStore(':memory:', options);
  const folder = mkdtempSync(join(tmpdir(), 'svc-backfill-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const threads = place === 'a file' ? {} : { writerThread: true, readers: 1 };
  return (options) => openStore(join(folder, 'store.db'), { ...threads, ...options });
}

const withProvider = (provider: OwnProvider, batchSize = 4): OpenOptions => ({ embeddings: { provider, batchSize } });

function embedded(store: Store): number {
  const snapshot = store.snapshot();
  try {
    return vectorsAt(snapshot.storage).embedded;
  } finally {
    snapshot.close();
  }
}

for (const place of PLACES) {
  test(`${place}: every IRI of ROOT with a text gets a vector, once`, async (t) => {
    const provider = ownProvider();
    const store = await opener(t, place)(withProvider(provider));
    await store.load({
      text: `${turtle(0, ITEMS)}
        <urn:link> <urn:to> <urn:e:1> . _:b <urn:name> "nobody" . <urn:act> a <http://www.w3.org/ns/prov#Activity> ; <urn:name> "done" .`,
      format: 'turtle',
    });
    await store.load({ text: '<urn:other> <urn:name> "elsewhere" .', format: 'turtle' }, { graph: 'urn:g' });
    const steps: Progress[] = [];
    const report = await store.embedBackfill({ onProgress: (progress) => steps.push(progress) });
    assert.deepEqual(report, { embedded: ITEMS, remaining: 0, failed: 0, failure: null });
    assert.equal(embedded(store), ITEMS);
    assert.deepEqual(provider.calls.flat().sort(), Array.from({ length: ITEMS }, (_, at) => `item ${at}`).sort());
    assert.ok(provider.calls.every((texts) => texts.length <= 4));
    assert.deepEqual(
      steps.map(({ done, total, unit }) => [done, total, unit]),
      [0, 4, 8, 12, 16, 20].map((done) => [done, ITEMS, 'entities']),
    );
    assert.deepEqual(await store.embedBackfill(), { embedded: 0, remaining: 0, failed: 0, failure: null });
    assert.equal(provider.calls.length, 5);
    await store.close();
  });

  test(`${place}: a provider that fails half way loses nothing; the next backfill does the rest`, async (t) => {
    const open = opener(t, place);
    const failing = ownProvider((_, call) => (call === 3 ? gone() : undefined));
    let store = await open(withProvider(failing));
    await store.load({ text: turtle(0, ITEMS), format: 'turtle' });
    const { failure, ...counts } = await store.embedBackfill();
    assert.deepEqual(counts, { embedded: 8, remaining: 12, failed: 4 });
    assert.match(failure?.message ?? '', /gone/);
    assert.equal(embedded(store), 8);
    if (place !== 'in memory') {
      await store.close();
      store = await open(withProvider(ownProvider()));
    }
    const rest = await store.embedBackfill();
    assert.deepEqual(rest, { embedded: 12, remaining: 0, failed: 0, failure: null });
    assert.equal(embedded(store), ITEMS);
    await store.close();
  });
}

test('a text that the provider refuses is found and passed over; the others of its batch get theirs', async () => {
  const provider = ownProvider((texts) => (texts.includes('item 5') ? refused() : undefined));
  const store = await openStore(':memory:', withProvider(provider, 8));
  await store.load({ text: turtle(0, ITEMS), format: 'turtle' });
  const { failure, ...counts } = await store.embedBackfill();
  assert.deepEqual(counts, { embedded: ITEMS - 1, remaining: 1, failed: 1 });
  assert.match(failure?.message ?? '', /refuses the text/);
  assert.equal(embedded(store), ITEMS - 1);
  await store.close();
});

test('cancelled, it keeps what it has put', async () => {
  const cancel = new AbortController();
  const provider = ownProvider((_, call) => {
    if (call === 3) cancel.abort();
    return undefined;
  });
  const store = await openStore(':memory:', withProvider(provider));
  await store.load({ text: turtle(0, ITEMS), format: 'turtle' });
  await assert.rejects(store.embedBackfill({ signal: cancel.signal }), { code: 'aborted' });
  assert.equal(embedded(store), 12);
  assert.equal((await store.embedBackfill()).embedded, 8);
  await store.close();
});

test('a text that changes while it is embedded keeps no vector of what it was', async () => {
  let store: Store | null = null;
  const provider = ownProvider();
  const changing = {
    ...provider,
    async embed(...given: Parameters<OwnProvider['embed']>) {
      if (provider.calls.length === 0) await store?.set('urn:e:0', 'urn:name', 'another');
      return provider.embed(...given);
    },
  };
  store = await openStore(':memory:', { embeddings: { provider: changing } });
  await store.load({ text: turtle(0, 2), format: 'turtle' });
  const first = await store.embedBackfill();
  assert.deepEqual([first.embedded, embedded(store)], [1, 1]);
  assert.equal((await store.embedBackfill()).embedded, 1);
  assert.deepEqual(provider.calls, [['item 0', 'item 1'], ['another']]);
  await store.close();
});

test('two at once: the second is refused', async () => {
  const store = await openStore(':memory:', withProvider(ownProvider()));
  await store.load({ text: turtle(0, ITEMS), format: 'turtle' });
  const first = store.embedBackfill();
  await assert.rejects(store.embedBackfill(), { code: 'state_conflict' });
  assert.equal((await first).embedded, ITEMS);
  await store.close();
});

test('without a provider it says what to configure', async () => {
  const store = await openStore(':memory:');
  const none = { code: 'invalid_request', message: /^no embedding provider configured; set embedding\.provider/ };
  await assert.rejects(store.embedBackfill(), none);
  await assert.rejects(store.migrateVectors(), none);
  await store.close();
});

test('options of embeddings that are none are refused by name', async () => {
  const open = (embeddings: unknown) => openStore(':memory:', { embeddings } as OpenOptions);
  await assert.rejects(open({ provider: 'http' }), /embeddings\.provider: "http" is none/);
  await assert.rejects(open({ provider: ownProvider(), batchSize: 0 }), /embeddings\.batchSize is 0/);
  await assert.rejects(open({ provider: ownProvider(), auto: true }), /'auto' is no option of embeddings/);
});

test('vectors of another model: a backfill refuses, a migration makes them anew', async (t) => {
  const open = opener(t, 'a file');
  let store = await open(withProvider(ownProvider(undefined, 'old')));
  await store.load({ text: turtle(0, ITEMS), format: 'turtle' });
  await store.embedBackfill();
  await store.close();
  const provider = ownProvider(undefined, 'new');
  store = await open(withProvider(provider));
  await assert.rejects(store.embedBackfill(), { code: 'invalid_request', hint: /migrate-vectors/ });
  await assert.rejects(store.migrateVectors({ from: 'new' }), /'from' is "new", and the vectors .* "old"/);
  await assert.rejects(store.migrateVectors({ to: 'old' }), /'to' is "old", and the provider has the model "new"/);
  const ends = { from: { model: 'old', dimension: 16 }, to: { model: 'new', dimension: 16 }, failure: null, failed: 0 };
  const planned = await store.migrateVectors({ dryRun: true });
  assert.deepEqual(planned, { ...ends, dropped: ITEMS, embedded: 0, remaining: ITEMS });
  assert.equal(provider.calls.length, 0);
  assert.equal(embedded(store), ITEMS);
  const done = await store.migrateVectors({ from: 'old', to: 'new' });
  assert.deepEqual(done, { ...ends, dropped: ITEMS, embedded: ITEMS, remaining: 0 });
  assert.deepEqual((await store.verify()).problems, []);
  const again = await store.migrateVectors();
  assert.deepEqual(again, { ...ends, from: ends.to, dropped: 0, embedded: 0, remaining: 0 });
  await store.close();
});
