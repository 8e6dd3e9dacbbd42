/** Comparisons with constants as ranges of scans: the same answers as by filters alone, and less read. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { boundOf } from '../../engine/query/plan/access/value-ranges.js';
import { explain } from '../../engine/query/query.js';
import { openStore } from '../../engine/service/host/open-store.js';
import { answer, PREFIXES, sortedAnswer, storeOf } from './support.js';

const INTEGERS = ['-7', '-1', '0', '1', '5', '10', '11', '100', '140737488355327', '99999999999999999999'];
const NUMBERS = [
  ...INTEGERS.map((text) => `"${text}"^^xsd:integer`),
  ...['3', '10', '200', '300'].flatMap((text) => [`"${text}"^^xsd:byte`, `"${text}"^^xsd:nonNegativeInteger`]),
  ...['-0.5', '9.99', '10.0', '10.00', '10.000000001', '10.5', '1e'].map((text) => `"${text}"^^xsd:decimal`),
  ...['10.0', '9.999999999', '1.0E1', '1e400', 'NaN', 'INF', '0.1'].map((text) => `"${text}"^^xsd:double`),
  ...['10.0', '0.1', '16777216.0', '16777217.0', '-INF'].map((text) => `"${text}"^^xsd:float`),
  '"010"^^xsd:integer',
  '"+5"^^xsd:integer',
  '"16777217"^^xsd:integer',
];
const DATES = ['2008-06-20', '2008-06-19', '2008-06-21'].flatMap((day) =>
  ['', 'Z', '+14:00', '-14:00', '+05:30'].map((zone) => `"${day}${zone}"^^xsd:date`),
);
const TIMES = [
  '2008-06-20T00:00:00',
  '2008-06-20T10:00:00',
  '2008-06-20T00:00:00.001',
  '2008-06-19T23:59:59.5',
].flatMap((time) => ['', 'Z', '+14:00', '-05:00'].map((zone) => `"${time}${zone}"^^xsd:dateTime`));
const OTHERS = [
  '"10"',
  '"10"@en',
  ':iri',
  '"true"^^xsd:boolean',
  '"1"^^xsd:boolean',
  '"10"^^:own',
  '"P1D"^^xsd:duration',
];
const VALUES = [...NUMBERS, ...DATES, ...TIMES, ...OTHERS];
const CONSTANTS = [...NUMBERS, ...DATES, ...TIMES, '10', '10.0', '"true"^^xsd:boolean'];
const OPERATORS = ['=', '<', '<=', '>', '>='];
const UNRANGED = { disabledRewrites: ['range-scans'] };

/** Every value, and enough rows that a scan is worth narrowing. */
function rowsOf(values: readonly string[], predicate: string): string {
  const count = Math.max(values.length, 80);
  return Array.from(
    { length: count },
    (_, at) => `:${predicate}${at} :${predicate} ${values[at % values.length]} .`,
  ).join('\n');
}

const everything = `${rowsOf(VALUES, 'any')}\n${rowsOf(NUMBERS, 'number')}\n${rowsOf(TIMES, 'time')}\n${rowsOf(['1', '2', '3'], 'count')}`;
const mixed = (await storeOf(everything)).snapshot();

test('every comparison of every kind of value finds what the filter alone finds', async () => {
  for (const predicate of ['any', 'number', 'time', 'count']) {
    for (const constant of CONSTANTS) {
      for (const operator of OPERATORS) {
        const query = `SELECT ?s ?v { ?s :${predicate} ?v FILTER(?v ${operator} ${constant}) }`;
        const [with_, without] = [await sortedAnswer(mixed, query), await sortedAnswer(mixed, query, UNRANGED)];
        assert.deepEqual(with_, without, query);
      }
    }
  }
});

