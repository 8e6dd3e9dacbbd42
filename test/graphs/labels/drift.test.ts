/** Labels that are kept and the facts that they are made of: what differs is listed, and a trust that differs is not served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GraphLabels, storeLabels } from '../../../engine/query/registry/label-rows.js';
import { terms } from '../../../engine/rdf/terms.js';
import { EX, knot, T } from '../../service/time-support.js';
import { newFolder, onBothEngines } from './internal-writes.js';

const G = `${EX}g`;
const META = terms.namedNode('urn:svc:graph:meta');
const TRUST = { iri: `${EX}canon`, chain: `${EX}chain`, rank: 40 };
const svc = (name: string) => terms.namedNode(`https://svc.dev/ontology/${name}`);

test('a cache that says something else than the facts', () =>
  onBothEngines(async ({ store, write }) => {
    for (const name of ['a', 'b', 'g']) await store.createGraph(EX + name);
    await store.labelGraph(G, { freshness: 'fresh', policy: ['a', 'b'] }, { timestamp: T(1) });
    await store.labelGraph(G, { kind: 'archive' }, { timestamp: T(1), validTo: T(2) });
    await store.labelGraph(`${EX}a`, { durability: 'backed' }, { timestamp: T(1) });
    assert.deepEqual(await store.labelDrift(), { graphs: 2, drift: [] });

    const keep = (graph: string, labels: object) =>
      write((stage, registry) => storeLabels(stage, registry, graph, labels as GraphLabels));
    const end = Date.parse(T(2)) / 1000;
    const right = { freshness: { value: 'fresh', validTo: null }, kind: { value: 'archive', validTo: end } };
    await keep(G, { ...right, policy: { value: ['b', 'a', 'b'], validTo: null } });
    assert.deepEqual((await store.labelDrift()).drift, [], 'policies are sets');
    await keep(G, {
      ...right,
      freshness: { value: 'stale', validTo: null },
      kind: { value: 'archive', validTo: null },
    });
    await keep(`${EX}a`, {});
    await keep(`${EX}b`, { durability: { value: 'backed', validTo: null } });
    const { graphs, drift } = await store.labelDrift();
    assert.equal(graphs, 3);
    assert.deepEqual(drift, [
      { graph: `${EX}a`, axis: 'durability', facts: { value: 'backed', valid_to: null }, cache: null },
      { graph: `${EX}b`, axis: 'durability', facts: null, cache: { value: 'backed', valid_to: null } },
      {
        graph: G,
        axis: 'freshness',
        facts: { value: 'fresh', valid_to: null },
        cache: { value: 'stale', valid_to: null },
      },
      { graph: G, axis: 'policy', facts: { value: ['a', 'b'], valid_to: null }, cache: null },
      {
        graph: G,
        axis: 'kind',
        facts: { value: 'archive', valid_to: T(2) },
        cache: { value: 'archive', valid_to: null },
      },
    ]);
    // A declaration makes the cache anew of all facts.
    await store.labelGraph(G, { durability: 'backed' });
    assert.deepEqual(
      (await store.labelDrift()).drift.map(({ graph }) => graph),
      [`${EX}a`, `${EX}b`],
    );
  }));

test('a trust whose rank was changed behind the registry is not served', () =>
  onBothEngines(async ({ store, write }) => {
    await store.createGraph(G);
    await store.labelGraph(G, { trust: TRUST }, { timestamp: T(1) });
    const integer = terms.namedNode('http://www.w3.org/2001/XMLSchema#integer');
    const rank = (value: number) =>
      terms.quad(terms.namedNode(TRUST.iri), svc('trustRank'), terms.literal(String(value), integer), META);
    await write((stage, registry) => {
      registry.writesRows();
      stage.retract([rank(40)]);
      stage.assert([rank(90)]);
    });
    const [drift] = (await store.labelDrift()).drift;
    assert.deepEqual(drift, {
      graph: G,
      axis: 'trust',
      facts: { value: { ...TRUST, rank: 90 }, valid_to: null },
      cache: { value: TRUST, valid_to: null },
    });
    const refused = { code: 'store_corrupt', message: /the trust of <http:\/\/example.org\/g> is kept as rank 40 in/ };
    await assert.rejects(store.graph(G), refused);
    await assert.rejects(store.graphs(), refused);
    await store.labelGraph(G, { trust: { ...TRUST, rank: 90 } }, { timestamp: T(2), validTo: T(3) });
    assert.deepEqual((await store.labelDrift()).drift, []);
  }));

test('nothing is declared of overlays, and tombstones are no graphs', () =>
  onBothEngines(async ({ store }) => {
    const [over, tombstones] = [`${EX}over`, `urn:svc:graph:tombstones:${encodeURIComponent(`${EX}over`)}`];
    await store.createOverlay(over);
    await store.writeOverlay(over, { op: 'tombstone', subject: `${EX}s`, predicate: `${EX}p`, object: '1' });
    await assert.rejects(store.labelGraph(over, { kind: 'derived' }), {
      code: 'invalid_request',
      message: /is an overlay/,
    });
    await assert.rejects(store.labelGraph(tombstones, { kind: 'derived' }), { code: 'not_found_in_store' });
    const { graphs } = await store.graphs();
    assert.deepEqual(
      graphs.map(({ iri }) => iri),
      [over, 'urn:svc:graph:meta', 'urn:svc:graph:root'],
    );
    assert.equal(await store.graph(tombstones), null);
  }));

test('a frozen graph is an archive, whatever is declared, and its facts are those that it was frozen with', () =>
  onBothEngines(async ({ store }) => {
    await knot(store, 'ex:g { ex:s ex:p 1, 2 }');
    await store.update(`DELETE DATA { GRAPH <${G}> { <${EX}s> <${EX}p> 1 } }`);
    await store.createGraph(`${EX}a`);
    await store.freezeGraph(G, { outDir: newFolder() });
    await store.labelGraph(G, { kind: 'derived', freshness: 'stale' });
    await store.labelGraph(`${EX}a`, { kind: 'archive' });
    const listed = async (kind: string) => (await store.graphs({ kind })).graphs.map(({ iri, facts }) => [iri, facts]);
    assert.deepEqual(await listed('archive'), [
      [`${EX}a`, 0],
      [G, 1],
    ]);
    assert.deepEqual(await listed('derived'), []);
    assert.equal((await store.graph(G))?.labels.kind, 'archive');
    assert.deepEqual(
      (await store.graphs({ kind: 'archive', lifecycle: 'frozen' })).graphs.map(({ iri }) => iri),
      [G],
    );
  }));
