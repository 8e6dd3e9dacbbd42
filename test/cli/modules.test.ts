/**
 * What a process loads before it does what was asked, counted: time at the start of a command is the
 * number of its modules. Bounds leave a little room; what goes beyond them should be loaded on use.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { modulesOf } from './loaded-modules.js';

const root = new URL('../../', import.meta.url);
const main = new URL('interfaces/cli/main.js', root).pathname;
const packages = (modules: readonly string[]) =>
  [...new Set(modules.filter((name) => !/^(engine|interfaces)\//.test(name)))].sort();

test('the version loads no command', () => {
  for (const word of ['--version', '-V', 'version']) {
    const modules = modulesOf(main, word);
    assert.ok(modules.length <= 3, `${modules.length} modules: ${modules.join(' ')}`);
  }
});

test('help loads descriptions: no store, no parser, no format', () => {
  const modules = modulesOf(main, 'help', 'read');
  assert.deepEqual(packages(modules), ['commander', 'rdf-data-factory']);
  assert.ok(modules.length <= 225, `${modules.length} modules: ${modules.join(' ')}`);
  for (const room of ['engine/storage/lmdb', 'engine/query/plan', 'engine/kernels']) {
    // The numbers of tags and codes are a table that kernels read, too.
    const loaded = modules.filter((name) => name.startsWith(room) && !name.endsWith('/term-codes.js'));
    assert.deepEqual(loaded, []);
  }
});

test('the library loads what every store needs: no parser, no engine, no format', () => {
  const library = pathToFileURL(new URL('interfaces/library/index.js', root).pathname).href;
  const modules = modulesOf('--input-type=module', '--eval', `await import(${JSON.stringify(library)})`);
  assert.deepEqual(packages(modules), ['rdf-data-factory']);
  assert.ok(modules.length <= 150, `${modules.length} modules: ${modules.join(' ')}`);
});

test('a first query loads a parser, and no format, stemmer or expression that it does not have', () => {
  const library = pathToFileURL(new URL('interfaces/library/index.js', root).pathname).href;
  const program = `const { openStore } = await import(${JSON.stringify(library)});
const store = await openStore(':memory:');
await store.query('SELECT * { ?s ?p ?o FILTER (?o > 1) }');
await store.close();`;
  const modules = modulesOf('--input-type=module', '--eval', program);
  const others = packages(modules).filter((name) => !name.startsWith('@traqula/'));
  const ofLmdb = ['@harperfast/extended-iterable', 'lmdb', 'msgpackr', 'node-gyp-build-optional-packages'];
  const ofAlgebra = ['fast-deep-equal', 'rdf-isomorphic', 'rdf-string'];
  assert.deepEqual(others, [...ofLmdb, ...ofAlgebra, 'ordered-binary', 'rdf-data-factory', 'weak-lru-cache'].sort());
  assert.ok(modules.length <= 910, `${modules.length} modules`);
});
