/** Keys of embeddings and vectors: what goes together, what is refused, and what they make of a store. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openProvider } from '../../../engine/search/embeddings/open-provider.js';
import { loadConfiguration } from '../../../engine/service/configuration/configuration.js';
import { libraryFeatures } from '../../../engine/service/configuration/features.js';
import { embeddingOptions } from '../../../engine/service/options/embedding-options.js';
import { fakeService } from '../../search/embeddings/fake-service.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-embedding-keys-'));
after(() => rmSync(folder, { recursive: true }));

async function load(toml: string, features?: string) {
  const path = join(folder, 'svc.toml');
  writeFileSync(path, toml);
  return (await loadConfiguration({ path, environment: {}, features })).configuration;
}

const HTTP = 'provider = "http"\nurl = "http://h:1/v1"\nmodel = "small"';

test('by default there is no provider; vectors of 384 numbers; exact search', async () => {
  const { embedding, vector, search } = await load('');
  assert.equal(embeddingOptions({ embedding }), undefined);
  assert.deepEqual([embedding.dimension, embedding.embed_batch_size, embedding.auto_embed], [384, 32, false]);
  assert.deepEqual([vector, search.text_backend], [{ backend: 'brute' }, 'index']);
});

test('what a provider gets of its keys', async () => {
  const http = await load(`[svc.embedding]\n${HTTP}\napi_key_env = "KEY"\ntimeout_ms = 5\nauto_embed = true`);
  assert.deepEqual(embeddingOptions(http), {
    provider: {
      kind: 'http',
      url: 'http://h:1/v1',
      model: 'small',
      dimension: 384,
      apiKeyEnv: 'KEY',
      timeoutMs: 5,
      batchSize: 32,
    },
    autoEmbed: true,
    batchSize: 32,
  });
  const onnx = await load(
    '[svc.embedding]\nprovider = "onnx"\nmodel_path = "m"\ntokenizer_path = "t"\nmax_sequence_length = 9\ndimension = 8',
  );
  assert.deepEqual(embeddingOptions(onnx)?.provider, {
    kind: 'onnx',
    modelPath: 'm',
    tokenizerPath: 't',
    model: undefined,
    dimension: 8,
    maxSequenceLength: 9,
  });
});

const REFUSED: readonly (readonly [toml: string, message: RegExp])[] = [
  ['[svc.embedding]\nprovider = "http"', /provider = "http" needs svc\.embedding\.url/],
  ['[svc.embedding]\nprovider = "http"\nurl = "http://h/"', /provider = "http" needs svc\.embedding\.model/],
  ['[svc.embedding]\nprovider = "onnx"\nmodel_path = "m"', /provider = "onnx" needs svc\.embedding\.tokenizer_path/],
  ['[svc.embedding]\nurl = "http://h/"', /url is read with svc\.embedding\.provider = "http", which is "none"/],
  [`[svc.embedding]\n${HTTP}\nmodel_path = "m"`, /model_path is read with svc\.embedding\.provider = "onnx"/],
  ['[svc.embedding]\nauto_embed = true', /auto_embed needs svc\.embedding\.provider, which is "none"/],
  ['[svc.vector]\npath = "vectors"', /vector\.path: vectors and their lists stand inside the store file/],
  ['[svc.vector]\nbackend = "ann"\n[svc.features]\nann = false', /backend = "ann" needs svc\.features\.ann/],
  [
    '[svc.embedding]\nprovider = "onnx"\nmodel_path = "m"\ntokenizer_path = "t"\n[svc.features]\nonnx = false',
    /provider = "onnx" needs svc\.features\.onnx, which is false/,
  ],
];
for (const [toml, message] of REFUSED) {
  test(`refused: ${toml.replaceAll('\n', ' ')}`, async () => {
    await assert.rejects(load(toml), { code: 'configuration', message });
  });
}

test('features of vectors and models: on by themselves, off when told so', async () => {
  assert.equal(libraryFeatures(await load('')).ann, true);
  assert.equal(libraryFeatures(await load('[svc.features]\nann = false')).ann, false);
  assert.equal(libraryFeatures(await load('[svc.features]\nann = false', 'ann')).ann, true);
  assert.equal(libraryFeatures(await load('[svc.features]\nonnx = false')).onnx, false);
});

test('the key of a service comes from the variable that is named, and from nowhere else', async (t) => {
  const service = await fakeService(t, 8);
  const choice = { kind: 'http', url: service.url, model: 'small', dimension: 8, apiKeyEnv: 'KEY' } as const;
  const provider = await openProvider(choice, { KEY: ' sk-1 \n', OTHER: 'x' });
  await provider.embed(['a'], {});
  assert.equal(service.asked[0]?.authorization, 'Bearer sk-1');
  for (const environment of [{}, { KEY: '' }, { KEY: 'a b' }]) {
    await assert.rejects(openProvider(choice, environment), { code: 'configuration', message: /api_key_env.* KEY / });
  }
});
