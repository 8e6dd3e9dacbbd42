/** Aggregates on small tables, and on random columns against sums and extremes found the plain way. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Aggregate, AggregateFunction } from '../../engine/query/algebra/algebra.js';
import { AggregateOperator } from '../../engine/query/execute/group/aggregate.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { type Literal, type Term, terms, XSD } from '../../engine/rdf/terms.js';
import {
  arithmetic,
  integerValue,
  isNumeric,
  literalOf,
  type NumericValue,
  orderTermsStrictly,
  parseValue,
  sameTerm,
} from '../../engine/rdf/values/index.js';
import { drain, RowsInput, termsOver } from './operator-support.js';
import { answer, show, storeOf } from './support.js';

const over = (values: string, select: string) => `SELECT ${select} { VALUES ?x { ${values} } }`;

async function assertAggregates(cases: readonly (readonly [values: string, select: string, expected: string])[]) {
  const snapshot = (await storeOf('')).snapshot();
  for (const [values, select, expected] of cases) {
    assert.deepEqual(await answer(snapshot, over(values, `(${select} AS ?r)`)), [expected], `${select} of ${values}`);
  }
}

test('without any row', async () => {
  await assertAggregates([
    ['', 'COUNT(*)', '0^integer'],
    ['', 'COUNT(?x)', '0^integer'],
    ['', 'SUM(?x)', '0^integer'],
    ['', 'AVG(?x)', '0^integer'],
    ['', 'MIN(?x)', '-'],
    ['', 'MAX(?x)', '-'],
    ['', 'SAMPLE(?x)', '-'],
    ['', 'GROUP_CONCAT(?x)', '""'],
  ]);
  const snapshot = (await storeOf('')).snapshot();
  assert.deepEqual(await answer(snapshot, 'SELECT ?x (SUM(?x) AS ?s) { VALUES ?x { } } GROUP BY ?x'), []);
});

test('sums and averages lose no digit and have the type that promotion gives', async () => {
  await assertAggregates([
    ['1 2 3', 'SUM(?x)', '6^integer'],
    ['9007199254740991 1 1', 'SUM(?x)', '9007199254740993^integer'],
    ['140737488355327 140737488355327 -1', 'SUM(?x)', '281474976710653^integer'],
    ['123456789012345678901234567890 -1', 'SUM(?x)', '123456789012345678901234567889^integer'],
    ['0.1 0.2 0.30', 'SUM(?x)', '0.6^decimal'],
    ['1 2.50', 'SUM(?x)', '3.5^decimal'],
    ['2.5 -2.5', 'SUM(?x)', '0^decimal'],
    ['123456789012.5 0.00000000000001', 'SUM(?x)', '123456789012.50000000000001^decimal'],
    ['90071992547409.91 0.001', 'SUM(?x)', '90071992547409.911^decimal'],
    ['1 0.5 1e0', 'SUM(?x)', '2.5E0^double'],
    ['1e0 0.5 1', 'SUM(?x)', '2.5E0^double'],
    ['1 "1.5"^^xsd:float 0.25', 'SUM(?x)', '2.75E0^float'],
    ['"1.5"^^xsd:float 1e0', 'SUM(?x)', '2.5E0^double'],
    ['"1"^^xsd:byte "2"^^xsd:long', 'SUM(?x)', '3^integer'],
    ['"01"^^xsd:integer 1', 'SUM(?x)', '2^integer'],
    ['1 "NaN"^^xsd:double', 'SUM(?x)', 'NaN^double'],
    ['1 "x"', 'SUM(?x)', '-'],
    ['"x" 1', 'SUM(?x)', '-'],
    ['1 UNDEF', 'SUM(?x)', '-'],
    ['1 "300"^^xsd:byte', 'SUM(?x)', '-'],
    ['1 1 2', 'AVG(?x)', '1.333333333333333333^decimal'],
    ['1 2 3', 'AVG(?x)', '2^decimal'],
    ['1e0 2', 'AVG(?x)', '1.5E0^double'],
    ['1 :a', 'AVG(?x)', '-'],
    ['1 1.0 1 2', 'SUM(DISTINCT ?x)', '4^decimal'],
    ['1 1 4', 'AVG(DISTINCT ?x)', '2.5^decimal'],
    ['1 2', 'SUM(?x * ?x)', '5^integer'],
  ]);
});

test('extremes follow the order of terms, whatever the sequence of rows', async () => {
  await assertAggregates([
    ['3 1 2', 'MIN(?x)', '1^integer'],
    ['3 10 2', 'MAX(?x)', '10^integer'],
    ['"b" "a" "B"', 'MIN(?x)', '"B"'],
    ['1 :a "s"', 'MIN(?x)', ':a'],
    ['1 :a "s"', 'MAX(?x)', '"s"'],
    ['1 1.5 1.2e0', 'MAX(?x)', '1.5^decimal'],
    ['0.1 0.1e0', 'MIN(?x)', '0.1^decimal'],
    ['0.1e0 0.1', 'MIN(?x)', '0.1^decimal'],
    ['1.0 1 01', 'MIN(?x)', '1.0^decimal'],
    ['01 1 1.0', 'MIN(?x)', '1.0^decimal'],
    ['"2020-01-02"^^xsd:date "2020-01-01"^^xsd:date', 'MIN(?x)', '2020-01-01^date'],
    [
      '"2020-01-01T00:00:00Z"^^xsd:dateTime "2020-01-01T00:00:00.5Z"^^xsd:dateTime',
      'MAX(?x)',
      '2020-01-01T00:00:00.5Z^dateTime',
    ],
    ['1 UNDEF', 'MIN(?x)', '-'],
    ['UNDEF 1', 'MAX(?x)', '-'],
    ['2 2 1', 'MAX(DISTINCT ?x)', '2^integer'],
  ]);
});

test('counts, samples and joined texts', async () => {
  await assertAggregates([
    ['1 UNDEF 1', 'COUNT(*)', '3^integer'],
    ['1 UNDEF 1', 'COUNT(?x)', '2^integer'],
    ['1 UNDEF 1 1.0', 'COUNT(DISTINCT ?x)', '2^integer'],
    ['1 UNDEF 1 UNDEF', 'COUNT(DISTINCT *)', '2^integer'],
    ['UNDEF 2 3', 'SAMPLE(?x)', '2^integer'],
    ['UNDEF', 'SAMPLE(?x)', '-'],
    ['1 "b"@en :c 1', 'GROUP_CONCAT(?x)', '"1 b http://example.org/c 1"'],
    ['1 2 1', 'GROUP_CONCAT(DISTINCT ?x; SEPARATOR=", ")', '"1, 2"'],
    ['"" ""', 'GROUP_CONCAT(?x; SEPARATOR="")', '""'],
    ['"" ""', 'GROUP_CONCAT(?x; SEPARATOR="-")', '"-"'],
    ['1 UNDEF', 'GROUP_CONCAT(?x)', '-'],
  ]);
  const snapshot = (await storeOf('')).snapshot();
  const errors =
    'SELECT (COUNT(1/?x) AS ?n) (SUM(COALESCE(1/?x, 0)) AS ?s) (GROUP_CONCAT(BNODE()) AS ?g) { VALUES ?x { 0 2 } }';
  assert.deepEqual(await answer(snapshot, errors), ['1^integer 0.5^decimal -']);
});

test('groups keep their results apart, in HAVING and ORDER BY too', async () => {
  const snapshot = (await storeOf(':a :p 1, 2, 3 . :b :p 10.5 . :c :p "x", 1 .')).snapshot();
  const text = `SELECT ?s (SUM(?o) AS ?sum) (MAX(?o) AS ?max) (COUNT(?o) AS ?n) (AVG(?o) + 1 AS ?more)
    { ?s :p ?o } GROUP BY ?s HAVING(COUNT(?o) < 10) ORDER BY DESC(SUM(?o)) ?s`;
  assert.deepEqual(await answer(snapshot, text), [
    ':b 10.5^decimal 10.5^decimal 1^integer 11.5^decimal',
    ':a 6^integer 3^integer 3^integer 3^decimal',
    ':c - "x" 2^integer -',
  ]);
});

const POOL: readonly Term[] = [
  ...['0', '1', '-7', '140737488355327', '9007199254740993', '1234567890123456789012345'].map((text) =>
    typed(text, 'integer'),
  ),
  ...['0.1', '0.25', '-3.50', '99999999999.99', '0.000000000000000001', '7.0'].map((text) => typed(text, 'decimal')),
  typed('3', 'byte'),
  typed('007', 'integer'),
];
const SPECIAL: readonly Term[] = [
  typed('1.5', 'double'),
  typed('1e300', 'double'),
  typed('2.5', 'float'),
  terms.literal('text'),
  terms.namedNode('http://example.org/x'),
  typed('2020-01-01', 'date'),
  typed('2020-01-01Z', 'date'),
];

function typed(text: string, type: string): Literal {
  return terms.literal(text, terms.namedNode(XSD + type));
}

test('random columns in groups: what the plain way gives', () => {
  for (const special of [[], SPECIAL]) {
    const pool = [...POOL, ...special];
    const rows = 4500;
    const groups = 7;
    let seed = 12345;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const picks = Array.from({ length: rows }, () => ({
      group: random(groups),
      // Texts are rare, so that some groups of the second round stay numeric as well.
      term: pool[random(random(40) === 0 ? pool.length : POOL.length)] as Term,
    }));
    for (const name of ['sum', 'avg', 'min', 'max', 'count'] as const) {
      for (const distinct of [false, true]) {
        const found = aggregated(picks, name, distinct);
        for (let group = 0; group < groups; group++) {
          const values = picks.filter((pick) => pick.group === group).map(({ term }) => term);
          const expected = plainly(distinct ? withoutRepeats(values) : values, name);
          assert.equal(show(found.get(group)), show(expected), `${name} ${distinct} in ${group}`);
        }
      }
    }
  }
});

interface Pick {
  readonly group: number;
  readonly term: Term;
}

function aggregated(picks: readonly Pick[], name: AggregateFunction, distinct: boolean): Map<number, Term | undefined> {
  const budget = new MemoryBudget(2 ** 28);
  const dictionary = termsOver(budget);
  const ids = picks.map(({ group, term }) => [
    dictionary.encode(typed(String(group), 'integer')),
    dictionary.encode(term),
  ]);
  const input = new RowsInput(['g', 'x'], picks.length, (row, column) => (ids[row] as bigint[])[column] as bigint);
  const aggregate: Aggregate = {
    variable: 'r',
    function: name,
    distinct,
    expression: { kind: 'variable', name: 'x' },
    separator: null,
  };
  const before = budget.usedBytes;
  const operator = new AggregateOperator(
    input,
    { keys: ['g'], aggregates: [aggregate], sorted: false },
    dictionary,
    budget,
  );
  const found = new Map<number, Term | undefined>();
  drain(operator, (batch) => {
    const [keys, results] = batch.columns.map((column) => dictionary.decode(column, batch.rows));
    for (let row = 0; row < batch.rows; row++) found.set(Number(keys?.[row]?.value), results?.[row]);
  });
  // What is left are the terms of the results, which live as long as the query.
  assert.ok(budget.usedBytes - before < 10_000, `${name}: ${budget.usedBytes - before} bytes are still counted`);
  return found;
}

function plainly(values: readonly Term[], name: 'sum' | 'avg' | 'min' | 'max' | 'count'): Term | undefined {
  if (name === 'count') return typed(String(values.length), 'integer');
  if (name === 'min' || name === 'max') {
    const sorted = [...values].sort(orderTermsStrictly);
    return name === 'min' ? sorted[0] : sorted.at(-1);
  }
  let sum: NumericValue | null = integerValue(0);
  for (const term of values) {
    const value = term.termType === 'Literal' ? parseValue(term) : null;
    sum = sum !== null && value !== null && isNumeric(value) ? arithmetic('+', sum, value) : null;
  }
  if (sum === null) return undefined;
  return literalOf(name === 'sum' ? sum : (arithmetic('/', sum, integerValue(values.length)) as NumericValue));
}

function withoutRepeats(values: readonly Term[]): Term[] {
  const kept: Term[] = [];
  for (const value of values) if (!kept.some((other) => sameTerm(other, value))) kept.push(value);
  return kept;
}
