/** Filters on texts and languages: decided in bulk as they are decided row by row, and without decoding what they need not see. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeQuery } from '../../engine/query/query.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { withMadeStores } from './made-terms.js';
import { answer, storeOf } from './support.js';

const TEXTS = ['?o', 'STR(?o)', 'LCASE(?o)', 'UCASE(STR(?o))', 'STR(?s)'];
const PARTS = ['zebra', 'Zebra', 'ZEBRA', '', 'é', 'ß', 'en', ' zebra'];
const PATTERNS = [
  ['"zebra"', '"^zebra"', '"zebra$"', '"^zebra$"', '"^$"', '""', '"z.*a"', '"^(z|p)[a-z]+( n.*)?$"', '"[0-9]{2,3}"'],
  ['"zebra", "i"', '"^ZEBRA$", "i"', '"k", "i"', '"s", "i"', '"STRASSE", "i"', '"z.b", "si"', '"^n", "m"', '"\\\\d+"'],
  ['"("', '"z", "k"', '"^(a+)+$"', '"(zebra){2}"', '"[^a-y ]", "i"', '"\\\\p{Lu}"', '"number", "q"', '"z e b", "x"'],
].flat();

function conditions(): string[] {
  const parts = PARTS.map((part) => `"${part}"`);
  return [
    ...TEXTS.flatMap((text) =>
      parts.flatMap((part) => ['CONTAINS', 'STRSTARTS', 'STRENDS'].map((name) => `${name}(${text}, ${part})`)),
    ),
    ...['?o', 'STR(?o)', 'LCASE(STR(?o))'].flatMap((text) => PATTERNS.map((pattern) => `REGEX(${text}, ${pattern})`)),
    ...['en', 'EN', '*', 'en-gb', 'ar', '', 'x'].map((range) => `LANGMATCHES(LANG(?o), "${range}")`),
    ...['en', 'EN', 'en-gb', 'ar', ''].flatMap((tag) => [`LANG(?o) = "${tag}"`, `"${tag}" != LANG(?o)`]),
    ...['zebra', '1', ''].flatMap((text) => [`STR(?o) = "${text}"`, `LCASE(STR(?o)) != "${text}"`]),
    'CONTAINS(?o, "zebra"@en)',
    'CONTAINS(?x, "zebra")',
    'CONTAINS(?made, "2")',
  ];
}

/** How many rows a condition is true and false for: in bulk, and as IF hides it from that. */
async function truths(snapshot: StorageSnapshot, condition: string): Promise<[bulk: string[], single: string[]]> {
  const made = condition.includes('?made') ? 'BIND(IF(isBlank(?o), ?none, CONCAT(STR(?o), "2")) AS ?made)' : '';
  const group = `{ ?s ?p ?o ${made}`;
  const bulk: string[] = [];
  for (const filter of [condition, `!(${condition})`]) {
    bulk.push(...(await answer(snapshot, `SELECT (COUNT(*) AS ?n) ${group} FILTER(${filter}) }`)));
  }
  const hidden = `BIND(IF(true, ${condition}, false) AS ?t)`;
  const counts = await answer(
    snapshot,
    `SELECT (SUM(IF(?t, 1, 0)) AS ?yes) (SUM(IF(?t, 0, 1)) AS ?no) ${group} ${hidden} FILTER(BOUND(?t)) }`,
  );
  return [bulk, (counts[0] as string).split(' ')];
}

test('filters on texts: in bulk as row by row', async () => {
  await withMadeStores(async (snapshot, name) => {
    for (const [at, condition] of conditions().entries()) {
      if (name === 'memory' && at % 4 !== 0) continue;
      const [bulk, single] = await truths(snapshot, condition);
      assert.deepEqual(bulk, single, `${condition}, ${name}`);
    }
  });
});

