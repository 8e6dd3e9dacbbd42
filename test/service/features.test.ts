/** Features that are switched at the start (ruling R32): by the file, the environment, the flag and the library. */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfiguration } from '../../engine/service/configuration/configuration.js';
import { featuresOf } from '../../engine/service/configuration/features.js';
import { openStore } from '../../interfaces/library/index.js';
import { svcHere } from '../cli/svc.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-features-'));
const NOWHERE = { workingDirectory: folder, homeDirectory: folder };

async function on(features: string | undefined, environment: Record<string, string>, file?: string): Promise<string[]> {
  const path = file === undefined ? undefined : join(folder, 'config.toml');
  if (path !== undefined) writeFileSync(path, file as string);
  const { configuration } = await loadConfiguration({ ...NOWHERE, path, features, environment });
  return featuresOf(configuration);
}

test('none is on by itself; each place switches on what it names, besides the others', async () => {
  assert.deepEqual(await on(undefined, {}), []);
  assert.deepEqual(await on('owl', {}), ['owl']);
  assert.deepEqual(await on(' reactive-reasoner , owl', {}), ['owl', 'reactive-reasoner']);
  assert.deepEqual(await on(undefined, { SVC_FEATURES: 'owl' }), ['owl']);
  assert.deepEqual(await on(undefined, {}, '[svc.features]\nowl = true\n'), ['owl']);
  assert.deepEqual(await on('reactive-reasoner', { SVC_FEATURES: 'owl' }), ['owl', 'reactive-reasoner']);
  assert.deepEqual(await on(undefined, { SVC_FEATURES_OWL: 'false' }, '[svc.features]\nowl = true\n'), []);
});

test('a feature that there is not is refused by its name, and so is one whose library does not load', async () => {
  for (const [names, said] of [
    ['owls', /--features: there is no feature 'owls'; there are owl, reactive-reasoner, ann, onnx$/],
  ] as const) {
    await assert.rejects(on(names, {}), said);
  }
  await assert.rejects(on(undefined, { SVC_FEATURES: 'x' }), /SVC_FEATURES: there is no feature 'x'/);
  for (const features of [['owls'], 'owl', [1]]) {
    await assert.rejects(
      openStore(':memory:', { features: features as never }),
      /features: .* is none; expected a list/,
    );
  }
  await assert.rejects(openStore(':memory:', { owl: { reactive: true } as never }), /reactive/);
});

test('what needs a feature that is off says how it is switched on', async () => {
  const store = await openStore(':memory:');
  const off = { code: 'unsupported', message: /needs the feature 'owl', which is off/, hint: /--features owl/ };
  await assert.rejects(store.loadOntology('o', ''), off);
  await assert.rejects(store.removeOntology('o'), off);
  await assert.rejects(store.materialize(), off);
  await store.close();
});

test('the command takes --features, and not beside --url', async () => {
  const svc = (words: readonly string[]) => svcHere(words, { cwd: folder });
  const db = join(folder, 'store.db');
  const file = join(folder, 'o.ttl');
  writeFileSync(file, '<http://e/A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/B> .');
  const refused = await svc(['ontology', 'load', 'o', file, '--db', db]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /feature 'owl'/);
  const loaded = await svc(['ontology', 'load', 'o', file, '--db', db, '--features', 'owl']);
  assert.match(loaded.out, /^Loaded ontology 'o'\n\{"subclass_of":1,.*\}\nMaterialized: 0 facts \(none\)\n$/);
  const listed = await svc(['ontology', 'list', '--db', db, '--features', 'owl']);
  assert.match(listed.out, /^o {2}\(loaded \d{4}-.*Z\)\n$/);
  const removed = await svc(['ontology', 'remove', 'o', '--db', db, '--features', 'owl']);
  assert.equal(removed.code, 0);
  assert.equal((await svc(['ontology', 'list', '--db', db, '--features', 'owl'])).out, 'No ontologies loaded.\n');
  const remote = await svc(['stats', '--url', 'http://127.0.0.1:1', '--features', 'owl']);
  assert.match(remote.err, /give --url or --features, not both/);
});
