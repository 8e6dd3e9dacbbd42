/** Graphs of every class, as the description of the service and the gauges count them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, terms } from '../../../interfaces/library/index.js';
import { body, document, type Json } from '../../service/reads-support.js';
import { EX, knot } from '../../service/time-support.js';
import { newFolder, onBothEngines } from './internal-writes.js';

const OVER = `${EX}over`;
const QUARANTINE = `urn:svc:quarantine:${'1'.repeat(64)}`;
const FROZEN = `${EX}frozen`;

test('VoID and gauges: committed, companion, frozen and empty graphs; overlays, tombstones, quarantine and meta apart', () =>
  onBothEngines(async ({ store, write }) => {
    await knot(store, 'ex:s ex:p 1, 2, 3 . ex:g { ex:s ex:p 1, 2 } ex:frozen { ex:s ex:p 1, 2, 3, 4 }');
    await store.update(`DELETE DATA { GRAPH <${FROZEN}> { <${EX}s> <${EX}p> 4 } }`);
    await store.freezeGraph(FROZEN, { outDir: newFolder() });
    await store.createGraph(`${EX}empty`);
    await store.labelGraph(`${EX}empty`, { freshness: 'fresh', kind: 'derived' });
    const quad = (graph: string) =>
      terms.quad(terms.namedNode(`${EX}s`), terms.namedNode(`${EX}p`), terms.literal('x'), terms.namedNode(graph));
    await write((stage, registry) => {
      const snapshot = stage.snapshot();
      registry.register(snapshot, `${EX}g#inferred`);
      registry.register(snapshot, QUARANTINE);
      snapshot.close();
      stage.assert([quad(`${EX}g#inferred`), quad(QUARANTINE)]);
    });
    await store.createOverlay(OVER);
    for (const op of ['assert', 'tombstone'] as const) {
      await store.writeOverlay(OVER, { op, subject: `${EX}s`, predicate: `${EX}p`, object: op });
    }

    const { text } = await document(store, 'void', { base_url: 'http://host:1' }, 'turtle');
    const description = await openStore(':memory:');
    await description.load({ text, format: 'turtle' });
    const query = `PREFIX sd: <http://www.w3.org/ns/sparql-service-description#> PREFIX void: <http://rdfs.org/ns/void#>
      SELECT ?name ?n { ?d sd:namedGraph [ sd:name ?name ; sd:graph [ void:triples ?n ] ] } ORDER BY ?name`;
    const { rows } = await body(description, 'read', { query });
    assert.deepEqual(
      rows.map((row: Json) => [row.name, row.n]),
      [
        [`${EX}empty`, 0],
        [FROZEN, 3],
        [`${EX}g`, 2],
        [`${EX}g#inferred`, 1],
      ],
    );
    await description.close();

    const counts = await body(store, 'graph_counts', {});
    const byClass = Object.fromEntries(counts.facts_by_class.map((one: Json) => [one.class, one.facts]));
    const meta = 2;
    assert.deepEqual(byClass, { ROOT: 3, committed: 2 + 1 + 1 + meta, overlay: 1, frozen: 3 });
    const graphs = Object.fromEntries(counts.graphs.map((one: Json) => [`${one.class} ${one.lifecycle}`, one.graphs]));
    assert.deepEqual(graphs, { 'committed live': 6, 'committed frozen': 1, 'overlay live': 1 });
    assert.deepEqual([counts.facts, counts.entities, counts.predicates], [3, 1, 1]);
    const { graphs: listed } = await body(store, 'graphs', {});
    assert.equal(listed.length, 8);
  }));

test('the gauges of an empty store', () =>
  onBothEngines(async ({ store }) => {
    const counts = await body(store, 'graph_counts', {});
    assert.deepEqual(counts.graphs, [{ class: 'committed', lifecycle: 'live', graphs: 2 }]);
  }));
