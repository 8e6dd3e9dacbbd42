/** What episodes are told apart by: the hash of their content, names of IRIs, hashes of statements. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash } from '../../engine/service/episodes/content-hash.js';
import { fnv64, localName } from '../../engine/service/episodes/names.js';
import { linesOf } from './episode-oracle.js';
import { onBothStores } from './time-support.js';

const SHOP = `@prefix shop: <http://shop.org/> . @prefix skos: <http://other.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
shop:Shape a sh:NodeShape ; sh:targetClass shop:Shop .`;

onBothStores('prefixes of loaded shapes may be used; those that everybody knows keep their meaning', async (store) => {
  const edges = [{ source: 'a', target: 'b', relation: 'shop:sells' }];
  await assert.rejects(store.writeEpisode({ name: 'e', edges }), /not declared/);
  await store.loadShapes('shop', SHOP);
  await store.writeEpisode({ name: 'e', nodes: [{ name: 'a', type: 'skos:Concept' }], edges });
  const lines = linesOf(store);
  assert.ok(lines.some((line) => line.includes('<http://shop.org/sells>')));
  assert.ok(lines.some((line) => line.includes('<http://www.w3.org/2004/02/skos/core#Concept>')));
});

test('the content hash: lines of the specification, and never the same for different contents', () => {
  const head = { name: 'n', replaceSnapshot: false, body: 'b', source: null, groupId: 'g', graph: null };
  const nodes = [{ name: 'z', type: 'T', properties: { b: 1, a: 'x' } }, { name: 'a' }];
  const edges = [{ source: 'z', relation: 'r', target: 'a', confidence: 0.5 }];
  assert.match(contentHash(head, nodes, edges), /^[0-9a-f]{32}$/);
  assert.equal(contentHash(head, nodes, edges), contentHash(head, [...nodes].reverse(), edges));
  const contents = [
    [[{ name: 'a|B', description: 'x' }], []],
    [[{ name: 'a', description: '|x', type: 'B' }], []],
    [[{ name: 'a', type: 'B', description: '|x' }], []],
    [[{ name: 'a\nnode:b||||' }], []],
    [[{ name: 'a' }, { name: 'b' }], []],
    [[{ name: 'a', properties: { 'x="1",y': '2' } }], []],
    [[{ name: 'a', properties: { x: '1', y: '2' } }], []],
    [[{ name: 'a', distinctFrom: ['http://a,http://b'] }], []],
    [[{ name: 'a', distinctFrom: ['http://a', 'http://b'] }], []],
    [[], [{ source: 'a|r', relation: 'r', target: 'b' }]],
    [[], [{ source: 'a', relation: 'r', target: 'r|b' }]],
  ] as const;
  const hashes = contents.map(([some, more]) => contentHash(head, some, more));
  assert.equal(new Set(hashes).size, hashes.length - 1, 'the order of keys says nothing');
});

test('local names take characters, not UTF-16 units; FNV-1a of 64 bits', () => {
  assert.equal(localName('a-b.c_d é😀/'), 'a-b.c_d____');
  assert.deepEqual(['', 'a', 'foobar'].map(fnv64), ['cbf29ce484222325', 'af63dc4c8601ec8c', '85944171f73967e8']);
});
