/** Computed terms that only pass through are forgotten on the way: answers as without a budget, in little memory. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { openQuery } from '../../engine/query/open-query.js';
import { parseQuery } from '../../engine/query/parse/parse.js';
import { executeQuery, type QueryOptions } from '../../engine/query/query.js';
import { encodeResult } from '../../engine/query/results/encode.js';
import { rewriteQuery } from '../../engine/query/rewrites/index.js';
import { PENDING, slice } from '../../engine/query/runtime/operator.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { inFull } from './short-options.js';
import { answer, PREFIXES, sortedAnswer, storeOf } from './support.js';

const ROWS = 24_000;
const memoryBudgetBytes = 4 * 2 ** 20;

let snapshot: StorageSnapshot;
before(async () => {
  let text = ':a :is "NAME 7"; :half 3.5e0 .\n';
  for (let at = 0; at < ROWS; at++) text += `:p${at} :name "name ${at}" ; :age ${at} ; :in :g${at % 3000} .\n`;
  snapshot = (await storeOf(text)).snapshot();
});

/** The terms of all rows need more than the budget, those of a batch do not. */
const PASSING = [
  'SELECT ?s (UCASE(?n) AS ?u) { ?s :name ?n }',
  'SELECT (IRI(CONCAT(STR(?s), "/x")) AS ?u) { ?s :name ?n }',
  'SELECT ?s (?a * 1.17 AS ?u) (?a / 7e0 AS ?v) { ?s :age ?a }',
  'SELECT ?u { ?s :name ?n BIND(UCASE(?n) AS ?u) FILTER(?u IN ("NAME 5", "NAME 7", "NAME 19999")) }',
  'SELECT ?u ?w { ?s :name ?n BIND(CONCAT(?n, "!") AS ?u) BIND(CONCAT(?u, "!") AS ?w) FILTER(STRLEN(?w) = 12 && ?w != "name 12345!!") }',
  'SELECT (SUM(?a * 1.17) AS ?sum) (COUNT(CONCAT(?n, "x")) AS ?n1) { ?s :age ?a ; :name ?n }',
  'SELECT ?g (GROUP_CONCAT(?n; separator="|") AS ?all) { ?s :in ?g ; :name ?n } GROUP BY ?g',
  'SELECT ?u { { ?s :name ?n BIND(UCASE(?n) AS ?u) } UNION { ?s :name ?n BIND(CONCAT(?n, " too") AS ?u) } }',
  'SELECT ?s (IF(?a > 6000, "old", CONCAT("young ", ?n)) AS ?u) { ?s :age ?a ; :name ?n } OFFSET 10',
  'SELECT (DATATYPE(?a) AS ?d) (LANG(?n) AS ?l) (UCASE(?n) AS ?u) ("constant" AS ?c) { ?s :age ?a ; :name ?n }',
  // The same groups come again after their texts were forgotten.
  'SELECT ?w (CONCAT(STR(?g), "!") AS ?u) { ?s :in ?g ; :name ?n BIND(UCASE(?n) AS ?w) }',
  'SELECT (COUNT(*) AS ?rows) { ?s :name ?n BIND(UCASE(?n) AS ?u) }',
  'SELECT (SUM(STRLEN(?u)) AS ?sum) { ?s :name ?n BIND(UCASE(?n) AS ?u) }',
];

for (const query of PASSING) {
  test(query, async () => {
    const wanted = await sortedAnswer(snapshot, query);
    assert.deepEqual(await sortedAnswer(snapshot, query, { memoryBudgetBytes }), wanted);
    const lengths: number[] = [];
    for (const options of [{}, { memoryBudgetBytes }]) {
      let length = 0;
      const result = await executeQuery(snapshot, PREFIXES + query, inFull(options));
      for await (const chunk of encodeResult(result, 'json')) length += Buffer.byteLength(chunk);
      lengths.push(length);
    }
    assert.equal(lengths[1], lengths[0]);
  });
}

/** The driver gives operators no time: each holds every batch back for a call. */
async function heldBack(query: string, options: QueryOptions): Promise<string[]> {
  const parsed = rewriteQuery(parseQuery(PREFIXES + query), new Set());
  const { root, terms, budget } = openQuery(parsed, snapshot, options);
  slice.endMs = Number.NEGATIVE_INFINITY;
  const rows: string[] = [];
  for (let step = root.next(); step !== null; step = root.next()) {
    if (step === PENDING) continue;
    const columns = step.columns.map((column) => terms.decode(column, step.rows));
    for (let row = 0; row < step.rows; row++) rows.push(columns.map((column) => column[row]?.value).join(' '));
  }
  slice.endMs = Number.POSITIVE_INFINITY;
  root.close();
  budget.close();
  return rows.sort();
}

test('no batch that is held back loses its terms', async () => {
  for (const query of PASSING) {
    const wanted = await heldBack(query, {});
    assert.deepEqual(await heldBack(query, { budget: { memoryBytes: memoryBudgetBytes } }), wanted, query);
  }
});

/** Here somebody keeps them: the answer is the same, or an error names the limit. */
const KEPT = [
  'SELECT DISTINCT ?u { ?s :name ?n BIND(UCASE(?n) AS ?u) }',
  'SELECT (COUNT(DISTINCT UCASE(?n)) AS ?c) { ?s :name ?n }',
  'SELECT (MAX(CONCAT(?n, "x")) AS ?c) { ?s :name ?n }',
  'SELECT ?s ?t { ?s :name ?n BIND(CONCAT(?n, "") AS ?u) { ?t :name ?m BIND(CONCAT(?m, "") AS ?u) } }',
  'CONSTRUCT { ?s :loud ?u } { ?s :name ?n BIND(UCASE(?n) AS ?u) }',
];

for (const query of KEPT) {
  test(query, async () => {
    const wanted = await sortedAnswer(snapshot, query);
    for (const bytes of [memoryBudgetBytes, 3 * memoryBudgetBytes]) {
      try {
        assert.deepEqual(await sortedAnswer(snapshot, query, { memoryBudgetBytes: bytes }), wanted);
      } catch (error) {
        assert.ok(error instanceof SvcError && error.code === 'query_complexity', String(error));
        assert.match(error.message, /query\.memory_budget_mb/);
      }
    }
  });
}

test('a term that is met again after it was forgotten is the same term', async () => {
  const again =
    'SELECT ?s ?u { ?s :age ?a ; :name ?n BIND(CONCAT("text ", STR(?a - 3 * FLOOR(?a / 3))) AS ?u) BIND(UCASE(?n) AS ?w) }';
  const rows = await answer(snapshot, again, { memoryBudgetBytes });
  assert.equal(rows.length, ROWS);
  assert.deepEqual([...new Set(rows.map((row) => row.split(' ').slice(1).join(' ')))].sort(), [
    '"text 0"',
    '"text 1"',
    '"text 2"',
  ]);
});
