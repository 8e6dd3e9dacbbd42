/** The provider `http` against a service that is right, slow, wrong, or asks to come again. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SvcError } from '../../../engine/base/errors.js';
import { HttpProvider, type HttpProviderOptions } from '../../../engine/search/embeddings/http-provider.js';
import { answerOf, fakeService, type Misbehaviour, sendJson, vectorOfText } from './fake-service.js';

const DIMENSION = 8;
const TEXTS = ['a web server', 'a proxy', 'an island'];

type Given = Partial<HttpProviderOptions>;

function providerAt(url: string, given: Given = {}): HttpProvider {
  const fixed = { url, model: 'small', dimension: DIMENSION, timeoutMs: 20_000, batchSize: 32, retryAfterMs: 1 };
  return new HttpProvider({ ...fixed, ...given });
}

const plain = (vectors: readonly Float32Array[]) => vectors.map((vector) => [...vector]);
const expected = (texts: readonly string[]) => texts.map((text) => vectorOfText(text, DIMENSION));

/** What the provider makes of a service that misbehaves: its error, and how often the service was asked. */
async function failing(
  t: TestContext,
  misbehave: Misbehaviour,
  given: Given = {},
): Promise<{ readonly error: SvcError; readonly asked: number }> {
  const service = await fakeService(t, DIMENSION, misbehave);
  try {
    await providerAt(service.url, given).embed(TEXTS, {});
  } catch (error) {
    assert.ok(error instanceof SvcError && error.code === 'embedding_unavailable', String(error));
    assert.equal(error.httpStatus, 503);
    return { error, asked: service.asked.length };
  }
  throw new assert.AssertionError({ message: 'the answer was taken' });
}

test('texts go out in batches with the model and the key, and nothing else', async (t) => {
  const service = await fakeService(t, DIMENSION);
  const provider = providerAt(`${service.url}/`, { batchSize: 2, apiKey: 'secret' });
  assert.deepEqual(plain(await provider.embed(TEXTS, {})), expected(TEXTS));
  assert.deepEqual(service.asked, [
    {
      path: '/v1/embeddings',
      authorization: 'Bearer secret',
      body: { model: 'small', input: TEXTS.slice(0, 2), encoding_format: 'float' },
    },
    {
      path: '/v1/embeddings',
      authorization: 'Bearer secret',
      body: { model: 'small', input: TEXTS.slice(2), encoding_format: 'float' },
    },
  ]);
  assert.deepEqual(await provider.embed([], {}), []);
  assert.equal(service.asked.length, 2);
});

test('without a key no credential is sent; vectors out of sequence are put in it', async (t) => {
  const service = await fakeService(t, DIMENSION, (response, { body }) =>
    sendJson(response, { data: answerOf(body.input, DIMENSION).data.reverse() }),
  );
  assert.deepEqual(plain(await providerAt(service.url).embed(TEXTS, {})), expected(TEXTS));
  assert.equal(service.asked[0]?.authorization, undefined);
});

for (const status of [429, 500, 503]) {
  test(`${status}, then right: the batch is asked again`, async (t) => {
    const service = await fakeService(t, DIMENSION, (response, _, attempt) =>
      attempt < 3 ? sendJson(response, { error: 'later' }, status) : false,
    );
    assert.deepEqual(plain(await providerAt(service.url).embed(TEXTS, {})), expected(TEXTS));
    assert.equal(service.asked.length, 3);
  });
}

