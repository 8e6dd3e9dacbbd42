/** Bodies of JSON beyond 1 MiB are parsed in a reader thread: the same answers, while the server's own thread goes on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARSED_HERE_BYTES_MAX } from '../../interfaces/http/request/body.js';
import { json, startTestServer } from './support.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** About `bytes` of Turtle, with characters of several bytes and escapes of JSON. */
function turtleOf(bytes: number): { readonly text: string; readonly count: number } {
  const lines: string[] = [];
  for (let length = 0; length < bytes; length += lines.at(-1)?.length ?? 0) {
    lines.push(`<http://x/s${lines.length}> <http://x/p> "é \\t${'v'.repeat(200)}", <http://x/o> .`);
  }
  return { text: lines.join('\n'), count: 2 * lines.length };
}

/** The longest text that JSON.parse and TextDecoder met in this thread while something went on. */
async function longestHere(work: () => Promise<void>): Promise<number> {
  const { parse } = JSON;
  const { decode } = TextDecoder.prototype;
  let longest = 0;
  JSON.parse = (text: string, ...more: []) => {
    longest = Math.max(longest, text.length);
    return parse(text, ...more);
  };
  TextDecoder.prototype.decode = function (bytes, ...more) {
    longest = Math.max(longest, bytes?.byteLength ?? 0);
    return decode.call(this, bytes, ...more);
  };
  try {
    await work();
  } finally {
    JSON.parse = parse;
    TextDecoder.prototype.decode = decode;
  }
  return longest;
}

test('a large document: loaded whole, no large text is made here, and others are answered meanwhile', async (t) => {
  const server = await startTestServer(t);
  const { text, count } = turtleOf(4 * PARSED_HERE_BYTES_MAX);
  const body = JSON.stringify({ turtle: text, source: 'large', strange: 1 });
  let meanwhile = 0;
  const longest = await longestHere(async () => {
    let over = false;
    const posted = server.send('POST', '/knot', body, JSON_TYPE).finally(() => {
      over = true;
    });
    while (!over) {
      const health = await server.get('/health');
      assert.equal(health.status, 200);
      await health.text();
      if (!over) meanwhile++;
    }
    const answer = await posted;
    const said = await json(answer);
    assert.equal(answer.status, 200, JSON.stringify(said));
    assert.deepEqual([said.count, said.new_facts, said.ignored_fields], [count, count, ['strange']]);
  });
  assert.ok(longest <= PARSED_HERE_BYTES_MAX, `a text of ${longest} was handled here`);
  assert.ok(meanwhile > 0, 'health was answered before the load was');
  const again = await json(await server.post('/knot', { turtle: text, source: 'large' }));
  assert.deepEqual([again.count, again.new_facts], [count, 0]);
});

test('what is wrong with a large body says what it says of a small one', async (t) => {
  const server = await startTestServer(t);
  const padding = ' '.repeat(PARSED_HERE_BYTES_MAX + 1);
  const bodies: (string | Uint8Array)[] = [
    '[]',
    'null',
    '{"turtle":5}',
    '{}',
    '{"turtle":"<http://x/a> <http://x/b> ."}',
    '{"turtle":"","graph":"http://x/unknown"}',
    '{"turtle":"","graph":7}',
    `{"turtle":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  ];
  for (const body of bodies) {
    const small = await server.send('POST', '/knot', body, JSON_TYPE);
    const large = await server.send('POST', '/knot', `${body}${padding}`, JSON_TYPE);
    assert.deepEqual([large.status, await json(large)], [small.status, await json(small)], String(body));
  }
  const cut = await server.send('POST', '/knot', `${padding}{"turtle":`, JSON_TYPE);
  assert.deepEqual([cut.status, (await json(cut)).code], [400, 'invalid_request']);
  const bytes = Buffer.concat([Buffer.from(padding), Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])]);
  const wrong = await server.send('POST', '/knot', bytes, JSON_TYPE);
  assert.deepEqual([wrong.status, (await json(wrong)).code], [400, 'invalid_utf8']);
  const asked = { query: 'ASK {}' };
  const query = await server.send('POST', '/query', `${JSON.stringify(asked)}${padding}`, JSON_TYPE);
  assert.equal(query.status, 200, await query.text());
  assert.equal((await server.get('/health')).status, 200);
});