test('languages are told without a text being decoded', async () => {
  await withMadeStores(async (snapshot, name) => {
    for (const condition of ['LANGMATCHES(LANG(?o), "EN")', 'LANG(?o) = "ja"', 'LANG(?o) != ""']) {
      const result = await executeQuery(snapshot, `SELECT ?s { ?s ?p ?o FILTER(${condition}) }`);
      assert.ok(result.kind === 'select');
      const before = snapshot.counters.termsDecoded;
      let rows = 0;
      for await (const batch of result.batches) rows += batch.rows;
      assert.ok(rows > 0);
      assert.equal(snapshot.counters.termsDecoded, before, `${condition}, ${name}`);
    }
  });
});

test('constants of all kinds are compared without a text being decoded', async () => {
  const store = await storeOf(
    ':s :p 1, 2.5, "a", "b"@en, :x, true, "2020-01-01"^^xsd:date, "2020-01-01T00:00:00"^^xsd:dateTime .',
  );
  const snapshot = store.snapshot();
  for (const [condition, rows] of [
    ['?o IN (1, 2.50, "a", "nowhere", :x, :nowhere, "2020-01-01"^^xsd:date, "b"@en)', 6],
    ['?o NOT IN (1, "a", :x)', 5],
    ['?o = "nowhere" || ?o = :x', 1],
    ['?o > 1', 1],
    ['?o < "2020-02-01"^^xsd:date', 1],
    ['isNumeric(?o)', 2],
    ['!isNumeric(?o)', 6],
  ] as const) {
    const before = snapshot.counters.termsDecoded;
    assert.deepEqual(
      await answer(snapshot, `SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(${condition}) }`),
      [`${rows}^integer`],
      condition,
    );
    // The count itself.
    assert.equal(snapshot.counters.termsDecoded, before + 1, condition);
  }
});

test('a text is looked at once, however many rows have it', async () => {
  await withMadeStores(async (snapshot) => {
    const [distinct] = await answer(snapshot, 'SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o FILTER(isLiteral(?o)) }');
    const before = snapshot.counters.termsDecoded;
    await answer(snapshot, 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(CONTAINS(?o, "nowhere")) }');
    assert.ok(snapshot.counters.termsDecoded - before <= Number.parseInt(distinct as string, 10) + 1);
  });
});

test('what is computed of one variable is computed once for each of its terms', async () => {
  await withMadeStores(async (snapshot) => {
    for (const made of [
      'CONCAT(STR(?p), "x")',
      'COALESCE(?none, UCASE(STR(?p)))',
      'xsd:integer(?p)',
      'IF(isIRI(?p), SUBSTR(STR(?p), 2), 1)',
    ]) {
      const before = snapshot.counters.termsDecoded;
      const text = `SELECT (COUNT(?made) AS ?n) { ?s ?p ?o BIND(${made} AS ?made) }`;
      const [distinct] = await answer(snapshot, 'SELECT (COUNT(DISTINCT ?p) AS ?n) { ?s ?p ?o }');
      await answer(snapshot, text);
      assert.ok(snapshot.counters.termsDecoded - before <= Number.parseInt(distinct as string, 10) + 2, made);
    }
  });
});

test('casts of texts: in bulk as row by row', async () => {
  await withMadeStores(async (snapshot) => {
    for (const cast of ['xsd:integer(?o)', 'xsd:double(STR(?o))', 'xsd:dateTime(?o)', 'xsd:boolean(STR(?o))']) {
      const text = `SELECT (COUNT(?made) AS ?n) { ?s ?p ?o FILTER(isLiteral(?o) && (LANG(?o) != "" || DATATYPE(?o) = xsd:string)) BIND(${cast} AS ?made) }`;
      const [hidden] = await answer(
        snapshot,
        text.replace(cast, `COALESCE(${cast.replace('?o', 'IF(true, ?o, ?s)')})`),
      );
      assert.deepEqual(await answer(snapshot, text), [hidden], cast);
    }
  });
});
