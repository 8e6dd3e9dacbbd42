/**
 * EXISTS and NOT EXISTS whose partners are found by the order of a value: the answers are those of the naive evaluator and of
 * testing each pair, few pairs are tested, and what does not fit into memory goes by way of the disk.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Expression } from '../../engine/query/algebra/algebra.js';
import { HashSemiJoinOperator } from '../../engine/query/execute/join/hash-semi-join.js';
import type { RangePredicates } from '../../engine/query/execute/range-join/range-index.js';
import { type ExplainNode, explain } from '../../engine/query/query.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { integerId } from '../../engine/storage/ids/inline.js';
import { TAG } from '../../engine/storage/ids/layout.js';
import { libraryReader } from '../conformance/readers.js';
import { canonical } from './differential/compare.js';
import { memoryEngine, naiveEngine, type Outcome, smallBatchEngine } from './differential/engines.js';
import { RowsInput, rowsOf, termsOver } from './operator-support.js';
import { PREFIXES, storeOf } from './support.js';

/** Values that are equal, near each other, or do not compare, in many ways to write them. */
const VALUES =
  `1 2.5 2.50 3e0 3.0e0 "1"^^xsd:float "2.5"^^xsd:float 16777217 "16777216"^^xsd:float 16777216 "01"^^xsd:integer
"NaN"^^xsd:double "INF"^^xsd:double "-INF"^^xsd:float "-0"^^xsd:double 0 "12"^^xsd:unsignedByte "300"^^xsd:byte
99999999999999999999 99999999999999999998 0.333333333333333333 0.3333333333333333 "abc" "abd"@en "abd" "ABD" "b"^^:t "b"^^:u
:iri _:b "2020-01-02"^^xsd:date "2020-01-02Z"^^xsd:date "2020-01-01+10:00"^^xsd:date "2020-01-01T10:00:00Z"^^xsd:dateTime
"2020-01-01T10:00:00"^^xsd:dateTime "2020-01-01T10:00:00.5+02:00"^^xsd:dateTime "2020-01-01T10:00:00.500Z"^^xsd:dateTime
"2020-01-01T10:00:00.5004Z"^^xsd:dateTime "2020-01-03T23:00:00"^^xsd:dateTime true false "1"^^xsd:boolean
"2020"^^xsd:gYear "2021"^^xsd:gYear "bad"^^xsd:integer`.split(/\s+/);

/** Half of the objects have numbers alone, so that keys are of one kind, and of many. */
const TEXT = Array.from({ length: 60 }, (_, at) => {
  const value = VALUES[(at * 7) % (at % 4 < 2 ? 21 : VALUES.length)];
  const other = at % 4 === 0 ? '' : `; :n ${at % 9}`;
  const more = at % 3 === 0 ? '' : `; :w ${VALUES[(at * 11) % VALUES.length]}`;
  return `:o${at} :of :s${at % 4} ; :v ${value} ${other} ${more} .`;
}).join('\n');

const CONDITIONS = [
  '?x > ?y && ?x < ?y + 3',
  '?x >= ?y && ?x <= ?y && ?p != ?o',
  '?x > ?y / 3 && ?y * 1.5 > ?x',
  '?x > xsd:float(?y) && ?x <= ?y + 1',
  '?x = ?y && ?p != ?o',
  '?x = ?n',
  '?x = ?y + 1',
  '?x = xsd:double(?y)',
  '?x = xsd:float(?y)',
  'STR(?x) = STR(?y) && ?x != ?y',
  'LCASE(STR(?x)) = LCASE(STR(?y)) && ?p != ?o',
  'LCASE(?x) = LCASE(?y) && ?p != ?o',
  'DATATYPE(?x) = DATATYPE(?y) && ?x != ?y',
  'LANG(?x) = LANG(?y) && ?x < ?y',
  'IRI(CONCAT("http://example.org/o", STR(?n))) = ?p',
  '?x > ?y && ?x > ?n && ?p != ?o',
  '?x < COALESCE(?n, ?y) && ?x > 0',
  'xsd:integer(?x) = ?n',
];

const naive = naiveEngine();
const engines = [memoryEngine(), smallBatchEngine()];
const document = PREFIXES.replaceAll('PREFIX', '@prefix').replaceAll('>\n', '> .\n') + TEXT;
const quads = await libraryReader.parse(new TextEncoder().encode(document), 'trig', 'http://example.org/');
for (const engine of [naive, ...engines]) await engine.fill(quads);

after(async () => {
  for (const engine of engines) await engine.close();
});

async function rowsIn(outcome: Outcome): Promise<string[]> {
  assert.ok(outcome.kind === 'answer', JSON.stringify(outcome));
  return (await canonical(outcome.answer, { byValue: false })).toSorted();
}

test('the answers are those of the naive evaluator', async () => {
  const row = '?o :of ?s ; :v ?y OPTIONAL { ?o :n ?n }';
  for (const [at, condition] of CONDITIONS.entries()) {
    const key = at % 3 === 0 ? '?p :v ?x' : '?p :of ?s ; :w ?x';
    // EXISTS and NOT EXISTS are each other's rest.
    const text = `${PREFIXES}SELECT * { ${row} FILTER ${at % 2 === 0 ? 'NOT ' : ''}EXISTS { ${key} FILTER(${condition}) } }`;
    const expected = await rowsIn(await naive.query(text));
    for (const engine of engines) {
      for (const disabledRewrites of [['compared-exists'], ['row-by-row']]) {
        const rows = await rowsIn(await engine.query(text, { disabledRewrites }));
        assert.deepEqual(rows, expected, `${engine.name} without ${disabledRewrites}: ${text}`);
      }
    }
  }
});

