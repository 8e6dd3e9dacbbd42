/** Three engines read the tables of a lake by their Iceberg metadata, at every exported snapshot. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openStore } from '../../interfaces/library/index.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { PYTHON, SPARK_JAR, without } from './python.js';
import { lakeOf } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-iceberg-'));
after(() => rmSync(folder, { recursive: true, force: true }));
// Readers must bear a name with a space.
const lake = join(folder, 'a lake');
type Told = Record<string, Record<string, { readonly rows: number; readonly hash: string }>>;
/** Rows by transaction of the export. */
const facts: Record<string, number> = {};
const closed: Record<string, number> = {};
let hash: Told | null = null;

before(async () => {
  const store = await openStore(join(folder, 'store.db'));
  const steps = [
    'INSERT DATA { <urn:a> <urn:p> 1, 2, 3, 4, 5, 6 . <urn:a> <urn:q> "x", "y"@en, true, 2.5, "2020-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> }',
    'INSERT DATA { <urn:b> <urn:p> 17 . GRAPH <urn:g> { <urn:b> <urn:r> <urn:a> } }',
    'DELETE DATA { <urn:a> <urn:p> 1 }',
    'DELETE WHERE { GRAPH <urn:g> { ?s ?p ?o } }',
  ];
  try {
    for (const step of steps) {
      await store.update(step);
      const { tx, rows } = await store.exportLake(lake, { bounds: { largeRows: 4 } });
      facts[tx] = rows.facts;
      closed[tx] = rows.history;
    }
  } finally {
    await store.close();
  }
});

function read(engine: string): Told {
  const script = join(CHECKOUT, 'test', 'lake', 'read-iceberg.py');
  const { status, stdout, stderr } = spawnSync(PYTHON as string, [script, engine, lake, SPARK_JAR ?? ''], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Told;
}

const ENGINES = [
  ['pyiceberg', without('pyiceberg')],
  ['duckdb', without('duckdb_extension_iceberg')],
  ['spark', SPARK_JAR === undefined ? 'SVC_LAKE_SPARK_JAR absent' : without('pyspark')],
] as const;

for (const [engine, skip] of ENGINES) {
  test(`${engine} reads every snapshot, and the same rows as the others`, { skip }, () => {
    const told = read(engine);
    const counts = (table: string) =>
      Object.fromEntries(Object.entries(told[table] ?? {}).map(([tx, { rows }]) => [tx, rows]));
    assert.deepEqual([counts('facts'), counts('history')], [facts, closed]);
    hash ??= told;
    assert.deepEqual(told, hash);
  });
}

test('each snapshot names its transaction; the snapshots follow each other', () => {
  const { exports } = lakeOf(lake);
  for (const table of ['facts', 'history', 'terms', 'transactions']) {
    const read = (name: string): string => readFileSync(join(lake, table, 'metadata', name), 'utf8');
    assert.equal(read('version-hint.text'), String(exports.length));
    const { snapshots, ...rest } = JSON.parse(read(`v${exports.length}.metadata.json`));
    const txs = snapshots.map(({ summary }: { summary: Record<string, string> }) => Number(summary['svc.tx']));
    assert.deepEqual(
      txs,
      exports.map(({ tx }) => tx),
    );
    const ids = snapshots.map((one: Record<string, unknown>) => one['snapshot-id']);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(
      snapshots.map((one: Record<string, unknown>) => one['parent-snapshot-id']),
      [undefined, ...ids.slice(0, -1)],
    );
    assert.equal(rest['current-snapshot-id'], ids.at(-1));
  }
});