test('a connection that breaks, then right: the batch is asked again', async (t) => {
  const service = await fakeService(t, DIMENSION, (response, _, attempt) => {
    if (attempt > 1) return false;
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"data": [');
    response.destroy();
    return true;
  });
  assert.deepEqual(plain(await providerAt(service.url).embed(TEXTS, {})), expected(TEXTS));
  assert.equal(service.asked.length, 2);
});

test('a service that goes on refusing is given up, and says how often it was asked', async (t) => {
  const { error, asked } = await failing(t, (response) => sendJson(response, { error: 'busy' }, 503));
  assert.match(error.message, /model "small": it answered 503, after 5 attempts$/);
  assert.equal(asked, 5);
  assert.match(error.hint ?? '', /busy/);
});

const REFUSED: Readonly<Record<number, RegExp>> = { 400: /too long/, 401: /api_key_env/, 404: /embedding\.model/ };
for (const [status, hint] of Object.entries(REFUSED)) {
  test(`${status} is final, and its key stands nowhere`, async (t) => {
    const misbehave: Misbehaviour = (response) =>
      sendJson(response, { error: 'too long, with the key s3cret' }, Number(status));
    const { error, asked } = await failing(t, misbehave, { apiKey: 's3cret' });
    assert.equal(asked, 1);
    assert.match(error.message, new RegExp(`it answered ${status}$`));
    assert.match(error.hint ?? '', hint);
    assert.doesNotMatch(error.describe(), /s3cret/);
  });
}

for (const status of [301, 302, 307, 308]) {
  test(`a redirect (${status}) is not followed`, async (t) => {
    const elsewhere = await fakeService(t, DIMENSION);
    const { error, asked } = await failing(t, (response) => {
      response.writeHead(status, { location: `${elsewhere.url}/embeddings` }).end();
      return true;
    });
    assert.match(error.message, /redirect \(\d+\), which is not followed/);
    assert.deepEqual([asked, elsewhere.asked.length], [1, 0]);
  });
}

const vectorsWith = (place: number, value: unknown) =>
  TEXTS.map((text, index) => {
    const embedding: unknown[] = vectorOfText(text, DIMENSION);
    if (index === 1) embedding[place] = value;
    return { index, embedding };
  });

const WRONG: readonly (readonly [what: string, data: unknown, message: RegExp])[] = [
  ['fewer vectors', answerOf(TEXTS.slice(1), DIMENSION).data, /2 vectors for 3 texts/],
  ['more vectors', answerOf([...TEXTS, 'x'], DIMENSION).data, /4 vectors for 3 texts/],
  ['vectors of another dimension', answerOf(TEXTS, 5).data, /have 5 numbers, and embedding\.dimension is 8/],
  ['null for NaN', vectorsWith(2, null), /number 2 of the vector of text 1 is not finite/],
  ['a number beyond f32', vectorsWith(7, 1e39), /number 7 of the vector of text 1 is not finite/],
  ['a text for a number', vectorsWith(0, '1'), /number 0 of the vector of text 1 is not finite/],
  ['base64', TEXTS.map((_, index) => ({ index, embedding: 'AAAA' })), /vector of text 0 is no list/],
  [
    'an index twice',
    answerOf(TEXTS, DIMENSION).data.map((one) => ({ ...one, index: 0 })),
    /two vectors have the index 0/,
  ],
  ['an index beyond', answerOf(TEXTS, DIMENSION).data.map((one) => ({ ...one, index: 9 })), /index 9, of 3 texts/],
  ['no list', {}, /no list "data"/],
];
for (const [what, data, message] of WRONG) {
  test(`refused at once: ${what}`, async (t) => {
    const { error, asked } = await failing(t, (response) => sendJson(response, { data }));
    assert.match(error.message, message);
    assert.equal(asked, 1);
  });
}

test('NaN, which is no JSON, and pages are refused', async (t) => {
  for (const text of ['{"data": [{"index": 0, "embedding": [NaN]}]}', '<html>']) {
    const { error } = await failing(t, (response) => {
      response.end(text);
      return true;
    });
    assert.match(error.message, /its answer is no JSON/);
  }
});

test('an answer without an end is read no further than vectors reach', async (t) => {
  let sent = 0;
  const { error } = await failing(t, (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(' '.repeat(65_536))) sent += 65_536;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
    return true;
  });
  assert.match(error.message, /larger than \d+ bytes/);
  assert.ok(sent < 64 * 2 ** 20);
});

test('a service that does not answer ends with the timeout, and names its key', async (t) => {
  const { error } = await failing(t, () => true, { timeoutMs: 50 });
  assert.match(error.message, /no whole answer within 50 ms \(embedding\.timeout_ms\)/);
});

test('a wait that the service asks for counts into the timeout', async (t) => {
  const misbehave: Misbehaviour = (response) => {
    response.writeHead(429, { 'retry-after': '3600' }).end();
    return true;
  };
  const { error, asked } = await failing(t, misbehave, { timeoutMs: 100 });
  assert.match(error.message, /within 100 ms/);
  assert.equal(asked, 1);
});

test('nobody there: the message says so', async () => {
  const gone = providerAt('http://127.0.0.1:1');
  await assert.rejects(gone.embed(TEXTS, {}), {
    code: 'embedding_unavailable',
    message: /no answer \(.+after 5 attempts/,
  });
});

test('cancelled between attempts and inside of one; closed', async (t) => {
  for (const answers of [true, false]) {
    const cancel = new AbortController();
    const service = await fakeService(t, DIMENSION, (response) => {
      setImmediate(() => cancel.abort());
      return answers ? sendJson(response, {}, 500) : true;
    });
    const provider = providerAt(service.url, { retryAfterMs: 1000 });
    await assert.rejects(provider.embed(TEXTS, { signal: cancel.signal }), { code: 'aborted' });
    assert.equal(service.asked.length, 1);
  }
  const service = await fakeService(t, DIMENSION);
  const provider = providerAt(service.url);
  await provider.close();
  await assert.rejects(provider.embed(TEXTS, {}), { code: 'embedding_unavailable', message: /it is closed/ });
  assert.equal(service.asked.length, 0);
});
