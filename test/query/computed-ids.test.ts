/** Ids of computed values that need no entry in the query's dictionary, counted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Expression } from '../../engine/query/algebra/algebra.js';
import { BatchContext, operandsOf } from '../../engine/query/expressions/batch-context.js';
import { compileEvaluator } from '../../engine/query/expressions/evaluator.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { Operand } from '../../engine/query/terms/operand.js';
import { QueryTerms } from '../../engine/query/terms/terms.js';
import { terms, XSD } from '../../engine/rdf/terms.js';
import { parseValue } from '../../engine/rdf/values/index.js';
import { BATCH_ROWS } from '../../engine/storage/seam/scan.js';
import { answer, storeOf } from './support.js';

const literal = (lexical: string, type: string) => terms.literal(lexical, terms.namedNode(XSD + type));
const call = (operator: string, ...args: Expression[]) => ({ kind: 'call', operator, args }) as Expression;
const integer = (lexical: string): Expression => ({ kind: 'term', term: literal(lexical, 'integer') });

async function contextOf(turtle: string): Promise<BatchContext> {
  const dictionary = new QueryTerms((await storeOf(turtle)).snapshot(), new MemoryBudget(2 ** 26));
  return new BatchContext(['x'], dictionary);
}

/** The ids that an expression has over a whole batch. */
function idsOf(expression: Expression, context: BatchContext): bigint[] {
  const column = new Uint32Array(2 * BATCH_ROWS);
  context.begin({ rows: BATCH_ROWS, columns: [new Uint32Array(2 * BATCH_ROWS)] });
  compileEvaluator(expression, context, context.terms.matched)(column, BATCH_ROWS);
  return Array.from({ length: BATCH_ROWS }, (_, row) => {
    return (BigInt(column[2 * row + 1] as number) << 32n) | BigInt(column[2 * row] as number);
  });
}

test('new blank nodes are their numbers', async () => {
  const context = await contextOf('');
  const ids = [...idsOf(call('bnode'), context), ...idsOf(call('bnode'), context)];
  assert.equal(new Set(ids).size, 2 * BATCH_ROWS);
  const labels = new Set(ids.map((id) => context.terms.termOf(id).value));
  assert.equal(labels.size, 2 * BATCH_ROWS);
  assert.equal(context.terms.local.count, 0);
});

test('random numbers are computed with as numbers', async () => {
  const context = await contextOf('');
  const scaled = call('*', call('rand'), integer('5'));
  const whole: Expression = { kind: 'function', iri: `${XSD}integer`, args: [scaled] };
  const ids = new Set(idsOf(call('+', whole, integer('1')), context));
  assert.equal(context.terms.local.count, 0);
  const values = [...ids].map((id) => context.terms.termOf(id).value);
  assert.deepEqual(values.sort(), ['1', '2', '3', '4', '5']);
});

test('a computed number has its id without a term, and that of its term', async () => {
  const context = await contextOf('<http://e/a> <http://e/b> "1.5E300"^^<http://www.w3.org/2001/XMLSchema#double> .');
  const column = new Uint32Array(2);
  const idOf = (operand: Operand) => {
    context.terms.matched.write(operand, column, 0);
    return [...column];
  };
  const doubles = ['1.5E300', '-0.0E0', 'NaN', '1.5E0'].map((lexical) => literal(lexical, 'double'));
  const decimals = ['0.25', '-12', '0', '120.000000000000001', '99999999999999999999.5', '140737488355327.9'];
  const integers = ['0', '-7', '140737488355328', '99999999999999999999'];
  for (const term of [
    ...doubles,
    ...decimals.map((lexical) => literal(lexical, 'decimal')),
    ...integers.map((lexical) => literal(lexical, 'integer')),
  ]) {
    const computed = Operand.ofValue(parseValue(term));
    assert.deepEqual(idOf(computed), idOf(new Operand(term)), term.value);
    assert.deepEqual(context.terms.termOf(context.terms.encode(computed.term)), term);
  }
  for (const term of [...doubles.slice(1), literal('0.25', 'decimal'), literal('-7', 'integer')]) {
    const computed = Operand.ofValue(parseValue(term));
    idOf(computed);
    assert.notEqual(computed.computed, undefined, `${term.value} needs no term`);
  }
});

test('BNODE of a label: one node in a solution, another in the next, an error for what is no string', async () => {
  const data = ':a :p "x" . :b :p "x" . :c :p "x"@en . :d :p 7 . :e :p :a .';
  const store = await storeOf(`@prefix : <http://example.org/> . ${data}`);
  const ask = (text: string) => answer(store.snapshot(), text);
  const [row = ''] = await ask(
    'SELECT (COUNT(?v) AS ?n) (COUNT(DISTINCT ?v) AS ?d) { ?s :p ?x BIND (BNODE(?x) AS ?v) }',
  );
  assert.match(row, /2.*2/);
  const same = 'BIND (BNODE(?x) AS ?v) BIND (BNODE(?x) AS ?w) FILTER (sameTerm(?v, ?w) && isBlank(?v))';
  assert.equal((await ask(`SELECT ?s { ?s :p ?x ${same} }`)).length, 2);
  const two = 'BIND (BNODE(?x) AS ?v) BIND (BNODE(CONCAT(?x, "y")) AS ?w) BIND (BNODE("xy") AS ?z)';
  const different = await ask(`SELECT ?s { ?s :p ?x ${two} FILTER (?w = ?z && ?v != ?w) }`);
  assert.equal(different.length, 2);
});

