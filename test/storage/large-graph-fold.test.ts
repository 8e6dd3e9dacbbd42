/**
 * A graph that grows by very many rows in one transaction gets a partition of its own, as it does in a load; what it had in the
 * shared one before stays there, and may be closed there.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWN_PARTITION_ROWS } from '../../engine/storage/bulk/epoch-rows.js';
import type { TermId } from '../../engine/storage/ids/layout.js';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { decodeManifest, graphOfPartition } from '../../engine/storage/runs/manifest.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { StoreFolder } from './support/store-folder.js';

const G = 'http://example.org/g';
const FORK = 'urn:svc:fork:f';
const OLD = 50;
const folder = new StoreFolder();

function idOf(store: Store, iri: string): TermId {
  const snapshot = store.snapshot();
  try {
    return snapshot.storage.encode(terms.namedNode(iri)) as TermId;
  } finally {
    snapshot.close();
  }
}

function rowsOf(store: Store, graph: TermId): number {
  const snapshot = store.snapshot();
  try {
    return snapshot.storage.count({ graphs: { kind: 'one', graph }, pattern: {}, time: CURRENT });
  } finally {
    snapshot.close();
  }
}

function partitionsOf(path: string): (TermId | null)[] {
  const file = LmdbFile.open(path, { readOnly: true });
  try {
    return decodeManifest(file.readCopy('meta', 'manifest'), path).partitions.map(graphOfPartition);
  } finally {
    file.close();
  }
}

test('a copy of ROOT, and a graph that has outgrown the shared partition', { timeout: 300_000 }, async () => {
  const path = folder.fresh();
  let store = await openStore(path);
  const rows = OWN_PARTITION_ROWS + 1;
  const lines = Array.from({ length: rows }, (_, at) => `<urn:s${at % 40_000}> <urn:p${at % 7}> ${at} .`);
  await store.load({ text: lines.join('\n'), format: 'turtle' });
  const old = Array.from({ length: OLD }, (_, at) => `<urn:s${at}> <urn:old> ${at}`);
  await store.update(`INSERT DATA { GRAPH <${G}> { ${old.join(' . ')} } }`);
  await store.fold();
  const before = [idOf(store, G), idOf(store, 'urn:svc:graph:root')];
  await store.close();
  assert.deepEqual(partitionsOf(path).includes(before[0] as TermId), false, 'small graphs share one');
  store = await openStore(path);
  assert.equal((await store.createFork({ tx: 1, name: 'f' })).facts, rows);
  await store.update(`INSERT { GRAPH <${G}> { ?s ?p ?o } } WHERE { ?s ?p ?o }`);
  await store.update(
    `DELETE { GRAPH <${G}> { ?s <urn:old> ?o } } WHERE { GRAPH <${G}> { ?s <urn:old> ?o FILTER (?o < 20) } }`,
  );
  await store.fold();
  const [g, fork] = [idOf(store, G), idOf(store, FORK)];
  assert.deepEqual([rowsOf(store, g), rowsOf(store, fork)], [rows + OLD - 20, rows]);
  const answer = await store.select(
    `SELECT ?p (COUNT(DISTINCT ?s) AS ?n) { GRAPH <${G}> { ?s ?p ?o } } GROUP BY ?p ORDER BY ?p`,
  );
  const subjects = new Map<string, number>();
  for await (const [p, n] of answer.rows()) subjects.set(p?.value as string, Number(n?.value));
  assert.equal(subjects.get('urn:old'), OLD - 20);
  const snapshot = store.snapshot();
  const figures = snapshot.storage.predicates({ kind: 'one', graph: fork });
  const root = snapshot.storage.predicates({ kind: 'one', graph: before[1] as TermId });
  snapshot.close();
  assert.deepEqual(figures, root, 'figures of a copy are those of what was copied');
  for (const { predicate, distinctSubjects, distinctObjects } of figures) {
    assert.ok(distinctSubjects > 0 && distinctObjects >= distinctSubjects / 40_000, String(predicate));
  }
  assert.deepEqual((await store.verify()).problems, []);
  await store.close();
  const own = partitionsOf(path);
  assert.ok(
    own.includes(g) && own.includes(fork) && own.includes(null),
    'both have one of their own, beside the shared one',
  );
});
