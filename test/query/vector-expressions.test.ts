/**
 * Conditions and computed columns over whole batches against the scalar form, row by row: every kind of
 * term beside every other, constants on either side, a few rows and thousands.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Expression } from '../../engine/query/algebra/algebra.js';
import type { Operator } from '../../engine/query/algebra/operators.js';
import { BatchContext } from '../../engine/query/expressions/batch-context.js';
import { compileCondition } from '../../engine/query/expressions/condition.js';
import { compileEvaluator } from '../../engine/query/expressions/evaluator.js';
import { compileScalar, truthOf } from '../../engine/query/expressions/scalar.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { Operand } from '../../engine/query/terms/operand.js';
import { QueryTerms } from '../../engine/query/terms/terms.js';
import { type Term, terms, XSD } from '../../engine/rdf/terms.js';
import { BATCH_ROWS, type IdColumn } from '../../engine/storage/seam/scan.js';
import { storeOf } from './support.js';

const typed = (lexical: string, type: string) => terms.literal(lexical, terms.namedNode(`${XSD}${type}`));

/** By datatype. The store knows every second of those that are no ids by themselves. */
const LEXICAL: Readonly<Record<string, string>> = {
  integer: '0 1 -1 7 120 121 140737488355327 -140737488355327 9007199254740993 123456789012345678901 01',
  byte: '7 120 300',
  unsignedInt: '7 4294967295 -7',
  positiveInteger: '1 0',
  decimal:
    '0 1.0 1 -1.5 0.1 0.10 12.25 7.00 0.000000000000001 12345678901234.5 99999999999999999999.5 1. ' +
    '0.3333333333333333333 0.333333333333333333 0.333333333333333333 2.333333333333333333 -7.000000000000000001 0.1000000000000000000001',
  double: '1.5 0.1 7.0 1.5E0 1E300 -1E300 NaN INF -INF 0.0 -0.0E0 0.10000000000000001',
  float: '1.5 0.1 7.0 16777217.0 1.5E0 NaN INF 0.100000001',
  boolean: 'true false 1 0 yes',
  date: '2020-02-29 2020-02-29Z 2020-03-01+02:00 2020-03-01 1969-12-31 0001-01-01 2020-13-01',
  dateTime:
    '2020-02-29T00:00:00 2020-02-29T00:00:00Z 2020-02-29T00:00:00.000Z 2020-02-28T12:00:00-14:00 2020-02-29T13:59:59 ' +
    '2020-02-29T00:00:00.5 1969-12-31T23:59:59Z 1969-12-31T23:59:59.999 tomorrow',
  gYear: '2020 2021 -',
  string: 'a b 7 true \t-7.5\n +1 INF P1D -P1Y 2020-02-29 2020',
};

const POOL: readonly (Term | null)[] = [
  null,
  ...Object.entries(LEXICAL).flatMap(([type, texts]) => texts.split(' ').map((text) => typed(text, type))),
  terms.literal('a', 'en'),
  terms.literal('a', 'de'),
  terms.literal('b', 'en'),
  terms.literal('x', terms.namedNode('http://example.org/type')),
  terms.namedNode('http://example.org/a'),
  terms.namedNode('http://example.org/b'),
  terms.namedNode('http://example.org/unknown'),
  terms.namedNode(`${XSD}integer`),
  tripleOf('1'),
  tripleOf('2'),
];

function tripleOf(object: string): Term {
  const node = terms.namedNode('http://example.org/a');
  return terms.quad(node, node, typed(object, 'integer'));
}

/** Over a store that knows every second term, or none. */
async function newTerms(stored: boolean): Promise<QueryTerms> {
  const texts = POOL.flatMap((term, at) => {
    if (term === null || at % 2 === 1 || !stored) return [];
    if (term.termType === 'NamedNode') return [`:s :p <${term.value}> .`];
    if (term.termType === 'Quad') return [`:s :p <<( :a :a ${term.object.value} )>> .`];
    const literal = term as ReturnType<typeof typed>;
    const tag = literal.language ? `@${literal.language}` : `^^<${literal.datatype.value}>`;
    return [`:s :p ${JSON.stringify(literal.value)}${tag} .`];
  });
  return new QueryTerms((await storeOf(texts.join('\n'))).snapshot(), new MemoryBudget(2 ** 26));
}

