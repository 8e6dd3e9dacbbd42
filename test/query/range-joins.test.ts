/** Parts that only comparisons connect are joined by sorted values: the answers are those of comparing all pairs. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ExplainNode, explain } from '../../engine/query/query.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { libraryReader } from '../conformance/readers.js';
import { canonical } from './differential/compare.js';
import { memoryEngine, naiveEngine, type Outcome, smallBatchEngine } from './differential/engines.js';
import { PREFIXES, storeOf } from './support.js';

/** Values of many kinds; some are equal and not the same term, some compare with nothing. */
const VALUES = [
  ...[
    '1',
    '1.0',
    '1e0',
    '"1"^^xsd:float',
    '2',
    '2.50',
    '2.5',
    '"2.5"^^xsd:double',
    '99999999999999999999',
    '"x"^^xsd:integer',
  ],
  ...[
    '"NaN"^^xsd:double',
    '"INF"^^xsd:double',
    '"1"',
    '"a"',
    '"A"',
    '"a"@en',
    '"a"@EN',
    ':iri',
    '_:b',
    'true',
    '"1"^^xsd:boolean',
  ],
  ...['"2020-01-02"^^xsd:date', '"2020-01-02Z"^^xsd:date', '"2020-01-01T10:00:00Z"^^xsd:dateTime'],
  ...['"2020-01-01T12:00:00+02:00"^^xsd:dateTime', '"2020-01-01T10:00:00"^^xsd:dateTime', '"2020"^^xsd:gYear'],
  ...[
    '"2020Z"^^xsd:gYear',
    '"2021"^^xsd:gYear',
    '"2020-01"^^xsd:gYearMonth',
    '"2020-02"^^xsd:gYearMonth',
    '"--01-02"^^xsd:gMonthDay',
  ],
  ...[
    '"10:00:00"^^xsd:time',
    '"10:00:00.0"^^xsd:time',
    '"10:00:00Z"^^xsd:time',
    '"P1Y"^^xsd:duration',
    '"P12M"^^xsd:yearMonthDuration',
  ],
  ...['"P1M"^^xsd:duration', '"P30D"^^xsd:dayTimeDuration', '"PT24H"^^xsd:dayTimeDuration', '"P1D"^^xsd:duration'],
  // One is shorter than every month, one longer.
  ...['"P27D"^^xsd:dayTimeDuration', '"P32D"^^xsd:dayTimeDuration', '"P1MT1S"^^xsd:duration', '"-P1M"^^xsd:duration'],
  ...[
    '"P400Y"^^xsd:duration',
    '"P146097D"^^xsd:dayTimeDuration',
    '"z"^^:t',
    '"y"^^:t',
    '"---05"^^xsd:gDay',
    '"--05"^^xsd:gMonth',
  ],
];
const DATA = VALUES.map(
  (value, at) => `:p${at} :l ${value} ; :in :t${at % 3} . :q${at} :m ${value} ; :of :t${at % 4} .`,
).join('\n');

const COMPARISONS = [
  '?a = ?b',
  '?a < ?b',
  '?b >= ?a',
  '?a = ?b + 1',
  '?a > ?b && ?a <= ?b + 1',
  'STRLEN(STR(?a)) = STRLEN(STR(?b))',
];
const QUERIES = COMPARISONS.flatMap((comparison) => [
  `SELECT * { ?p :l ?a . ?q :m ?b FILTER(${comparison}) }`,
  `SELECT * { ?p :l ?a ; :in ?t . ?q :m ?b ; :of ?t FILTER(${comparison}) }`,
  `SELECT * { ?p :l ?a ; :in :t1 OPTIONAL { ?q :m ?b FILTER(${comparison}) } }`,
  `SELECT * { ?p :l ?a ; :in ?t OPTIONAL { ?q :m ?b ; :of ?t FILTER(${comparison} && ?p != ?q) } }`,
  `SELECT ?p ?q { ?p :l ?x BIND(?x AS ?a) ?q :m ?y BIND(?y AS ?b) FILTER(${comparison}) }`,
  `ASK { ?p :l ?a ; :in :t2 . ?q :m ?b FILTER(${comparison}) FILTER EXISTS { ?p :in ?t . ?q :of ?t } }`,
]);
QUERIES.push(
  'SELECT * { ?p :l ?a . ?q :m ?b . :p2 :in ?t FILTER(?a = ?b && ?p != ?q && STR(?t) < STR(?q)) }',
  'SELECT * { ?p :in ?t OPTIONAL { ?p :l ?a FILTER(?a > 1) } ?q :m ?b FILTER(?a = ?b) }',
  // Two names of one variable.
  'SELECT * { ?p :l ?a . ?q :m ?b FILTER(sameTerm(?a, ?b)) }',
  'SELECT * { ?p :l ?a . ?q :m ?b FILTER(?a = ?q) }',
  'SELECT * { ?p :l ?a . ?q :of ?u FILTER(?p = ?u || ?q = ?a) FILTER(?a = ?b || ?p = ?p) }',
  'SELECT * { ?p :in ?t . ?q :of ?u . ?r :l 1 FILTER(?q = ?r && ?t = ?u) }',
  'SELECT * { ?p :l ?a MINUS { ?p :in ?b } ?q :m ?b FILTER(sameTerm(?a, ?b) && ?p != ?q) }',
  'SELECT * { ?p :l ?a { SELECT ?b (COUNT(*) AS ?n) { ?q :m ?b } GROUP BY ?b } FILTER(sameTerm(?a, ?b)) }',
  'SELECT * { ?p :l ?a ; :in ?t . ?q :m ?b ; :of ?u FILTER(sameTerm(?a, ?b) && sameTerm(?t, ?u) && STR(?b) != STR(?p)) }',
  'SELECT * { ?p :in ?a . ?p :in ?b FILTER(sameTerm(?a, ?b)) }',
  'SELECT ?p ?b { ?p :l ?a . ?q :m ?b FILTER(sameTerm(?a, ?b)) FILTER NOT EXISTS { ?q :of ?t . ?p :in ?t } }',
  'SELECT * { ?p :l ?a OPTIONAL { ?p :in ?b } FILTER(sameTerm(?a, ?b) || !BOUND(?b)) ?q :m ?c FILTER(sameTerm(?c, ?a)) }',
);

