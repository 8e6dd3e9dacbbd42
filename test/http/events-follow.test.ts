/** Followers over HTTP get each event when it comes, and for as long as they listen: no deadline of reads ends them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from './support.js';

const DEADLINE_MS = 300;
const LINES = { Accept: 'application/x-ndjson' };

for (const read_pool_size of [0, 1]) {
  test(`an event comes to its follower at once, beyond the deadline of reads too (${read_pool_size} readers)`, async (t) => {
    const server = await startTestServer(t, {
      server: { read_pool_size },
      search: { query_timeout_ms: DEADLINE_MS },
    });
    const write = (name: string) => server.post('/graph/create', { graph: `http://ex.org/${name}` });
    await write('before');
    const leaves = new AbortController();
    const response = await fetch(`${server.base}/events?since=0&follow=true`, {
      headers: LINES,
      signal: leaves.signal,
    });
    assert.equal(response.status, 200);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const until = async (name: string) => {
      while (!text.includes(`http://ex.org/${name}`)) {
        const { value, done } = await reader.read();
        assert.ok(!done, `the stream ended before ${name}: ${text}`);
        text += new TextDecoder().decode(value);
      }
    };
    await until('before');
    await new Promise((resolve) => setTimeout(resolve, 2 * DEADLINE_MS));
    await write('after');
    await until('after');
    for (const line of text.trimEnd().split('\n')) assert.equal(typeof JSON.parse(line), 'object');
    leaves.abort();
    const head = await server.send('HEAD', '/events?since=0&follow=true', undefined, LINES);
    assert.equal(head.status, 200);
  });
}
