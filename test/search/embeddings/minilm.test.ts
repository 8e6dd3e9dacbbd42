/** A real model of 384 dimensions, behind `http` and behind `onnx`: the same vectors, and entities that are found by meaning. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { onnxLoads } from '../../../engine/search/embeddings/onnx-library.js';
import { openProvider, type ProviderChoice } from '../../../engine/search/embeddings/open-provider.js';
import { nearNames } from '../../../engine/service/episodes/near-names.js';
import { openStore } from '../../../interfaces/library/index.js';
import { CHECKOUT } from '../../../tools/tidy.js';

const PYTHON = process.env.SVC_EMBEDDING_PYTHON ?? 'python3';
const NEEDED = 'all_minilm_l6_v2, onnx, torch, transformers';
const isThere = onnxLoads() && spawnSync(PYTHON, ['-c', `import ${NEEDED}`]).status === 0;
/** Of a run without them the report names what is missing. */
const options = isThere ? {} : { skip: `MiniLM absent: ${PYTHON} has not all of ${NEEDED} (SVC_EMBEDDING_PYTHON)` };

const folder = mkdtempSync(join(tmpdir(), 'svc-minilm-'));
let child: ReturnType<typeof spawn> | null = null;
let http: ProviderChoice;
const onnx: ProviderChoice = {
  kind: 'onnx',
  modelPath: join(folder, 'model.onnx'),
  tokenizerPath: join(folder, 'tokenizer.json'),
  dimension: 384,
};

before(async () => {
  if (!isThere) return;
  child = spawn(PYTHON, [join(CHECKOUT, 'test/search/embeddings/minilm.py'), folder], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [port] = await new Promise<readonly string[]>((resolve, reject) => {
    const said: string[] = [];
    // The export prints lines of its own.
    lines.on('line', (line) => {
      if (/^\d+$/.test(line)) resolve([line]);
      else said.push(line);
    });
    child?.once('exit', (code) => reject(new Error(`the model ended (${code}): ${said.join('\n')}`)));
  });
  http = {
    kind: 'http',
    url: `http://127.0.0.1:${port}`,
    model: 'all-MiniLM-L6-v2',
    dimension: 384,
    timeoutMs: 120_000,
  };
});

after(() => {
  child?.stdin?.end();
  rmSync(folder, { recursive: true, force: true });
});

const TEXTS = [
  'Traefik. Proxy. type: App, Web. 443',
  'a',
  '',
  'Ünïcödé naïve Straße, 東京タワー, Москва, שלום 🙂',
  "kota-kinabalu\tx\n\u0000y  \u00a0z don't 3.14 C++",
  'long words '.repeat(1000),
  `x${'y'.repeat(500)}`,
];

test('both give the same vectors within 1e-4, whatever the text', options, async () => {
  const [byHttp, here] = await Promise.all([openProvider(http), openProvider(onnx)]);
  const [served, made] = [await byHttp.embed(TEXTS, {}), await here.embed(TEXTS, {})];
  for (const [at, text] of TEXTS.entries()) {
    const [one, other] = [served[at] as Float32Array, made[at] as Float32Array];
    assert.equal(one.length, 384);
    const apart = one.reduce((most, value, place) => Math.max(most, Math.abs(value - (other[place] as number))), 0);
    assert.ok(apart < 1e-4, `${text.slice(0, 40)}: ${apart}`);
  }
  // Not normalised: cosine is what is compared.
  assert.ok(Math.abs(Math.hypot(...(made[0] as Float32Array)) - 1) > 0.1);
  assert.match(here.model, /^onnx:[0-9a-f]{16}$/);
  await Promise.all([byHttp.close(), here.close()]);
});

const TURTLE = `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<urn:lion> rdfs:label "Lion" ; rdfs:comment "A large wild cat of Africa" .
<urn:proxy> rdfs:label "Traefik" ; rdfs:comment "A reverse proxy and load balancer for web services" .
<urn:bread> rdfs:label "Sourdough" ; rdfs:comment "Bread made by fermentation of dough" .`;

for (const kind of ['http', 'onnx'] as const) {
  test(`${kind}: what is meant is found by other words`, options, async () => {
    const store = await openStore(':memory:', { embeddings: { provider: kind === 'http' ? http : onnx } });
    await store.load({ text: TURTLE, format: 'turtle' });
    assert.equal((await store.embedBackfill()).embedded, 3);
    for (const [question, iri] of [
      ['big feline predator', 'urn:lion'],
      ['distributes HTTP requests among servers', 'urn:proxy'],
      ['something baked', 'urn:bread'],
    ] as const) {
      const [vector] = (await (await store.embedder?.provider())?.embed([question], {})) ?? [];
      const snapshot = store.snapshot();
      const near = await nearNames(snapshot.storage, vector as Float32Array, { topK: 1, threshold: 0.3 }, {});
      snapshot.close();
      assert.equal(near[0]?.iri, iri, question);
    }
    await store.close();
  });
}

test('onnx: what does not fit is told by its key', options, async () => {
  const opened = (more: object) => openProvider({ ...onnx, ...more } as ProviderChoice);
  const code = 'configuration';
  await assert.rejects(opened({ modelPath: join(folder, 'none.onnx') }), {
    code,
    message: /embedding\.model_path: .*no such file/,
  });
  await assert.rejects(opened({ tokenizerPath: join(folder, 'none.json') }), {
    code,
    message: /embedding\.tokenizer_path: /,
  });
  await assert.rejects(opened({ modelPath: onnx.tokenizerPath }), { code, message: /embedding\.model_path: / });
  await assert.rejects(opened({ dimension: 512 }), {
    code,
    message: /have 384 numbers, and embedding\.dimension is 512/,
  });
});

test('onnx: a text is cut to the tokens that the model takes', options, async () => {
  const provider = await openProvider({ ...onnx, maxSequenceLength: 6 });
  const [short, long, other] = await provider.embed(['one two three four', 'one two three four five six', 'one'], {});
  assert.deepEqual(short, long);
  assert.notDeepEqual(short, other);
  await provider.close();
});

test('onnx: cancelled between texts', options, async () => {
  const provider = await openProvider(onnx);
  const cancel = new AbortController();
  const embedding = provider.embed(
    Array.from({ length: 1000 }, (_, at) => `text ${at}`),
    { signal: cancel.signal },
  );
  setImmediate(() => cancel.abort());
  await assert.rejects(embedding, { code: 'aborted' });
  await provider.close();
});
