/** What has to be so after a client that meant harm. */
import assert from 'node:assert/strict';
import { json, type TestServer } from './support.js';

/** That the server goes on, nothing was written, and nothing of its inside was told. */
export async function unharmed(server: TestServer, told = ''): Promise<void> {
  assert.equal((await server.get('/health')).status, 200);
  const answer = await json(await server.post('/query', { query: 'ASK { ?s ?p ?o }' }));
  assert.equal(answer.result, false);
  assert.deepEqual(server.running.store.transactions(), []);
  tellsNothing(server, told);
  assert.deepEqual(server.events('request_failed'), [], 'nothing that nobody foresaw');
}

export function tellsNothing(server: TestServer, told: string): void {
  assert.doesNotMatch(told, /\n\s+at |node:internal|node_modules|\.[jt]s:\d/);
  assert.ok(!told.includes(server.folder), told.slice(0, 500));
}
