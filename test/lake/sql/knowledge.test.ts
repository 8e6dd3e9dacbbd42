/** What a lake knows of its predicates: kept by exports, used by the translation, and never needed for an answer. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openDuckdb } from '../../../engine/lake/engines/duckdb.js';
import { LAKE_FILE, type LakeContent, readLakeFile } from '../../../engine/lake/lake-file.js';
import { queryLake } from '../../../engine/lake/query-lake.js';
import { DUCKDB } from '../../../engine/lake/sql/dialects/duckdb.js';
import { inOrder } from '../../../engine/lake/sql/join-order.js';
import { LakeKnowledge } from '../../../engine/lake/sql/lake-knowledge.js';
import type { Solutions } from '../../../engine/lake/sql/solutions.js';
import { rewrittenQuery, toSql } from '../../../engine/lake/sql/to-sql.js';
import { openStore } from '../../../engine/service/host/open-store.js';
import type { Store } from '../../../engine/service/store/store.js';
import { agrees, EXACT } from '../../query/differential/check.js';
import { readAnswer, readResult } from '../../query/differential/engines.js';

const PREFIXES = 'PREFIX e: <http://example.org/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>';
const DATA = `${PREFIXES} INSERT DATA {
  e:a e:int 41 ; e:dec 1.5 ; e:dbl "2.50"^^xsd:double ; e:day "2020-02-29"^^xsd:date ; e:flag true ; e:mixed 7 ; e:knows e:b .
  e:b e:int -3 ; e:dec 1.50 ; e:dbl "2.5"^^xsd:double ; e:day "1969-12-31"^^xsd:date ; e:flag "0"^^xsd:boolean ; e:mixed "seven" ; e:knows e:c .
  e:c e:int 0 ; e:dec -0.25 ; e:dbl "-10.125"^^xsd:double ; e:day "2020-02-28+05:00"^^xsd:date ; e:flag false ; e:mixed e:a ; e:knows e:a .
  e:d e:int 41 ; e:dec 100 ; e:at "2020-01-01T00:00:00.250Z"^^xsd:dateTime ; e:name "d"@en ; e:mixed 1.25 .
  e:e e:at "2020-01-01T00:00:00"^^xsd:dateTime , "2019-12-31T20:00:00-05:00"^^xsd:dateTime .
}`;

/** By variable as the store answers; ORDER BY where LIMIT cuts. */
const QUERIES = [
  '?s ?o { ?s e:int ?o FILTER(?o > 0) }',
  '?s ?o { ?s e:dec ?o FILTER(?o >= 1.5) }',
  '?s ?o { ?s e:dbl ?o FILTER(?o = 2.5) }',
  '?s ?o { ?s e:day ?o FILTER(?o < "2020-02-29"^^xsd:date) }',
  '?s ?o { ?s e:at ?o FILTER(?o > "2020-01-01T00:00:00Z"^^xsd:dateTime) }',
  '?s ?o { ?s e:flag ?o FILTER(?o) }',
  '?s ?o { ?s e:flag ?o FILTER(!?o) }',
  '(SUM(?o) AS ?sum) (AVG(?o) AS ?mean) (MIN(?o) AS ?least) (MAX(?o) AS ?most) { ?s e:int ?o }',
  '(SUM(?o) AS ?sum) (AVG(?o) AS ?mean) (MIN(?o) AS ?least) (MAX(?o) AS ?most) { ?s e:dec ?o }',
  '(SUM(?o) AS ?sum) (AVG(?o) AS ?mean) (MIN(?o) AS ?least) (MAX(?o) AS ?most) { ?s e:dbl ?o }',
  '(SUM(?o) AS ?sum) (AVG(?o) AS ?mean) (MIN(?o) AS ?least) (COUNT(?o) AS ?n) { ?s e:dbl ?o FILTER(?o > 99) }',
  '?s (?i + ?d AS ?sum) (?i * ?x AS ?product) { ?s e:int ?i ; e:dec ?d ; e:dbl ?x }',
  '?s (STR(?o) AS ?text) (DATATYPE(?o) AS ?type) { ?s e:dec ?o }',
  '?s ?i { ?s e:dec ?o OPTIONAL { ?s e:int ?i FILTER(?i > 0) } }',
  '?s (COALESCE(?x + 1, "none") AS ?more) { ?s e:int ?i OPTIONAL { ?s e:dbl ?x } }',
  '?o { ?s e:mixed ?o FILTER(?o > 1) }',
  '?s ?o { ?s e:int ?o } ORDER BY DESC(?o) ?s LIMIT 2',
  '?s ?o { ?s e:mixed ?o } ORDER BY ?o LIMIT 3',
  '?a ?n { { SELECT ?a (COUNT(*) AS ?n) { ?a ?p ?o } GROUP BY ?a } } ORDER BY DESC(?n) ?a LIMIT 2 OFFSET 1',
  '?a ?b { ?a e:knows ?b . ?b e:int ?i . ?a e:int ?j FILTER(?i < ?j) } ORDER BY ?a LIMIT 5',
  '(SUM(2.5) AS ?sum) { ?s e:nothing ?o }',
  '(1.0 AS ?one) ?d { VALUES ?d { "5"^^xsd:byte } }',
].map((query) => `${PREFIXES} SELECT ${query}`);

