/**
 * The releases of schema.org, each a graph of its own: labelled, all but the last frozen, asked, and thawed. Every answer by
 * name stays as it was, and so does every document, byte for byte. SVC_RELEASES says how many, of 19; every day it is the last few.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Store } from '../../interfaces/library/index.js';
import { EX, T } from '../service/time-support.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { failure, freshFolder, packsIn, rowsOf, withStore } from './support.js';

const shared = sharedFolder();
const skip = shared === null ? SHARED_ABSENT : false;
const ALL = '9.0 10.0 11.0 12.0 13.0 14.0 15.0 16.0 18.0 20.0 22.0 24.0 26.0 27.0 28.0 28.1 29.0 29.4 30.0'.split(' ');
const EVERY_DAY = 3;
const VERSIONS = ALL.slice(-Number(process.env.SVC_RELEASES ?? EVERY_DAY));
const DATASET = `${EX}releases`;
const graphOf = (version: string): string => `${EX}schema/${version}`;
const FROZEN = VERSIONS.slice(0, -1);

async function load(store: Store): Promise<void> {
  const data = join(shared as string, 'data', 'schemaorg');
  const { releaseLog } = JSON.parse(readFileSync(join(data, 'versions.json'), 'utf8')) as {
    releaseLog: Record<string, string>;
  };
  for (const version of VERSIONS) {
    const graph = graphOf(version);
    const path = join(data, `schemaorg-all-https-${version}.nt.gz`);
    const timestamp = `${releaseLog[version]}T00:00:00Z`;
    await store.load({ path }, { graph, timestamp, source: `schema.org ${version}` });
    const freshness = version === VERSIONS.at(-1) ? 'fresh' : 'stale';
    await store.labelGraph(graph, { freshness, durability: 'backed', kind: 'reference' }, { timestamp });
  }
  await store.createDataset({ name: DATASET, members: VERSIONS.map(graphOf) });
  // What is not the state of a release: a fact that came and went.
  const passing = `GRAPH <${graphOf(VERSIONS[0] as string)}> { <urn:a> <urn:b> "passing" }`;
  await store.update(`INSERT DATA { ${passing} }`, { timestamp: T(1) });
  await store.update(`DELETE DATA { ${passing} }`, { timestamp: T(3) });
}

async function documents(store: Store): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const version of VERSIONS) {
    for (const format of ['ntriples', 'turtle'] as const) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of store.export(format, { graph: graphOf(version) })) chunks.push(chunk);
      texts.push(Buffer.concat(chunks).toString());
    }
  }
  return texts;
}

const CLASSES = 'SELECT (COUNT(?c) AS ?n) { ?c a <http://www.w3.org/2000/01/rdf-schema#Class> }';
const SUBCLASSES = `SELECT ?c { ?c <http://www.w3.org/2000/01/rdf-schema#subClassOf>+ <https://schema.org/Action> }`;
const BY_GRAPH = `SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g`;

/** What is asked of the graphs by their names. */
async function answers(store: Store): Promise<unknown> {
  const found: unknown[] = [];
  for (const graph of VERSIONS.map(graphOf)) {
    found.push(await rowsOf(store, CLASSES, { graph }), await rowsOf(store, SUBCLASSES, { graph }));
    found.push(await rowsOf(store, 'SELECT ?o { <urn:a> ?p ?o }', { graph, validAt: T(2) }));
    found.push(await rowsOf(store, 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }', { graph, validAt: '2022-01-01' }));
  }
  found.push(await rowsOf(store, CLASSES, { graph: DATASET }), await rowsOf(store, SUBCLASSES, { graph: DATASET }));
  const named = VERSIONS.map((version) => `FROM NAMED <${graphOf(version)}>`).join(' ');
  found.push(await rowsOf(store, BY_GRAPH.replace('{', `${named} {`)));
  return found;
}

test(`${VERSIONS.length} releases of schema.org: labelled, ${FROZEN.length} frozen, asked, thawed`, {
  skip,
}, async () => {
  const { folder, path } = freshFolder();
  const before = await withStore(path, async (store) => {
    await load(store);
    const past: string[][] = [];
    for (const { id } of store.transactions()) past.push(await rowsOf(store, BY_GRAPH, { tx: id }));
    return { documents: await documents(store), answers: await answers(store), past };
  });
  assert.ok(before.documents.every((text) => text.length > 1_000_000));
  await withStore(path, async (store) => {
    for (const version of FROZEN) await store.freezeGraph(graphOf(version), { timestamp: T(5) });
    assert.equal(packsIn(folder).length, FROZEN.length);
  });
  await withStore(path, async (store) => {
    assert.deepEqual(await answers(store), before.answers);
    assert.deepEqual(await documents(store), before.documents);
    const [, last = ''] = (await rowsOf(store, BY_GRAPH)).map((row) => row.split(' ')[0]);
    assert.deepEqual(last, '', 'a free GRAPH binds the one that is not frozen');
    const { graphs } = await store.graphs({ lifecycle: 'frozen' });
    assert.deepEqual(graphs.map(({ iri }) => iri).sort(), FROZEN.map(graphOf).sort());
    assert.ok(graphs.every(({ labels, facts }) => labels.kind === 'archive' && facts > 10_000));
    const answer = await store.query('ASK { ?s ?p ?o }', { graph: DATASET });
    const { freshness, kind } = answer.labels as Record<string, unknown>;
    assert.deepEqual(freshness, { value: 'stale', coverage: 'full' });
    assert.deepEqual(kind, { value: ['archive', 'reference'], coverage: 'full' });
    assert.equal((await failure(store.query('ASK {}', { tx: 1 }))).httpStatus, 400);
    assert.deepEqual((await store.verify()).problems, []);
    for (const version of FROZEN) await store.thawGraph(graphOf(version), { timestamp: T(6) });
  });
  await withStore(path, async (store) => {
    assert.deepEqual(await answers(store), before.answers);
    assert.deepEqual(await documents(store), before.documents);
    for (const [at, rows] of before.past.entries()) {
      const tx = store.transactions()[at]?.id as number;
      assert.deepEqual(await rowsOf(store, BY_GRAPH, { tx }), rows, `transaction ${tx}`);
    }
    assert.deepEqual((await store.verify()).problems, []);
  });
});