test('doubles of the dictionary are compared, summed and rounded without their terms', async () => {
  const lexicals = [
    '1.5E300',
    '-2.25e-3',
    '1e5',
    'NaN',
    '-INF',
    'INF',
    '1.0E5',
    '-0.0E0',
    '7.5',
    '01.5E1',
    'no number',
  ];
  for (let more = 1; more <= 60; more++) lexicals.push(`${more}.5E2`);
  const rows = lexicals.map((lexical, at) => `:s${at} :p "${lexical}"^^xsd:double .`).join(' ');
  const store = await storeOf(
    `@prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . ${rows}`,
  );
  const snapshot = store.snapshot();
  const decoded = { count: 0 };
  const counting = new Proxy(snapshot, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (name === 'decode') decoded.count += args[1] as number;
        return value.apply(target, args);
      };
    },
  });
  const finite = 'FILTER (?x > -1e301 && ?x < 1e301)';
  const ask = (text: string) => answer(counting, text);
  for (const [text, expected] of [
    [`SELECT (COUNT(*) AS ?n) { ?s :p ?x ${finite} }`, 67],
    ['SELECT (COUNT(?v) AS ?n) { ?s :p ?x BIND (FLOOR(?x) AS ?v) }', 70],
    ['SELECT (SUM(?x) + 1 > 0 AS ?n) { ?s :p ?x FILTER (?x > 1e3 && ?x < 1e301) }', true],
    [`SELECT (MAX(?x) = 1.5E300 && MIN(?x) = -2.25E-3 AS ?n) { ?s :p ?x ${finite} }`, true],
  ] as const) {
    decoded.count = 0;
    const [row = ''] = await ask(text);
    assert.match(row, new RegExp(`"?${expected}"?`), text);
    // Those of NaN, of what is no number, and of the answer are left.
    assert.ok(decoded.count <= 6, `${text}: ${decoded.count} terms`);
  }
});

test('what is its own id goes through functions without its text', async () => {
  const store = await storeOf(`@prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    :a :p "2020-02-29T00:00:00Z"^^xsd:dateTime ; :q 7 , 8 , 1.50 .
    :b :p "2021-03-01T12:30:00+02:00"^^xsd:dateTime ; :q true .`);
  const context = new BatchContext(['x'], new QueryTerms(store.snapshot(), new MemoryBudget(2 ** 26)));
  const undecoded = { decode: () => assert.fail('decoded') } as unknown as QueryTerms;
  const operands = operandsOf(
    undecoded,
    Uint32Array.from(
      [literal('2020-02-29T00:00:00Z', 'dateTime'), literal('1.50', 'decimal'), literal('-7', 'integer')]
        .map((term) => context.terms.encode(term))
        .flatMap((id) => [Number(id & 0xffffffffn), Number(id >> 32n)]),
    ),
    3,
  );
  assert.deepEqual(
    operands.map((operand) => operand?.value?.kind),
    ['dateTime', 'decimal', 'integer'],
  );
  assert.deepEqual(
    operands.map((operand) => operand?.term.value),
    ['2020-02-29T00:00:00Z', '1.50', '-7'],
  );
  const ask = (text: string) => answer(store.snapshot(), text);
  const days = await ask('SELECT ?s (?x - "2020-02-28T00:00:00Z"^^xsd:dateTime AS ?v) { ?s :p ?x } ORDER BY ?s');
  assert.match(days.join(' '), /P1D.*P367DT10H30M/);
  const moved = await ask('SELECT ?s (?x + "P1D"^^xsd:dayTimeDuration AS ?v) { ?s :p ?x } ORDER BY ?s');
  assert.match(moved.join(' '), /2020-03-01T00:00:00Z.*2021-03-02T12:30:00\+02:00/);
  const texts = await ask('SELECT (xsd:string(?x) AS ?v) (COALESCE(?x, 1) AS ?w) { ?s :q ?x } ORDER BY ?v');
  assert.equal(texts.length, 4);
  assert.match(texts.join(' '), /1\.5.*1\.50.*7.*7.*8.*8.*true/);
});

test('terms of one text and different kinds have different ids', async () => {
  const context = await contextOf('');
  const made = [
    terms.namedNode('urn:a'),
    terms.literal('urn:a'),
    ...Array.from({ length: 300 }, (_, number) => terms.literal('urn:a', `en-x-${number}`)),
    terms.literal('urn:a', { language: 'en-x-7', direction: 'rtl' }),
    terms.literal('urn:a', terms.namedNode('urn:a')),
    ...['integer', 'decimal', 'double', 'anyURI', 'date'].map((type) => literal('urn:a', type)),
    terms.blankNode('urn:a'),
  ];
  const ids = made.map((term) => context.terms.matched.encode(term));
  assert.equal(new Set(ids).size, made.length);
  assert.deepEqual(
    made.map((term) => context.terms.matched.encode(term)),
    ids,
  );
  assert.deepEqual(
    ids.map((id) => context.terms.termOf(id)),
    made,
  );
});
