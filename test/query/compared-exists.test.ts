/**
 * NOT EXISTS and EXISTS whose pattern is compared with the row, and OPTIONAL that is asked for rows without a match: the
 * answers are those of asking row by row, and no row is made for each pair of rows that share a key.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MinMaxPrefilterOperator } from '../../engine/query/execute/range-join/min-max-prefilter.js';
import { type ExplainNode, explain } from '../../engine/query/query.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { integerId } from '../../engine/storage/ids/inline.js';
import { TAG } from '../../engine/storage/ids/layout.js';
import type { IdColumn } from '../../engine/storage/seam/scan.js';
import { drain, RowsInput } from './operator-support.js';
import { PREFIXES, sortedAnswer, storeOf } from './support.js';

const SENSORS = 4;
const VALUES = 2500;
const PLAIN = { disabledRewrites: ['compared-exists', 'absent-optionals'] };

function nodesOf(node: ExplainNode): ExplainNode[] {
  return [node, ...node.inputs.flatMap(nodesOf)];
}

/** Values of many kinds, some that do not compare with each other; each sensor has one of the greatest twice. */
const kinds = [
  '1',
  '2.5',
  '2.50',
  '3e0',
  '"NaN"^^xsd:double',
  '"INF"^^xsd:double',
  '"-0"^^xsd:double',
  '"7"^^xsd:float',
  '"12"^^xsd:unsignedByte',
  '99999999999999999999',
  '"abc"',
  '"abd"@en',
  '"abd"',
  ':iri',
  '_:b',
  '"2020-01-02"^^xsd:date',
  '"2020-01-02Z"^^xsd:date',
  '"2020-01-01T10:00:00Z"^^xsd:dateTime',
  '"2020-01-01T10:00:00"^^xsd:dateTime',
  '"2020-01-01T10:00:00.5+02:00"^^xsd:dateTime',
  '"2020-01-01T23:00:00"^^xsd:dateTime',
  'true',
  'false',
];
const mixed = (
  await storeOf(
    Array.from({ length: 90 }, (_, at) => {
      const value = kinds[(at * 7) % kinds.length];
      const other = at % 4 === 0 ? '' : `; :size ${at % 11}`;
      return `:o${at} :of :s${at % 5} ; :value ${value} ${other} .`;
    }).join('\n'),
  )
).snapshot();

const QUERIES = ['>', '<', '>=', '<='].flatMap((operator) => [
  `SELECT * { ?o :of ?s ; :value ?v FILTER NOT EXISTS { ?p :of ?s ; :value ?w FILTER(?w ${operator} ?v) } }`,
  `SELECT * { ?o :of ?s ; :value ?v FILTER EXISTS { ?p :of ?s ; :value ?w FILTER(?v ${operator} ?w) } }`,
  `SELECT * { ?o :of ?s ; :size ?v FILTER NOT EXISTS { ?p :of ?s ; :value ?w FILTER(?w ${operator} ?v + 1) } }`,
  `SELECT * { ?o :of ?s ; :size ?v FILTER NOT EXISTS { ?p :of ?s ; :size ?w FILTER(?w ${operator} ?v && ?p != ?o) } }`,
  `SELECT * { ?o :of ?s OPTIONAL { ?o :size ?v } FILTER EXISTS { ?p :of ?s ; :size ?w FILTER(?w ${operator} ?v) } }`,
  `SELECT * { ?o :of ?s ; :value ?v OPTIONAL { ?p :of ?s ; :value ?w FILTER(?w ${operator} ?v) } FILTER(!BOUND(?p)) }`,
  `SELECT * { ?o :of ?s ; :size ?v OPTIONAL { ?p :of ?s ; :size ?w FILTER(?w ${operator} ?v) } FILTER(!BOUND(?w) && ?v > 2) }`,
]);
QUERIES.push(
  'SELECT * { ?o :of ?s OPTIONAL { ?o :size ?v } FILTER(!BOUND(?v)) }',
  'SELECT * { ?o :of ?s OPTIONAL { ?o :size ?v } OPTIONAL { ?o :value ?w FILTER(?w > 1) } FILTER(!BOUND(?v)) }',
  'SELECT * { ?o :of ?s OPTIONAL { ?o :size ?v } OPTIONAL { ?o :value ?w FILTER(?w > ?v) } FILTER(!BOUND(?v)) }',
  'SELECT * { ?o :of ?s OPTIONAL { ?o :size ?v } OPTIONAL { ?p :size ?v ; :of :s1 } FILTER(!BOUND(?p)) }',
  'SELECT * { ?o :of ?s OPTIONAL { ?o :size ?v FILTER(?v > 3) } FILTER(!BOUND(?v) || ?s = :s1) }',
  'SELECT * { { ?o :of :s1 OPTIONAL { ?o :size ?v } FILTER(!BOUND(?v)) } ?p :size ?v }',
  'SELECT (COUNT(?v) AS ?n) (COUNT(*) AS ?m) { ?o :of ?s OPTIONAL { ?o :size ?v } FILTER(!BOUND(?v)) }',
  'SELECT * { ?a :of :s1 FILTER NOT EXISTS { ?a :of ?s OPTIONAL { ?a :size ?v } FILTER(!BOUND(?v)) } }',
  'SELECT * { VALUES (?s ?v) { (:s1 UNDEF) (:s2 5) } FILTER NOT EXISTS { ?o :of ?s ; :size ?w FILTER(?w > ?v) } }',
  'SELECT * { ?o :size ?v OPTIONAL { ?p :size ?v FILTER(?p != ?o) } OPTIONAL { ?p :value ?w } FILTER(!BOUND(?w)) }',
);