const WAYS = [
  [],
  ['unify-variables'],
  ['hash-joins'],
  ['hash-joins', 'row-by-row'],
  ['range-joins'],
  ['early-filters'],
];

const naive = naiveEngine();
const engines = [memoryEngine(), smallBatchEngine()];
const document = PREFIXES.replaceAll('PREFIX', '@prefix').replaceAll('>\n', '> .\n') + DATA;
const quads = await libraryReader.parse(new TextEncoder().encode(document), 'trig', 'http://example.org/');
for (const engine of [naive, ...engines]) await engine.fill(quads);

after(async () => {
  for (const engine of engines) await engine.close();
});

async function rowsOf(outcome: Outcome): Promise<string[]> {
  assert.ok(outcome.kind === 'answer', JSON.stringify(outcome));
  return (await canonical(outcome.answer, { byValue: false })).toSorted();
}

for (const query of QUERIES) {
  test(query, async () => {
    const text = PREFIXES + query;
    const expected = await rowsOf(await naive.query(text));
    for (const engine of engines) {
      for (const disabledRewrites of WAYS) {
        const rows = await rowsOf(await engine.query(text, { disabledRewrites }));
        assert.deepEqual(rows, expected, `${engine.name} without ${disabledRewrites}`);
      }
    }
  });
}

const THINGS = 3000;
const many = (
  await storeOf(
    Array.from(
      { length: THINGS },
      (_, at) =>
        `:p${at} :l ${at % 2 === 0 ? at : `${at}.0`} ; :y "${1000 + at}"^^xsd:gYear ; :d "PT${at}S"^^xsd:dayTimeDuration . ` +
        `:q${at} :m ${at + 1500}e0 ; :z "${2500 + at}"^^xsd:gYear ; :e "PT${at + 1500}S"^^xsd:duration .`,
    ).join('\n'),
  )
).snapshot();

/** Rows that the operators of a plan make, at most. */
async function work(
  snapshot: StorageSnapshot,
  query: string,
): Promise<{ rows: number; most: number; kinds: string[] }> {
  const { plan, rows } = await explain(snapshot, PREFIXES + query, { analyze: true });
  const nodes = nodesOf(plan);
  return {
    rows: rows as number,
    most: Math.max(...nodes.map(({ actual }) => actual?.rows ?? 0)),
    kinds: nodes.map(({ operator }) => operator),
  };
}

function nodesOf(node: ExplainNode): ExplainNode[] {
  return [node, ...node.inputs.flatMap(nodesOf)];
}

for (const [query, expected, operator] of [
  ['SELECT ?p ?q { ?p :l ?a . ?q :m ?b FILTER(?a = ?b) }', 1500, 'rangeJoin'],
  ['SELECT ?p ?q { ?p :l ?a . ?q :m ?b FILTER(?a = ?b + 1) }', 1499, 'rangeJoin'],
  ['SELECT ?p ?q { ?p :l ?a . ?q :m ?b FILTER(?a > ?b - 1 && ?a < ?b + 1) }', 1500, 'rangeJoin'],
  ['SELECT ?p ?q { ?p :y ?a . ?q :z ?b FILTER(?a = ?b) }', 1500, 'rangeJoin'],
  ['SELECT ?p ?q { ?p :d ?a . ?q :e ?b FILTER(?a = ?b) }', 1500, 'rangeJoin'],
  ['SELECT ?p ?q { ?p :l ?a BIND(?a + 1 AS ?c) ?q :m ?b FILTER(?c = ?b) }', 1501, 'rangeJoin'],
  ['SELECT ?p ?q { ?p :l ?a OPTIONAL { ?q :m ?b FILTER(?a = ?b) } }', 3000, 'hashLeftJoin'],
] as const) {
  test(`the rows that are made grow with those that match: ${query}`, async () => {
    const { rows, most, kinds } = await work(many, query);
    assert.equal(rows, expected);
    assert.ok(most <= THINGS, String(most));
    assert.ok(kinds.includes(operator), kinds.join(' '));
  });
}
