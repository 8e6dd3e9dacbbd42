/** Large texts, forms and documents are read in a reader thread; the largest bodies hold nobody up, and one byte more is refused. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { PARSED_HERE_BYTES_MAX } from '../../interfaces/http/request/body.js';
import { CONNECTION_LIMITS } from '../../interfaces/http/request/connections.js';
import { json, startTestServer, type TestServer } from './support.js';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const UPDATE = { 'Content-Type': 'application/sparql-update' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The most bytes or characters that one step of this thread decoded, parsed or copied together so far. */
function watchThread(t: TestContext): () => number {
  let longest = 0;
  const note = (length: number | undefined): void => {
    longest = Math.max(longest, length ?? 0);
  };
  const { parse } = JSON;
  const { decode } = TextDecoder.prototype;
  const { concat } = Buffer;
  t.mock.method(JSON, 'parse', (text: string, ...more: []) => {
    note(text.length);
    return parse(text, ...more);
  });
  t.mock.method(
    TextDecoder.prototype,
    'decode',
    function (this: InstanceType<typeof TextDecoder>, bytes?: Uint8Array, ...more: []) {
      note(bytes?.byteLength);
      return decode.call(this, bytes, ...more);
    },
  );
  t.mock.method(Buffer, 'concat', (list: Uint8Array[], ...more: []) => {
    const whole = concat(list, ...more);
    note(whole.length);
    return whole;
  });
  return () => longest;
}

/** Sends, and asks for the health of the server all the while. */
async function whileOthersAsk(server: TestServer, send: () => Promise<Response>): Promise<Response> {
  let over = false;
  let asked = 0;
  const answer = send().finally(() => {
    over = true;
  });
  while (!over) {
    assert.equal(await (await server.get('/health')).text(), '{"status":"ok"}');
    asked++;
  }
  assert.ok(asked > 1);
  return answer;
}

function insertion(bytes: number): { readonly text: string; readonly count: number } {
  const count = Math.ceil(bytes / 220);
  const facts = Array.from({ length: count }, (_, at) => `<a:é${at}> <a:p> "${'v'.repeat(200)}" .`);
  return { text: `INSERT DATA { ${facts.join('\n')} }`, count };
}

test('an update of megabytes, as it is and as a form: written whole, nothing large is made here', async (t) => {
  const server = await startTestServer(t);
  const { text, count } = insertion(1.1 * PARSED_HERE_BYTES_MAX);
  const longest = watchThread(t);
  const direct = await json(await whileOthersAsk(server, () => server.send('POST', '/update', text, UPDATE)));
  assert.deepEqual([direct.tx_id, direct.inserted], [1, count]);
  const again = new URLSearchParams({ update: text }).toString();
  const same = await json(await whileOthersAsk(server, () => server.send('POST', '/update', again, FORM)));
  assert.deepEqual([same.tx_id, same.inserted], [0, 0], 'the form says the same');
  assert.ok(longest() <= 2 * PARSED_HERE_BYTES_MAX, `${longest()} at once`);
});

test('what is wrong with a large text or form says what it says of a small one', async (t) => {
  const server = await startTestServer(t);
  const padding = ' '.repeat(PARSED_HERE_BYTES_MAX + 1);
  const ff = (text: string) => Buffer.concat([Buffer.from(text), Buffer.from([0xff])]);
  const cases: readonly [Record<string, string>, string, (text: string) => string | Uint8Array][] = [
    [FORM, '', (text) => `x=${text}`],
    [FORM, '', (text) => `update=a&update=b&x=${text}`],
    [FORM, '', (text) => `update=%ff&x=${text}`],
    [FORM, '', ff],
    [FORM, '', (text) => `${'a&'.repeat(10_001)}x=${text}`],
    [UPDATE, '', (text) => `INSERT DATA { <a:b> ${text}`],
    [UPDATE, '', ff],
    [{ ...UPDATE, 'Content-Type': 'application/sparql-update; charset=latin1' }, '', (text) => text],
  ];
  for (const [headers, , make] of cases) {
    const answers = await Promise.all(
      ['', padding].map(async (text) => {
        const response = await server.send('POST', '/update', make(text), headers);
        const { code, error } = await json(response);
        return [response.status, code, String(error).replace(/column \d+/, '')];
      }),
    );
    assert.ok((answers[0]?.[0] as number) >= 400);
    assert.deepEqual(answers[1]?.slice(0, 2), answers[0]?.slice(0, 2), JSON.stringify(answers));
  }
  assert.deepEqual(server.running.store.transactions(), []);
});

