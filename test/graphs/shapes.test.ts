/** Stored sets of shapes: what is stored, what is refused, versions, and the prefixes that they declare. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaredPrefixes, STORED_SHAPES } from '../../engine/graphs/shapes/stored-shapes.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { body, type Json, openThreaded } from '../service/reads-support.js';
import { EX, onBothStores, T, trace } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const refused =
  (message: RegExp, code = 'invalid_request') =>
  (error: Json) => {
    assert.equal(error.code, code, error.stack);
    assert.match(error.message, message);
    return true;
  };

const PREFIXES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <${EX}> .\n`;
const shape = (name: string) =>
  `${PREFIXES}ex:${name} a sh:NodeShape ; sh:targetClass ex:${name}s ; sh:property [ sh:path ex:p ; sh:minCount 1 ] .`;

const shapes = (store: Store, request: object): Promise<Json> => body(store, 'shapes', request);
const load = (store: Store, name: string, turtle: string, timestamp?: string): Promise<Json> =>
  shapes(store, { action: 'load', name, turtle, ...(timestamp === undefined ? {} : { timestamp }) });

onBothStores('shapes: loaded, listed by name, shown and removed', async (store) => {
  assert.deepEqual(await shapes(store, {}), { shapes: [], count: 0, truncated: false });
  assert.deepEqual(await load(store, 'two', shape('B'), T(2)), { action: 'loaded', name: 'two', shapes: 1, rules: 0 });
  const both = `${shape('A')}\nex:Other a sh:NodeShape .
    ex:r a <http://svc.local/rule#Rule> ; <http://svc.local/rule#head> "p(?a, ?b)" ; <http://svc.local/rule#body> "q(?a, ?b)" .`;
  assert.deepEqual(await load(store, 'one', both, T(1)), { action: 'loaded', name: 'one', shapes: 2, rules: 1 });
  const one = { name: 'one', loaded_at: T(1) };
  const two = { name: 'two', loaded_at: T(2) };
  assert.deepEqual(await shapes(store, { action: 'list' }), { shapes: [one, two], count: 2, truncated: false });
  assert.deepEqual(await shapes(store, { limit: 1, offset: 1 }), { shapes: [two], count: 1, truncated: false });
  assert.equal((await shapes(store, { limit: 1 })).truncated, true);
  assert.deepEqual(await shapes(store, { action: 'get', name: 'one' }), { ...one, turtle: both });
  assert.deepEqual(await shapes(store, { action: 'remove', name: 'two' }), {
    action: 'removed',
    name: 'two',
    found: true,
  });
  assert.deepEqual((await shapes(store, {})).shapes, [one]);
});

onBothStores('shapes: what can not be stored is refused by name, and nothing is stored', async (store) => {
  await load(store, 'one', shape('A'), T(1));
  const before = await trace(store);
  await assert.rejects(load(store, 'one', '<a> sh:p 1 .'), refused(/./, 'parse_error'));
  await assert.rejects(load(store, 'one', `${PREFIXES}ex:A a sh:NodeShape`), refused(/./, 'parse_error'));
  await assert.rejects(load(store, '', shape('A')), refused(/missing 'name' parameter/));
  await assert.rejects(load(store, '\ud800', shape('A')), refused(/name of a set of shapes/));
  await assert.rejects(shapes(store, { action: 'load', name: 'one' }), refused(/missing 'turtle' parameter/));
  await assert.rejects(
    shapes(store, { action: 'drop' }),
    refused(/^unknown shapes action 'drop' \(list, load, get, remove\)$/),
  );
  await assert.rejects(shapes(store, { action: 'get', name: 'none' }), refused(/none/, 'not_found_in_store'));
  assert.equal((await shapes(store, { action: 'remove', name: 'none' })).found, false);
  assert.deepEqual(await trace(store), before);
});

onBothStores('shapes: a set that is loaded again is a new version; the older ones can be read', async (store) => {
  await load(store, 'one', shape('A'), T(1));
  await load(store, 'one', shape('B'), T(3));
  await load(store, 'two', shape('C'), T(4));
  await shapes(store, { action: 'remove', name: 'one', timestamp: T(5) });
  const named = async (options: object) =>
    (await store.shapeSets(options)).map(({ name, turtle }) => `${name} ${/ex:(\w) a/.exec(turtle)?.[1]}`);
  assert.deepEqual(await named({}), ['two C']);
  assert.deepEqual(await named({ tx: 1 }), ['one A']);
  assert.deepEqual(await named({ tx: 3 }), ['one B', 'two C']);
  assert.deepEqual(await named({ validAt: T(2) }), ['one A']);
  assert.deepEqual(await named({ validAt: T(4) }), ['one B', 'two C']);
  assert.deepEqual(await named({ tx: 1, validAt: T(4) }), ['one A']);
  // They are no facts of anybody.
  assert.equal(store.stats().factsCurrent, 0);
});

test('shapes: prefixes of the loaded sets are declared, the first by name where they differ', () => {
  const engine = openMemoryEngine();
  const stage = engine.stage({});
  const registry = { writesRows: () => undefined } as never;
  const at = { turtle: '', loadedAt: T(1) };
  STORED_SHAPES.store(stage, registry, { name: 'b', ...at, prefixes: { ex: 'http://b/', b: 'http://b/b/' } });
  STORED_SHAPES.store(stage, registry, { name: 'a', ...at, prefixes: { ex: 'http://a/' } });
  stage.commit();
  const snapshot = engine.snapshot();
  assert.deepEqual(Object.fromEntries(declaredPrefixes(snapshot)), { ex: 'http://a/', b: 'http://b/b/' });
  snapshot.close();
});

test('shapes: a document declares its prefixes, through the writer thread as well, and they outlast the process', async () => {
  const threaded = await openThreaded();
  await load(threaded, 'one', shape('A'), T(1));
  assert.deepEqual((await threaded.shapeSet('one'))?.prefixes, { sh: 'http://www.w3.org/ns/shacl#', ex: EX });
  await threaded.close();
  const path = new StoreFolder().fresh();
  const first = await openStore(path);
  await load(first, 'one', shape('A'), T(1));
  await first.close();
  const second = await openStore(path, { readOnly: true });
  assert.equal((await second.shapeSet('one'))?.turtle, shape('A'));
  await second.close();
});
