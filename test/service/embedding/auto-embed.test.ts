/** What writes change is embedded behind them, whichever path wrote it (ruling R39). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { AutoEmbed } from '../../../engine/service/embedding/auto-embed.js';
import { Embedder } from '../../../engine/service/embedding/embedder.js';
import { vectorsAt } from '../../../engine/service/embedding/missing-texts.js';
import { putVectors } from '../../../engine/storage/indexes/vectors/put-vectors.js';
import { openMemoryEngine } from '../../../engine/storage/memory/engine.js';
import { openStore, type Store } from '../../../interfaces/library/index.js';
import { onBothStores } from '../time-support.js';
import { gone, ownProvider, refused } from './own-provider.js';

/** Which of some entities have a current vector. */
function withVectors(store: Store, iris: readonly string[]): string[] {
  const snapshot = store.snapshot();
  try {
    const { storage } = snapshot;
    const vectors = vectorsAt(storage);
    return iris.filter((value) => {
      const id = storage.encode({ termType: 'NamedNode', value } as Parameters<typeof storage.encode>[0]);
      return id !== null && vectors.textHashOf(id) !== null;
    });
  } finally {
    snapshot.close();
  }
}

const IRIS = ['urn:a', 'urn:b', 'urn:c', 'urn:d'];

for (const place of ['in memory', 'a file', 'a file with threads'] as const) {
  test(`${place}: loads, updates, sets and episodes are embedded behind them`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-auto-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const provider = ownProvider();
    const path = place === 'in memory' ? ':memory:' : join(folder, 'store.db');
    const threads = place === 'a file with threads' ? { writerThread: true } : {};
    const store = await openStore(path, { ...threads, embeddings: { provider, autoEmbed: true } });
    await store.load({ text: '<urn:a> <urn:p> "first" . <urn:b> <urn:p> <urn:a> .', format: 'turtle' });
    await store.embedded();
    assert.deepEqual(withVectors(store, IRIS), ['urn:a']);
    await store.update('INSERT DATA { <urn:b> <urn:p> "second" }');
    await store.set('urn:a', 'urn:p', 'changed');
    await store.embedded();
    assert.deepEqual(withVectors(store, IRIS), ['urn:a', 'urn:b']);
    assert.deepEqual(provider.calls.flat(), ['first', 'second', 'changed']);
    await store.retract('urn:a');
    await store.writeEpisode({ name: 'e1', nodes: [{ name: 'Traefik', type: 'App' }] });
    await store.embedded();
    assert.deepEqual(withVectors(store, IRIS), ['urn:b']);
    assert.deepEqual(provider.calls.slice(3).flat(), ['Traefik. type: App']);
    assert.deepEqual((await store.verify()).problems, []);
    await store.close();
  });
}

test('without autoEmbed nothing is embedded; what changed loses its vector until a backfill', async () => {
  const provider = ownProvider();
  const store = await openStore(':memory:', { embeddings: { provider } });
  await store.load({ text: '<urn:a> <urn:p> "first" .', format: 'turtle' });
  await store.embedded();
  assert.equal(provider.calls.length, 0);
  await store.embedBackfill();
  await store.set('urn:a', 'urn:p', 'changed');
  await store.embedded();
  assert.deepEqual(withVectors(store, IRIS), []);
  assert.equal((await store.embedBackfill()).embedded, 1);
  assert.deepEqual(withVectors(store, IRIS), ['urn:a']);
  await store.close();
});

test('a provider that fails holds up no write, and is asked again', async () => {
  const engine = openMemoryEngine({});
  const writing = await openStore(':memory:');
  await writing.close();
  const provider = ownProvider((_, call) => (call <= 2 ? gone() : undefined));
  const failures: unknown[] = [];
  let twice: () => void = () => undefined;
  const embeddedOnce = new Promise<void>((resolve) => {
    twice = resolve;
  });
  const auto = new AutoEmbed({
    embedder: new Embedder({ provider, autoEmbed: true }),
    snapshot: () => engine.snapshot(),
    put: (model, dimension, vectors) => putVectors(engine, model, dimension, vectors),
    onError: (error) => failures.push(error),
    onStep: ({ embedded }) => {
      if (embedded > 0) twice();
    },
    waitFirstMs: 1,
  });
  const { LocalWrites, Writes } = await import('../../../engine/service/writes/writes.js');
  const writes = new Writes(new LocalWrites(engine, {}), ':memory:');
  await writes.run('update', { text: 'INSERT DATA { <urn:a> <urn:p> "first" }' }, {});
  auto.wake();
  // The timer of the next try does not keep a process from ending.
  const alive = setInterval(() => undefined, 1000);
  await embeddedOnce;
  clearInterval(alive);
  assert.deepEqual([failures.length, provider.calls.length], [2, 3]);
  await auto.close();
  await engine.close();
});

test('a text that is refused is passed over, and the next write is embedded', async () => {
  const provider = ownProvider((texts) => (texts.includes('bad') ? refused() : undefined));
  const store = await openStore(':memory:', { embeddings: { provider, autoEmbed: true } });
  await store.load({ text: '<urn:a> <urn:p> "bad" . <urn:b> <urn:p> "good" .', format: 'turtle' });
  await store.embedded();
  await store.load({ text: '<urn:c> <urn:p> "good" .', format: 'turtle' });
  await store.embedded();
  assert.deepEqual(withVectors(store, IRIS), ['urn:b', 'urn:c']);
  assert.deepEqual(store.embedder?.figures, { embedded: 2, failed: 1, remaining: 0 });
  await store.close();
});

test('closing gives up what is under way', async () => {
  let embedding: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    embedding = resolve;
  });
  const provider = {
    ...ownProvider(),
    embed: (_: readonly string[], { signal }: { readonly signal?: AbortSignal | undefined }) =>
      new Promise<never>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(gone()));
        embedding();
      }),
  };
  const store = await openStore(':memory:', { embeddings: { provider, autoEmbed: true } });
  await store.load({ text: '<urn:a> <urn:p> "first" .', format: 'turtle' });
  await begun;
  await store.close();
  assert.ok(store.closed);
});

onBothStores('a store without embeddings has nothing to wait for', async (store) => {
  await store.embedded();
});