test('a body of exactly 64 MiB is taken, one byte more is refused, while others are answered', async (t) => {
  const server = await startTestServer(t);
  const limit = 64 * 1024 * 1024;
  const head = '{"turtle":"<a:b> <a:c> 1 .","strange":"';
  const body = Buffer.alloc(limit, 'x');
  body.write(head);
  body.write('"}', limit - 2);
  const longest = watchThread(t);
  const taken = await whileOthersAsk(server, () => server.send('POST', '/knot', body, JSON_TYPE));
  const said = await json(taken);
  assert.deepEqual([taken.status, said.count, said.ignored_fields], [200, 1, ['strange']]);
  const measured = longest();
  const more = Buffer.concat([body, Buffer.from(' ')]);
  assert.ok(measured <= 2 * PARSED_HERE_BYTES_MAX, `${measured} at once`);
  // Its length says it all: the rest is not waited for.
  const refused = await fetch(`${server.base}/knot`, { method: 'POST', headers: JSON_TYPE, body: more }).then(
    async (response) => [response.status, (await json(response)).code],
    // The connection may end while the client still writes.
    () => [413, 'too_large'],
  );
  assert.deepEqual(refused, [413, 'too_large']);
  assert.equal(server.events('request_complete').filter(({ status }) => status === 413).length, 1);
  assert.equal(server.running.store.transactions().length, 1);
});

test('JSON of very many values is refused before they are made, and what nobody declared is not handed around', async (t) => {
  const server = await startTestServer(t);
  const many = '0,'.repeat(2_500_000);
  for (const body of [
    `{"query":"ASK {}","default_graph_uri":[${many}0]}`,
    `{"query":"ASK {}","x":[${many}0]}`,
    `{"query":"ASK {}",${Array.from({ length: 2_000_001 }, (_, at) => `"${at}":0`).join(',')}}`,
    `{"query":"ASK {}","x":[${'{},'.repeat(2_000_000)}{}]}`,
  ]) {
    const response = await server.send('POST', '/query', body, JSON_TYPE);
    const { code, error } = await json(response);
    assert.deepEqual([response.status, code], [400, 'invalid_request']);
    assert.match(String(error), /more than 2000000 values/);
  }
  const commas = `{"query":"ASK {} # ${',[{"'.replace('"', '\\"').repeat(300_000)}","__proto__":[1],"none":null,"x":{"y":1}}`;
  const texts = await json(await server.send('POST', '/query', commas, JSON_TYPE));
  assert.deepEqual([texts.result, texts.ignored_fields], [true, ['__proto__', 'x']], 'marks in texts are none');
});

test('halves of surrogate pairs are refused, wherever they stand; pairs are characters', async (t) => {
  const server = await startTestServer(t);
  const bodies = [
    '{"turtle":"<a:b> <a:c> \\"\\ud800\\" ."}',
    '{"turtle":"","actor":"\\udfff"}',
    '{"turtle":"","x":{"\\uD83D":1}}',
    '{"turtle":"","x":[{"y":["\\ude00\\ud83d"]}]}',
  ];
  for (const body of bodies) {
    for (const padding of ['', ' '.repeat(PARSED_HERE_BYTES_MAX)]) {
      const response = await server.send('POST', '/knot', body + padding, JSON_TYPE);
      assert.deepEqual([response.status, (await json(response)).code], [400, 'invalid_utf8'], body);
    }
  }
  assert.deepEqual(server.running.store.transactions(), []);
  const pair = '{"turtle":"<a:b> <a:c> \\"\\ud83d\\ude00 \\\\\\\\ud800\\" .","actor":"\\ud83d\\ude00"}';
  const written = await server.send('POST', '/knot', pair, JSON_TYPE);
  assert.equal(written.status, 200, await written.text());
  const { rows } = await json(await server.post('/query', { query: 'SELECT ?o { <a:b> <a:c> ?o }' }));
  assert.deepEqual(rows, [{ o: '😀 \\ud800' }]);
});

test('many large bodies at once: those that would not fit are told to come again, small ones are served', async (t) => {
  const limits = { ...CONNECTION_LIMITS, largestBodies: 2, bodyLookMs: 60_000 };
  const server = await startTestServer(t, { server: { max_body_bytes: 400_000 } }, { limits });
  const head = `POST /knot HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 400000\r\n\r\n`;
  const body = '{"turtle":""'.padEnd(399_999);
  const waiting = await Promise.all(
    [0, 1].map(
      () =>
        new Promise<{ readonly socket: Socket; readonly answer: Promise<string> }>((resolve) => {
          const socket = connect(server.running.address.port, '127.0.0.1');
          const answer = new Promise<string>((settle) => socket.setEncoding('utf8').once('data', settle));
          socket.write(head + body, () => resolve({ socket, answer }));
        }),
    ),
  );
  t.after(() => {
    for (const { socket } of waiting) socket.destroy();
  });
  // What has been sent is read soon; until then a third one may still get in.
  const send = () => server.send('POST', '/knot', `${body}}`, JSON_TYPE);
  let third = await send();
  while (third.status === 200) third = await send();
  const { code, hint } = await json(third);
  assert.deepEqual([third.status, code, third.headers.get('retry-after')], [503, 'unavailable', '1']);
  assert.match(String(hint), /800000 bytes together/);
  assert.equal((await server.post('/knot', { turtle: '' })).status, 200, 'a small one');
  const written = server.running.store.transactions().length;
  for (const { socket, answer } of waiting) {
    socket.write('}');
    assert.match(await answer, /^HTTP\/1\.1 200 /);
  }
  for (let at = 0; at < 3; at++) assert.equal((await send()).status, 200, 'what was held is given back');
  assert.equal(server.running.store.transactions().length, written + 5);
});