const folder = mkdtempSync(join(tmpdir(), 'svc-lake-knowledge-'));
let store: Store;

before(async () => {
  store = await openStore(':memory:');
  await store.update(DATA);
  await store.exportLake(folder);
});

after(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function contentOf(): LakeContent {
  const file = join(folder, LAKE_FILE);
  return readLakeFile(readFileSync(file), file);
}

async function assertSame(content: LakeContent): Promise<void> {
  const engine = await openDuckdb(folder, content, { threads: 1 });
  try {
    for (const query of QUERIES) {
      const wanted = await readAnswer(store, query, {});
      const got = await readResult(await queryLake(engine, query, { dialect: 'duckdb' }));
      const same = await agrees(query, { kind: 'answer', answer: got }, { kind: 'answer', answer: wanted }, EXACT);
      if (!same) assert.deepEqual(got, wanted, query);
    }
  } finally {
    await engine.close();
  }
}

test('answers are the same with what is known, and without it', async () => {
  const content = contentOf();
  assert.notEqual(content.predicates, undefined);
  await assertSame(content);
  await assertSame({ ...content, predicates: undefined });
});

/** The text for the lake at hand, its constants looked up. */
async function textOf(query: string): Promise<string> {
  const content = contentOf();
  const engine = await openDuckdb(folder, content, { threads: 1 });
  try {
    const { findConstants } = await import('../../../engine/lake/sql/constants.js');
    const parsed = rewrittenQuery(`${PREFIXES} ${query}`);
    const idOf = await findConstants(parsed, engine, DUCKDB, {});
    return toSql(parsed, DUCKDB, { idOf, knowledge: new LakeKnowledge(content) }).sql;
  } finally {
    await engine.close();
  }
}

test('values that stand in ids are not looked up, and texts only behind LIMIT', async () => {
  for (const query of [
    'SELECT (COUNT(*) AS ?n) { ?s e:day ?o FILTER(?o >= "2020-01-01"^^xsd:date) }',
    'SELECT (AVG(?o) AS ?mean) (MAX(?o) AS ?most) { ?s e:dbl ?o }',
    'SELECT ?s ?o { ?s e:dec ?o } ORDER BY DESC(?o) LIMIT 2',
  ]) {
    assert.doesNotMatch(await textOf(query), /FROM terms/, query);
  }
  const sorted = await textOf('SELECT ?a (COUNT(?b) AS ?n) { ?a e:knows ?b } GROUP BY ?a ORDER BY DESC(?n) ?a LIMIT 1');
  // Who can't be among the first is left out below the look-up, of which there is one.
  assert.equal(sorted.match(/FROM terms/g)?.length, 1);
  assert.match(sorted, /rank\(\) OVER/);
  // An IRI has a look-up where it is compared as a text.
  assert.match(await textOf('SELECT (COUNT(*) AS ?n) { ?a e:knows ?b FILTER(STRENDS(STR(?b), "b")) }'), /FROM terms/);
});

test('exports add to what is known; nothing is known of a lake that an earlier version began', async () => {
  const own = mkdtempSync(join(tmpdir(), 'svc-lake-known-'));
  const other = await openStore(':memory:');
  try {
    await other.update(`${PREFIXES} INSERT DATA { e:a e:p 1 , 2 . e:b e:p 2 }`);
    await other.exportLake(own);
    const known = (): readonly unknown[] => Object.values(read().predicates ?? {});
    const read = (): LakeContent => readLakeFile(readFileSync(join(own, LAKE_FILE)), own);
    assert.deepEqual(known(), [{ rows: 3, subjects: 2, objects: 2, prefixes: [0x3801] }]);
    await other.update(`${PREFIXES} INSERT DATA { e:c e:p "x" }`);
    await other.exportLake(own);
    assert.deepEqual(known(), [{ rows: 4, subjects: 3, objects: 3, prefixes: [0x3000, 0x3801] }]);
    // A closed row is still asked about by those who look into the past.
    await other.update(`${PREFIXES} DELETE DATA { e:c e:p "x" }`);
    await other.exportLake(own);
    assert.deepEqual(known(), [{ rows: 3, subjects: 2, objects: 2, prefixes: [0x3000, 0x3801] }]);
    const { predicates: _, ...older } = read();
    writeFileSync(join(own, LAKE_FILE), JSON.stringify(older));
    await other.update(`${PREFIXES} INSERT DATA { e:d e:p e:a }`);
    await other.exportLake(own);
    assert.equal(read().predicates, undefined);
  } finally {
    await other.close();
    rmSync(own, { recursive: true, force: true });
  }
});

test('joins begin with what is small and go on with what leaves least', () => {
  const part = (name: string, rows: number, values: Readonly<Record<string, number>>) => ({
    solutions: { name } as unknown as Solutions,
    estimate: { rows, values: new Map(Object.entries(values)) },
  });
  const parts = [
    part('offers', 300_000, { offer: 300_000, product: 15_000 }),
    part('features', 250_000, { product: 15_000, feature: 5000 }),
    part('type', 2000, { product: 2000 }),
    part('apart', 10_000, { other: 10_000 }),
  ];
  assert.deepEqual(
    inOrder(parts).map((one) => (one as unknown as { name: string }).name),
    ['type', 'features', 'offers', 'apart'],
  );
});
