/** A store whose text index is damaged: what can be found without it is, every face names the command that mends, no fact is lost. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openStore, repairStore } from '../../interfaces/library/index.js';
import { svcHere } from '../cli/svc.js';
import { startTestServer, type TestServer } from '../http/support.js';
import { call, post, resultOf } from '../mcp/messages.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const MENDS = /facts are whole: 'svc repair' makes the text index anew/;
const CONTAINS = 'SELECT ?s { ?s ?p ?o FILTER(CONTAINS(?o, "stone 4711")) }';
const SERVICE =
  'SELECT ?e { SERVICE <urn:svc:search> { [] <urn:svc:search:query> "4711" ; <urn:svc:search:entity> ?e } }';

async function damagedStore(isDamaged: (key: string) => boolean): Promise<string> {
  const path = folder.fresh();
  const store = await openStore(path);
  const facts = Array.from({ length: 5000 }, (_, at) => `<urn:s${at}> <urn:p> "stone ${at}" .`);
  await store.load({ text: facts.join('\n'), format: 'ntriples' });
  await store.indexTexts();
  await store.fold();
  await store.close();
  const file = LmdbFile.open(path, { readOnly: false });
  file.write(() => {
    for (const key of file.keysAfter('texts', null, 1000).map(String).filter(isDamaged)) {
      const value = Buffer.from(file.readCopy('texts', key) as Buffer);
      value[value.length - 1] = (value[value.length - 1] as number) ^ 1;
      file.put('texts', key, value);
    }
  });
  await file.close();
  return path;
}

async function entitiesOf(server: TestServer, route: string, body: object): Promise<string[]> {
  const answer = await server.post(route, body);
  assert.equal(answer.status, 200, route);
  const { nodes, results } = (await answer.json()) as Record<string, { iri?: string; entity?: string }[]>;
  return (nodes ?? results ?? []).map(({ iri, entity }) => iri ?? entity ?? '');
}

for (const [what, isDamaged] of [
  ['the state', (key: string) => key === 'state'],
  ['the vocabulary', (key: string) => key.includes('/v/')],
  ['the lists', (key: string) => /\/[dp]($|\/)/.test(key)],
] as const) {
  test(`${what} of the text index damaged: queries and writes go on, searches name the repair, which loses nothing`, async (t) => {
    const path = await damagedStore(isDamaged);
    const server = await startTestServer(t, {}, { path });
    for (const route of ['/search_nodes', '/search_facts', '/search/nodes', '/unified_search', '/context']) {
      const answer = await server.post(route, { query: 'stone 4711' });
      const { code, hint } = (await answer.json()) as { code: string; hint: string };
      assert.deepEqual([answer.status, code], [500, 'store_corrupt'], route);
      assert.match(hint, MENDS, route);
    }
    const service = await server.post('/query', { query: SERVICE });
    assert.match(((await service.json()) as { hint: string }).hint, MENDS);
    const told = resultOf((await post(server, JSON.stringify(call(1, 'svc_search_nodes', { query: '4711' })))).body);
    assert.equal(told.isError, true);
    assert.match(JSON.stringify(told), MENDS);
    const found = await server.post('/query', { query: CONTAINS });
    assert.match(JSON.stringify(await found.json()), /urn:s4711"/);
    assert.equal((await server.post('/knot', { turtle: '<urn:more> <urn:p> "stone and more" .' })).status, 200);
    await server.running.close();

    const plain = await startTestServer(t, { search: { text_backend: 'substring' } }, { path });
    for (const route of ['/search_nodes', '/unified_search']) {
      assert.deepEqual(await entitiesOf(plain, route, { query: 'stone 4711' }), ['urn:s4711'], route);
    }
    await plain.running.close();

    const { code, err } = await svcHere(['search', '4711', '--db', path], { cwd: folder.path });
    assert.equal(code, 1);
    assert.match(err, MENDS);

    const report = await repairStore(path);
    assert.deepEqual([report.ok, report.rebuilt, report.lost], [true, ['the text index'], []]);
    const store = await openStore(path);
    const { nodes } = await store.searchNodes('4711');
    assert.deepEqual(
      nodes.map(({ iri }) => iri),
      ['urn:s4711'],
    );
    assert.equal((await store.verify()).ok, true);
    await store.close();
  });
}