test('two bounds, bounds of other kinds, a variable that stands twice, OPTIONAL and joins', async () => {
  const queries = CONSTANTS.slice(0, 24).flatMap((constant, at) => {
    const other = CONSTANTS[(at * 7 + 3) % CONSTANTS.length] as string;
    return [
      `SELECT * { ?s :any ?v FILTER(?v > ${constant} && ?v <= ${other}) }`,
      `SELECT * { ?s :number ?v FILTER(${constant} < ?v) FILTER(?v < 100) }`,
      `SELECT * { ?s :number ?v . ?t :any ?v FILTER(?v >= ${constant}) }`,
      `SELECT * { ?s :number ?v . ?s ?p ?v FILTER(?v >= ${constant}) }`,
      `SELECT * { ?s ?p ?x OPTIONAL { ?s :number ?v FILTER(?v > ${constant} && ?x != ?v) } }`,
      `SELECT * { ?s :count ?x OPTIONAL { ?t :number ?v FILTER(?v = ${constant}) } }`,
      `SELECT * { ?s :number ?x FILTER NOT EXISTS { ?t :count ?v FILTER(?v > ?x) FILTER(?v > ${constant}) } }`,
    ];
  });
  for (const query of queries) {
    const disabledRewrites = ['range-scans', 'filter-optionals'];
    assert.deepEqual(await sortedAnswer(mixed, query), await sortedAnswer(mixed, query, { disabledRewrites }), query);
  }
});

test('a store file: the same answers before and after retractions and additions, and few rows read', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-ranges-'));
  const store = await openStore(join(directory, 'store.svc'));
  try {
    const many = Array.from({ length: 20_000 }, (_, at) => `:s${at} :n ${at} ; :d ${(at / 100).toFixed(2)} .`).join(
      '\n',
    );
    await store.update(`${PREFIXES} INSERT DATA { ${many} ${everything} }`);
    const compare = async () => {
      const snapshot = store.snapshot();
      for (const constant of ['100', '19990', '"150.5"^^xsd:double', '199.99']) {
        for (const predicate of ['n', 'd', 'number']) {
          const query = `SELECT (COUNT(*) AS ?c) { ?s :${predicate} ?v FILTER(?v >= ${constant}) }`;
          const options = [undefined, UNRANGED];
          const [a, b] = await Promise.all(options.map((option) => answer(snapshot.storage, query, option)));
          assert.deepEqual(a, b, query);
        }
      }
      snapshot.close();
    };
    await compare();
    await store.update(`${PREFIXES} DELETE WHERE { :s19995 ?p ?o }`);
    await store.update(`${PREFIXES} INSERT DATA { :t :n 19999.5 , "1e9"^^xsd:double }`);
    await compare();
    const snapshot = store.snapshot();
    const before = snapshot.storage.counters.rowsScanned;
    assert.deepEqual(await answer(snapshot.storage, 'SELECT (COUNT(*) AS ?c) { ?s :d ?v FILTER(?v > 199.89) }'), [
      '9^integer',
    ]);
    assert.ok(
      snapshot.storage.counters.rowsScanned - before < 5000,
      String(snapshot.storage.counters.rowsScanned - before),
    );
    snapshot.close();
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
});

test('what is no comparison with an inlined constant is no bound', () => {
  const variable = { kind: 'variable', name: 'v' } as const;
  assert.equal(boundOf(variable), null);
  assert.equal(boundOf({ kind: 'call', operator: '<', args: [variable, variable] }), null);
  assert.equal(boundOf({ kind: 'call', operator: '!=', args: [variable, variable] }), null);
});

test('rows that a range was counted for are not guessed to be less once more by the comparison that stays', async () => {
  const day = (at: number) =>
    `2008-${String(1 + Math.floor(at / 28)).padStart(2, '0')}-${String(1 + (at % 28)).padStart(2, '0')}`;
  const lines = Array.from(
    { length: 300 },
    (_, at) => `:e${at} :on "${day(at)}T12:00:00"^^xsd:dateTime ; :kind :k${at % 3} .`,
  );
  const snapshot = (await storeOf(lines.join('\n'))).snapshot();
  // Without a zone a time may lie on either side of one that has it, so that the comparison has to stay.
  const filter = `FILTER (?d >= "${day(100)}T06:00:00Z"^^xsd:dateTime)`;
  for (const [query, rows] of [
    [`SELECT * { ?e :on ?d ${filter} }`, 199],
    [`SELECT * { ?e :on ?d ; :kind ?k ${filter} }`, 199],
  ] as const) {
    const { plan } = await explain(snapshot, PREFIXES + query);
    assert.ok(Math.abs(plan.estimatedRows - rows) <= 20, `${plan.estimatedRows}, not ${rows}`);
    assert.equal((await answer(snapshot, query)).length, rows);
  }
});
