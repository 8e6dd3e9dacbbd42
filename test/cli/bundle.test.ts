/** What is bundled runs where the package is installed: it imports nothing that npm need not have put there. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CHECKOUT } from '../../tools/tidy.js';
import { modulesOf } from './loaded-modules.js';

const BUNDLE = fileURLToPath(new URL('../../bundle', import.meta.url));
const files = readdirSync(BUNDLE).filter((name) => name.endsWith('.js'));
/** Static imports begin or end a line as the bundler writes them; dynamic ones name a text. */
const IMPORTED = /(?:^(?:import\b[^"\n]*|export\b[^"\n]*|\}\s*from\s*)|\bimport\()"([^"./][^"\n]*)"/gm;

test('bundles import dependencies, what Node has, and each other', () => {
  const { dependencies } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const known = new Set(Object.keys(dependencies));
  const seen = new Set<string>();
  for (const name of files) {
    const text = readFileSync(join(BUNDLE, name), 'utf8');
    for (const [, path] of text.matchAll(IMPORTED) as Iterable<[string, string]>) {
      const dependency = path.startsWith('@') ? path.split('/', 2).join('/') : (path.split('/')[0] as string);
      if (!isBuiltin(path)) seen.add(dependency);
      assert.ok(isBuiltin(path) || known.has(dependency), `${name} imports ${path}`);
    }
  }
  assert.ok(seen.has('lmdb') && seen.has('fastify'), [...seen].join(' '));
  assert.ok(![...seen].some((name) => name.startsWith('@traqula/')), 'Traqula is bundled');
});

test('threads are bundles, and the licences of what is bundled stand beside them', () => {
  for (const name of [
    'command',
    'library',
    'reader-thread',
    'writer-thread',
    'helper-thread',
    'hash-thread',
    'check-thread',
  ]) {
    assert.ok(files.includes(`${name}.js`), name);
  }
  const whole = files.map((name) => readFileSync(join(BUNDLE, name), 'utf8')).join('\n');
  const threads = [...whole.matchAll(/new URL\("([^"]*-thread\.js)", import\.meta\.url\)/g)].map(([, path]) => path);
  assert.deepEqual(threads.sort(), [
    './check-thread.js',
    './hash-thread.js',
    './helper-thread.js',
    './morsel-thread.js',
    './reader-thread.js',
    './writer-thread.js',
  ]);
  const licences = readFileSync(join(BUNDLE, 'LICENSES.txt'), 'utf8');
  assert.match(licences, /^@traqula\/chevrotain .*Apache/m);
});

test('a first query loads a few files, not hundreds', () => {
  const library = pathToFileURL(join(BUNDLE, 'library.js')).href;
  const program = `const { openStore } = await import(${JSON.stringify(library)});
const store = await openStore(':memory:');
await store.query('SELECT * { ?s ?p ?o FILTER (?o > 1) }');
await store.close();`;
  const loaded = modulesOf('--input-type=module', '--eval', program).filter((name) => name.startsWith('bundle/'));
  assert.ok(loaded.length > 3 && loaded.length <= 20, loaded.join(' '));
});