const x: Expression = { kind: 'variable', name: 'x' };
const y: Expression = { kind: 'variable', name: 'y' };
const constant = (term: Term): Expression => ({ kind: 'term', term });
const call = (operator: string, ...args: Expression[]): Expression => ({
  kind: 'call',
  operator: operator as Operator,
  args,
});
const cast = (type: string, ...args: Expression[]): Expression => ({ kind: 'function', iri: `${XSD}${type}`, args });
const number = (text: string, type = 'integer') => constant(typed(text, type));

const CONSTANTS = POOL.filter((term) => term !== null);
const COMPARISONS = ['=', '!=', '<', '<=', '>', '>=', 'sameterm'];
const SUMS = [
  call('+', x, number('120')),
  call('-', y, number('1.50', 'decimal')),
  call('*', x, number('1.5', 'decimal')),
  call('*', number('3'), y),
  call('+', x, y),
  call('-', x, y),
  call('*', x, y),
  call('/', x, y),
  call('/', x, number('4')),
  call('/', x, number('0')),
  call('+', x, number('1.5E0', 'double')),
  call('uminus', x),
  ...['round', 'ceil', 'floor', 'abs'].flatMap((operator) => [
    call(operator, x),
    call(operator, call('/', x, y)),
    call(operator, call('*', x, y)),
  ]),
  call('*', call('floor', call('/', x, number('1000'))), number('1000')),
  ...['integer', 'decimal'].flatMap((type) => [cast(type, x), cast(type, call('*', x, y)), cast(type, call('str', x))]),
  call('*', call('-', x, y), call('+', x, number('0.001', 'decimal'))),
  { kind: 'function', iri: `${XSD}double`, args: [x] } as const,
  call('/', { kind: 'function', iri: `${XSD}double`, args: [x] }, y),
];
const CASTS = ['boolean', 'byte', 'float', 'double', 'date', 'dateTime', 'gYear', 'duration', 'string'].flatMap(
  (type) => [cast(type, x), cast(type, call('str', x))],
);
const BRANCHES = [
  call('if', call('<', x, y), x, y),
  call('if', call('isiri', x), number('1'), call('if', call('isnumeric', y), call('str', y), x)),
  call('if', x, constant(terms.literal('yes')), call('ucase', call('str', y))),
  call('if', call('bound', y), call('+', x, y), number('0')),
  call('coalesce', x, y),
  call('if', call('>', x, y), call('-', x, y), call('-', y, x)),
  call('if', call('isnumeric', x), call('*', x, number('1.5E0', 'double')), call('/', y, number('3'))),
  call('coalesce', call('year', x), call('hours', y), number('0')),
  call('coalesce', call('/', x, y), call('strlen', x), call('if', call('=', x, y), y, constant(terms.literal('no')))),
  call('coalesce', call('lang', x), call('str', y), x),
  call('coalesce'),
];
const COMPUTED = [
  ...SUMS,
  call('datatype', x),
  call('datatype', y),
  call('lang', x),
  call('strlen', x),
  call('strlen', call('str', x)),
  ...CASTS,
  ...['year', 'month', 'day', 'hours', 'minutes', 'seconds', 'tz', 'timezone'].map((operator) => call(operator, x)),
  ...BRANCHES,
];

const CONDITIONS: readonly Expression[] = [
  ...COMPARISONS.flatMap((operator) => CONSTANTS.map((term) => call(operator, x, constant(term)))),
  ...COMPARISONS.flatMap((operator) => CONSTANTS.slice(0, 9).map((term) => call(operator, constant(term), x))),
  ...COMPARISONS.map((operator) => call(operator, x, y)),
  ...COMPARISONS.flatMap((operator) => SUMS.map((sum, at) => call(operator, sum, at % 2 === 0 ? y : number('7')))),
  ...['bound', 'isiri', 'isblank', 'isliteral', 'isnumeric'].map((operator) => call(operator, x)),
  ...['=', '!='].flatMap((operator) =>
    ['integer', 'decimal', 'string', 'byte', 'dateTime', 'gYear'].map((type) =>
      call(operator, call('datatype', x), constant(terms.namedNode(`${XSD}${type}`))),
    ),
  ),
  call('in', x, ...CONSTANTS.slice(0, 5).map(constant)),
  call('in', x, ...CONSTANTS.map(constant)),
  call('notin', x, ...CONSTANTS.filter(({ termType }) => termType === 'NamedNode').map(constant)),
  call('in', x, constant(terms.literal('a')), constant(terms.namedNode('http://example.org/a'))),
  call('in', x, ...CONSTANTS.filter((_, at) => at % 11 === 3).map(constant)),
  call('notin', x, ...CONSTANTS.slice(-9).map(constant), number('7'), number('1.0', 'decimal')),
  call('in', x, constant(terms.literal('nowhere')), constant(terms.literal('b', 'en')), number('7')),
  call('in', x),
  call('&&', call('&&', call('<', x, number('100')), call('bound', y)), call('!=', x, y)),
  call('||', call('=', call('str', x), constant(terms.literal('7'))), call('||', call('<', x, y), call('bound', y))),
  call('!', call('&&', call('||', call('=', x, y), call('<', x, number('7'))), call('>', y, number('0')))),
  call(
    '||',
    call('&&', call('=', x, y), call('!', call('>', x, number('1')))),
    call('<', call('+', x, y), number('9')),
  ),
];

