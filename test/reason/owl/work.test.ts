/** What is read to follow a small write grows neither with how much it links, in lookups, nor with what its nodes are linked to, in rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RDF_NS, terms } from '../../../engine/rdf/terms.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import type { StorageSnapshot } from '../../../engine/storage/seam/scan.js';
import { ENGINES, withOwl } from './support.js';

const EX = 'http://ex/';
const node = (name: string) => terms.namedNode(EX + name);
const TYPE = terms.namedNode(`${RDF_NS}type`);
const ONTOLOGY = `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix ex: <${EX}> .
ex:memberOf owl:inverseOf ex:member ; rdfs:domain ex:Person ; rdfs:range ex:Group .
ex:Student rdfs:subClassOf ex:Person . ex:heads rdfs:subPropertyOf ex:memberOf .`;

interface Work {
  probes: number;
  rows: number;
}

/** Lookups and rows of all snapshots of the stages of writes. */
function watched(engine: StorageEngine): Work {
  const work: Work = { probes: 0, rows: 0 };
  const watch = (snapshot: StorageSnapshot): StorageSnapshot => {
    const [probe, close] = [snapshot.probe.bind(snapshot), snapshot.close.bind(snapshot)];
    snapshot.probe = (request) => {
      work.probes++;
      return probe(request);
    };
    snapshot.close = () => {
      work.rows += snapshot.counters.rowsScanned;
      close();
    };
    return snapshot;
  };
  const stage = engine.stage.bind(engine);
  engine.stage = (options) => {
    const made = stage(options);
    const snapshot = made.snapshot.bind(made);
    made.snapshot = () => watch(snapshot());
    return made;
  };
  return work;
}

/** Of a new student who is given so many groups, where the first group has so many members. */
async function workOf(open: () => Promise<StorageEngine>, groups: number, members: number): Promise<Work> {
  const engine = await open();
  const store = withOwl(engine);
  await store.loadOntology('o', ONTOLOGY);
  const old = Array.from({ length: members }, (_, at) => terms.quad(node(`old${at}`), node('memberOf'), node('g0')));
  const named = Array.from({ length: groups }, (_, at) => terms.quad(node(`g${at}`), node('name'), node('n')));
  await store.transact({ assert: [...old, ...named] });
  const work = watched(engine);
  const facts = Array.from({ length: groups }, (_, at) => terms.quad(node('new'), node('memberOf'), node(`g${at}`)));
  await store.transact({ assert: [terms.quad(node('new'), TYPE, node('Student')), ...facts] });
  await store.close();
  return work;
}

for (const [name, open] of ENGINES) {
  test(`lookups of a write do not grow with how many nodes it links (${name})`, async () => {
    const [one, many] = [await workOf(open, 1, 5), await workOf(open, 50, 5)];
    assert.ok(one.probes > 0);
    assert.equal(many.probes, one.probes);
  });

  test(`rows of a write do not grow with how many others a node is linked to (${name})`, async () => {
    const [few, many] = [await workOf(open, 1, 5), await workOf(open, 1, 3000)];
    assert.ok(many.rows <= few.rows + 20, `${many.rows} rows beside 3000 members, ${few.rows} beside 5`);
  });
}