test('the answers are those of asking row by row', async () => {
  for (const query of QUERIES) {
    const expected = await sortedAnswer(mixed, query, PLAIN);
    assert.deepEqual(await sortedAnswer(mixed, query), expected, query);
    assert.deepEqual(await sortedAnswer(mixed, query, { disabledRewrites: ['row-by-row'] }), expected, query);
  }
});

test('rows with more partners than are tried at once, under several conditions', async () => {
  const facts = Array.from({ length: 600 }, (_, at) => `:o${at} :of :s${at % 2} ; :time ${(at * 37) % 301} .`);
  const snapshot = (await storeOf(facts.join('\n'))).snapshot();
  const between = '?p :of ?s ; :time ?u FILTER(?u > ?t && ?u < ?t + 3)';
  for (const query of [
    `SELECT * { ?o :of ?s ; :time ?t FILTER NOT EXISTS { ${between} } }`,
    `SELECT * { ?o :of ?s ; :time ?t FILTER EXISTS { ${between} } }`,
    `SELECT * { ?o :of ?s ; :time ?t OPTIONAL { ${between} } FILTER(!BOUND(?u)) }`,
  ]) {
    const expected = await sortedAnswer(snapshot, query, PLAIN);
    assert.ok(expected.length > 0 && expected.length < 600, `${expected.length} rows`);
    assert.deepEqual(await sortedAnswer(snapshot, query, { disabledRewrites: ['row-by-row'] }), expected, query);
  }
});

test('the last values of sensors take work that grows with the values, not with their square', async () => {
  const facts = Array.from(
    { length: SENSORS * VALUES },
    (_, at) => `:o${at} :of :s${at % SENSORS} ; :time ${(at * 7919) % 99991} .`,
  );
  const snapshot = (await storeOf(facts.join('\n'))).snapshot();
  const later = '?p :of ?s ; :time ?u FILTER(?u > ?t)';
  for (const query of [
    `SELECT ?s ?t { ?o :of ?s ; :time ?t FILTER NOT EXISTS { ${later} } }`,
    `SELECT ?s ?t { ?o :of ?s ; :time ?t OPTIONAL { ${later} } FILTER(!BOUND(?p)) }`,
  ]) {
    const { plan, rows, memory } = await explain(snapshot, PREFIXES + query, { analyze: true });
    assert.equal(rows, SENSORS);
    const made = Math.max(...nodesOf(plan).map(({ actual }) => actual?.rows ?? 0));
    assert.ok(made <= SENSORS * VALUES, `${made} rows of one operator`);
    assert.ok(nodesOf(plan).some(({ operator, actual }) => operator === 'extremes' && actual?.rows === SENSORS));
    assert.ok((memory?.peakBytes ?? 0) < 4e6, `${memory?.peakBytes} bytes`);
  }
});

test('a pattern is asked once for a variable that several parts bind', async () => {
  const facts = Array.from(
    { length: 300 },
    (_, at) => `:o${at} :of :s${at % 9} ; :time ${at} ; :near :o${(at * 7) % 301} .`,
  );
  const snapshot = (await storeOf(facts.join('\n'))).snapshot();
  const query = 'SELECT ?o { :o1 :near* ?o . :o5 :near* ?o FILTER NOT EXISTS { ?q :near ?o ; :of :s4 } }';
  const { plan } = await explain(snapshot, PREFIXES + query);
  assert.equal(nodesOf(plan).filter(({ detail }) => detail.startsWith('NOT EXISTS')).length, 1);
  const expected = await sortedAnswer(snapshot, query, { disabledRewrites: ['early-filters'] });
  assert.deepEqual(await sortedAnswer(snapshot, query), expected);
});

test('of each key the greatest value, of more keys than are kept at once; values without an order all come', () => {
  const keys = 140_000;
  const rows = 2 * keys + 10;
  const unordered = (at: number): bigint => (BigInt(TAG.iri) << 56n) + BigInt(at);
  const idAt = (row: number, column: number): bigint => {
    if (column === 0) return unordered(row % keys);
    return row < 2 * keys ? (integerId(row) as bigint) : unordered(row);
  };
  const spec = { keys: ['key'], value: 'value', greatest: true };
  for (const budget of [new MemoryBudget(64e6), new MemoryBudget(2e6)]) {
    const best = new Map<bigint, bigint>();
    const others: bigint[] = [];
    drain(
      new MinMaxPrefilterOperator(new RowsInput(['key', 'value'], rows, idAt), spec, budget),
      ({ rows: count, columns }) => {
        const [key, value] = columns as [IdColumn, IdColumn];
        for (let row = 0; row < count; row++) {
          const [group, id] = [idOf(key, row), idOf(value, row)];
          if (id >> 56n === BigInt(TAG.iri)) others.push(id);
          else if (id > (best.get(group) ?? 0n)) best.set(group, id);
        }
      },
    );
    assert.equal(best.size, keys);
    for (let key = 0; key < keys; key++) assert.equal(best.get(unordered(key)), integerId(keys + key));
    assert.deepEqual(
      others,
      Array.from({ length: 10 }, (_, at) => unordered(2 * keys + at)),
    );
    assert.equal(budget.usedBytes, 0);
  }
});

function idOf(column: IdColumn, row: number): bigint {
  return (BigInt(column[2 * row + 1] as number) << 32n) | BigInt(column[2 * row] as number);
}