/** Every pair of terms of the pool, as far as `rows` go, in an order that mixes them. */
function columnsFor(dictionary: QueryTerms, rows: number): { columns: IdColumn[]; pairs: (Term | null)[][] } {
  const columns = [new Uint32Array(2 * rows), new Uint32Array(2 * rows)];
  const pairs: (Term | null)[][] = [];
  for (let row = 0; row < rows; row++) {
    const at = (row * 7919) % (POOL.length * POOL.length);
    const pair = [POOL[at % POOL.length] as Term | null, POOL[Math.floor(at / POOL.length)] as Term | null];
    pairs.push(pair);
    pair.forEach((term, column) => {
      const id = term === null ? 0n : dictionary.encode(term);
      (columns[column] as IdColumn)[2 * row] = Number(id & 0xffffffffn);
      (columns[column] as IdColumn)[2 * row + 1] = Number(id >> 32n);
    });
  }
  return { columns, pairs };
}

function scalarOver(expression: Expression, pairs: (Term | null)[][], dictionary: QueryTerms) {
  const operands = pairs.map((pair) => pair.map((term) => (term === null ? null : new Operand(term))));
  const scalar = compileScalar(
    expression,
    (name) => (row) => operands[row]?.[name === 'x' ? 0 : 1] ?? null,
    dictionary.scope,
  );
  return scalar;
}

for (const [rows, stored] of [
  [1, true],
  [50, true],
  [BATCH_ROWS, true],
  [BATCH_ROWS, false],
] as const) {
  const where = `over ${rows} rows of ${stored ? 'stored and other' : 'other'} terms`;
  test(`conditions ${where}`, async () => {
    const dictionary = await newTerms(stored);
    const context = new BatchContext(['x', 'y'], dictionary);
    const { columns, pairs } = columnsFor(dictionary, rows);
    const out = new Uint8Array(BATCH_ROWS);
    for (const expression of CONDITIONS) {
      const condition = compileCondition(expression, context);
      const scalar = scalarOver(expression, pairs, dictionary);
      context.begin({ rows, columns });
      condition(out, rows);
      for (let row = 0; row < rows; row++) {
        const truth = truthOf(scalar(row));
        const expected = truth === null ? 2 : truth ? 1 : 0;
        if (out[row] !== expected) assert.equal(out[row], expected, told(expression, pairs[row] as Term[]));
      }
    }
  });

  test(`computed columns ${where}`, async () => {
    const dictionary = await newTerms(stored);
    const context = new BatchContext(['x', 'y'], dictionary);
    const { columns, pairs } = columnsFor(dictionary, rows);
    const out = new Uint32Array(2 * BATCH_ROWS);
    for (const expression of COMPUTED) {
      const evaluate = compileEvaluator(expression, context, dictionary.matched);
      const scalar = scalarOver(expression, pairs, dictionary);
      context.begin({ rows, columns });
      evaluate(out, rows);
      for (let row = 0; row < rows; row++) {
        const operand = scalar(row);
        const expected = operand === null ? 0n : dictionary.encode(operand.term);
        const id = (BigInt(out[2 * row + 1] as number) << 32n) | BigInt(out[2 * row] as number);
        if (id !== expected) assert.equal(id, expected, told(expression, pairs[row] as Term[]));
      }
    }
  });
}

function told(expression: Expression, pair: readonly (Term | null)[]): string {
  return `${JSON.stringify(expression)} of ${pair.map((term) => JSON.stringify(term)).join(' and ')}`;
}