test('a comparison of something computed, and one without a shared key, are found by sorted values', async () => {
  const rows = Array.from({ length: 4000 }, (_, at) => `:o${at} :of :s${at % 3} ; :v ${at} ; :l "A${at % 900}" .`);
  const snapshot = (await storeOf(rows.join('\n'))).snapshot();
  for (const [pattern, found] of [
    ['?p :of ?s ; :v ?x FILTER(?x > ?y && ?x < ?y + 4)', 3],
    ['?p :v ?x FILTER(?x = ?y + 1)', 1],
    ['?p :l ?m FILTER(LCASE(?m) = LCASE(?l) && ?p != ?o)', 0],
    ['?p :v ?x FILTER(?x > ?y)', 1],
  ] as const) {
    const text = `${PREFIXES}SELECT ?o { ?o :of ?s ; :v ?y ; :l ?l FILTER NOT EXISTS { ${pattern} } }`;
    const { plan, rows: left } = await explain(snapshot, text, { analyze: true });
    const join = nodesOf(plan).find(({ operator }) => operator === 'hashSemiJoin');
    assert.match(join?.detail ?? '', /, by sorted /, pattern);
    assert.equal(left, found, pattern);
  }
});

test('what is evaluated anew each time is compared pair by pair', async () => {
  const rows = Array.from({ length: 300 }, (_, at) => `:o${at} :of :s ; :v ${at} .`);
  const snapshot = (await storeOf(rows.join('\n'))).snapshot();
  const text = `${PREFIXES}SELECT ?o { ?o :of ?s ; :v ?y FILTER NOT EXISTS { ?p :of ?s ; :v ?x FILTER(?x = ?y + RAND()) } }`;
  const { plan } = await explain(snapshot, text);
  assert.ok(nodesOf(plan).every(({ detail }) => !detail.includes('by sorted')));
});

function nodesOf(node: ExplainNode): ExplainNode[] {
  return [node, ...node.inputs.flatMap(nodesOf)];
}

const KEYS = 4;
const ROWS = 20_000;
const keyId = (key: number) => (BigInt(TAG.iri) << 56n) + BigInt(key + 1);
const timeOf = (row: number) => (row * 7919 + ((row * row) % 331)) % 1_000_003;
const variable = (name: string): Expression => ({ kind: 'variable', name });
const call = (operator: '>' | '<' | '&&' | '!' | 'sameterm', ...args: Expression[]): Expression => ({
  kind: 'call',
  operator,
  args,
});
const between = call('&&', call('>', variable('u'), variable('t')), call('<', variable('u'), variable('to')));
const other = call('!', call('sameterm', variable('u'), variable('t')));
const range: RangePredicates = {
  value: 'u',
  bounds: [
    { operator: '>', variable: 't' },
    { operator: '<', variable: 'to' },
  ],
  whole: true,
};
const WIDTH = 200;

/** Rows that ask for a value within `WIDTH` above their own, by the values of their key in order. */
function expectedCount(): number {
  let count = 0;
  for (let key = 0; key < KEYS; key++) {
    const values: number[] = [];
    for (let row = key; row < ROWS; row += KEYS) values.push(timeOf(row));
    values.sort((a, b) => a - b);
    count += values.filter((value, at) => (values[at + 1] ?? Number.POSITIVE_INFINITY) < value + WIDTH).length;
  }
  return count;
}

function joinOf(budget: MemoryBudget, expression: Expression, spec: RangePredicates | null): HashSemiJoinOperator {
  const probe = new RowsInput(['k', 't', 'to'], ROWS, (row, column) =>
    column === 0 ? keyId(row % KEYS) : (integerId(timeOf(row) + (column === 1 ? 0 : WIDTH)) as bigint),
  );
  const partners = new RowsInput(['k', 'u'], ROWS, (row, column) =>
    column === 0 ? keyId(row % KEYS) : (integerId(timeOf(row)) as bigint),
  );
  const condition = { expression, terms: termsOver(budget), range: spec };
  const keys = { certain: ['k'], loose: [] };
  return new HashSemiJoinOperator(probe, partners, keys, false, budget, undefined, undefined, condition);
}

test('pairs that are tested grow with the rows, not with their square', () => {
  const expected = expectedCount();
  assert.ok(expected > 1000 && expected < ROWS - 1000);
  // Nothing is tested where exact numbers tell all, and what they leave where there is more to meet.
  for (const [expression, spec, most] of [
    [between, range, 0],
    [call('&&', between, other), { ...range, whole: false }, 2 * ROWS],
  ] as const) {
    const budget = new MemoryBudget(64e6);
    const join = joinOf(budget, expression, spec);
    assert.equal(rowsOf(join).length, expected);
    assert.ok(join.pairsTested <= most, `${join.pairsTested} pairs`);
    assert.equal(budget.usedBytes, 0);
  }
});

test('a row that many partners would do for is tested with few', () => {
  const join = joinOf(new MemoryBudget(64e6), other, null);
  assert.equal(rowsOf(join).length, ROWS);
  assert.ok(join.pairsTested <= 3 * ROWS, `${join.pairsTested} pairs`);
});

test('partners that do not fit into memory', () => {
  const budget = new MemoryBudget(1e6);
  assert.equal(rowsOf(joinOf(budget, between, range)).length, expectedCount());
  assert.ok(budget.spill.writtenBytes > 0);
  assert.equal(budget.usedBytes, 0);
});
