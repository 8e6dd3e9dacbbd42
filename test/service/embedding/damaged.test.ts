/** A store whose vectors are damaged: what needs none is answered and written, and everyone is told. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LmdbFile } from '../../../engine/storage/lmdb/file.js';
import { openStore, repairStore } from '../../../interfaces/library/index.js';
import { startTestServer } from '../../http/support.js';
import { fakeService } from '../../search/embeddings/fake-service.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { DIMENSION, ownProvider } from './own-provider.js';

interface Told {
  readonly results: readonly { readonly entity: string }[];
  readonly candidates: readonly { readonly iri: string }[];
  readonly summary: { readonly embeddings: { readonly error: string } };
  readonly embeddings: { readonly error: string };
}

const folder = new StoreFolder();
const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';

async function damage(path: string, isDamaged: (key: string) => boolean): Promise<void> {
  const file = LmdbFile.open(path, { readOnly: false });
  file.write(() => {
    for (const key of file.keysAfter('vectors', null, 1000).map(String).filter(isDamaged)) {
      const value = Buffer.from(file.readCopy('vectors', key) as Buffer);
      value[value.length - 1] = (value[value.length - 1] as number) ^ 1;
      file.put('vectors', key, value);
    }
  });
  await file.close();
}

for (const [what, isDamaged] of [
  ['the head', (key: string) => key === 'head'],
  ['the numbers', (key: string) => key.includes('/values/')],
] as const) {
  test(`${what} damaged: texts are found, writes go on, vectors are told to be damaged, a repair mends`, async (t) => {
    const path = folder.fresh();
    const embeddings = { provider: ownProvider() };
    let store = await openStore(path, { embeddings });
    await store.load({
      text: `<urn:amber> <${LABEL}> "amber stone" . <urn:basalt> <${LABEL}> "basalt stone" .`,
      format: 'turtle',
    });
    await store.embedBackfill();
    await store.close();
    await damage(path, isDamaged);
    const service = await fakeService(t, DIMENSION);
    const embedding = { provider: 'http', url: service.url, model: 'words', dimension: DIMENSION } as const;
    const server = await startTestServer(t, { embedding }, { path });
    const ask = async (route: string, body: unknown) => (await server.post(route, body)).json() as Promise<Told>;
    const found = await ask('/unified_search', { query: 'amber' });
    assert.equal(found.results[0]?.entity, 'urn:amber');
    assert.match(found.summary.embeddings.error, /vector.*damaged/);
    assert.equal((await server.post('/search/nodes', { query: 'amber' })).status, 200);
    const near = await server.post('/search', { query: 'amber' });
    assert.deepEqual([near.status, ((await near.json()) as { code: string }).code], [500, 'store_corrupt']);
    const resolved = await ask('/resolve', { name: 'amber stone' });
    assert.equal(resolved.candidates[0]?.iri, 'urn:amber');
    assert.match(resolved.embeddings.error, /vector.*damaged/);
    const written = await server.post('/knot', { turtle: `<urn:amber> <urn:kind> "gem" .` });
    assert.equal(written.status, 200);
    await server.running.close();
    store = await openStore(path, { embeddings });
    assert.equal((await store.verify()).ok, false);
    await store.close();
    assert.equal((await repairStore(path)).ok, true);
    store = await openStore(path, { embeddings });
    await store.embedBackfill();
    const { results } = await store.search({ query: 'amber stone gem' });
    assert.equal(results[0]?.iri, 'urn:amber');
    assert.equal(results.length, 2);
    await store.close();
  });
}
