/**
 * Queries that nobody writes by hand. Each has its right answer, or ends with a clear error: too complex
 * for a named limit, or past its deadline. Memory stays within the budget, and the next query works.
 */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openQuery } from '../../engine/query/open-query.js';
import { parseQuery } from '../../engine/query/parse/parse.js';
import { executeQuery } from '../../engine/query/query.js';
import { rewriteQuery } from '../../engine/query/rewrites/index.js';
import { PENDING } from '../../engine/query/runtime/operator.js';
import { type Quad, terms, XSD } from '../../engine/rdf/terms.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { inFull, type ShortOptions } from './short-options.js';
import { answer, PREFIXES } from './support.js';

const ITEMS = 3000;
const DENSE = 60;
let snapshot: StorageSnapshot;

const iri = (name: string) => terms.namedNode(`http://example.org/${name}`);

/** Items with a number and a successor in a ring, a graph in which every node knows every other, a long text. */
function* data(): Generator<Quad> {
  for (let item = 0; item < ITEMS; item++) {
    yield terms.quad(iri(`i${item}`), iri('number'), terms.literal(String(item), terms.namedNode(`${XSD}integer`)));
    yield terms.quad(iri(`i${item}`), iri('next'), iri(`i${(item + 1) % ITEMS}`));
  }
  for (let from = 0; from < DENSE; from++) {
    for (let to = 0; to < DENSE; to++) yield terms.quad(iri(`d${from}`), iri('dense'), iri(`d${to}`));
  }
  yield terms.quad(iri('long'), iri('text'), terms.literal('a'.repeat(5000)));
}

before(async () => {
  const engine = openMemoryEngine();
  await (await engine.stageLoad([{ kind: 'quads', quads: data(), name: 'data' }], {}, {})).commit().durable;
  snapshot = engine.snapshot();
});

const times = (count: number, make: (at: number) => string, separator = ' '): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(separator);
const nested = (count: number, open: string, inner: string, close: string): string =>
  open.repeat(count) + inner + close.repeat(count);

/** Large texts that have an answer. */
const ANSWERED: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'UNION of 10,000 alternatives',
    `SELECT (COUNT(*) AS ?n) { ${times(10_000, (at) => `{ ?s :number ${at} }`, ' UNION ')} }`,
    ['3000^integer'],
  ],
  [
    'VALUES of 100,000 rows',
    `SELECT (COUNT(DISTINCT ?x) AS ?n) { VALUES ?x { ${times(100_000, (at) => String(at % 70_000))} } }`,
    ['70000^integer'],
  ],
  [
    'IN with 100,000 items',
    `SELECT (COUNT(*) AS ?n) { ?s :number ?x FILTER(?x IN (${times(100_000, (at) => String(at * 2), ',')})) }`,
    ['1500^integer'],
  ],
  [
    'NOT IN with items of all kinds',
    `SELECT (COUNT(*) AS ?n) { ?s :number ?x FILTER(?x NOT IN (${times(500, (at) => `${at}.0, ${at}e0`, ',')}, :a)) }`,
    ['2500^integer'],
  ],
  ['a path of 300 steps', `SELECT ?o { :i0 ${times(300, () => ':next', '/')} ?o }`, [':i300']],
  [
    '60 patterns in a star',
    `SELECT (COUNT(*) AS ?n) { ${times(60, (at) => `?s :number ?x${at} .`)} }`,
    ['3000^integer'],
  ],
  [
    '1,000 filters',
    `SELECT (COUNT(*) AS ?n) { ?s :number ?x ${times(1000, (at) => `FILTER(?x != ${at})`)} }`,
    ['2000^integer'],
  ],
  [
    '100 OPTIONAL in a row',
    `SELECT (COUNT(*) AS ?n) { ?s :number ?x ${times(100, (at) => `OPTIONAL { ?s :none${at} ?y${at} }`)} }`,
    ['3000^integer'],
  ],
  [
    '150 groups inside each other',
    `SELECT (COUNT(*) AS ?n) ${nested(150, '{', '?s :number ?x', '}')}`,
    ['3000^integer'],
  ],
  ['50 subqueries inside each other', `SELECT ?s { ${nested(50, '{ SELECT * {', '?s :number 7', '} }')} }`, [':i7']],
  ['alternatives in a path, 2,000', `SELECT ?o { :i5 ${times(2000, (at) => `:p${at}`, '|')}|:next ?o }`, [':i6']],
  ['100,000 characters of comment', `SELECT ?s { ?s :number 8 } # ${'{'.repeat(100_000)}`, [':i8']],
];

for (const [name, text, expected] of ANSWERED) {
  test(`answered: ${name}`, async () => {
    assert.deepEqual(await answer(snapshot, text), expected);
  });
}

/** Chains and nestings that are answered or refused, depending on the stack of the thread; never anything else. */
const LIMITED: readonly (readonly [string, string])[] = [
  ['groups', `SELECT * ${nested(5000, '{', '?s :number ?x', '}')}`],
  ['brackets', `SELECT * { ?s :number ?x FILTER(${nested(5000, '(', '?x', ')')} > 1) }`],
  ['negations', `SELECT * { ?s :number ?x FILTER(${'!'.repeat(5000)}?x) }`],
  ['minus signs', `SELECT * { ?s :number ?x FILTER(${'-'.repeat(5000)}?x > 1) }`],
  ['paths in brackets', `SELECT * { ?s ${nested(5000, '(', ':next', ')')} ?o }`],
  ['stars of stars', `SELECT * { ?s ${nested(5000, '(', ':next', ')*')} ?o }`],
  ['blank nodes', `SELECT * { ?s :next ${nested(5000, '[ :next ', '1', ']')} }`],
  ['lists', `SELECT * { ?s :next ${nested(5000, '( ', '1', ')')} }`],
  ['EXISTS', `SELECT * { ?s :number ?x ${nested(5000, 'FILTER EXISTS { ?s :number ?x ', '', '}')} }`],
  ['OPTIONAL inside each other', `SELECT * { ?s :number ?x ${nested(5000, 'OPTIONAL { ?s :number ?x ', '', '}')} }`],
  ['IF', `SELECT (${nested(5000, 'IF(true, ', '1', ', 2)')} AS ?x) { }`],
  ['OPTIONAL, 5,000', `SELECT * { ?s :number ?x ${times(5000, () => 'OPTIONAL { ?s :none ?y }')} }`],
  ['OPTIONAL, 1,900', `SELECT (COUNT(*) AS ?n) { ?s :number ?x ${times(1900, () => 'OPTIONAL { ?s :none ?y }')} }`],
  ['MINUS, 1,900', `SELECT (COUNT(*) AS ?n) { ?s :number ?x ${times(1900, (at) => `MINUS { ?s :number ${at} }`)} }`],
  ['BIND, 1,900', `SELECT (COUNT(*) AS ?n) { ?s :number ?x ${times(1900, (at) => `BIND(1 AS ?b${at})`)} }`],
  ['filters, 5,000', `SELECT (COUNT(*) AS ?n) { ?s :number ?x ${times(5000, (at) => `FILTER(?x != ${at})`)} }`],
  ['||, 5,000', `SELECT * { ?s :number ?x FILTER(${times(5000, (at) => `?x = ${at}`, ' || ')}) }`],
  ['||, 1,900', `SELECT (COUNT(*) AS ?n) { ?s :number ?x FILTER(${times(1900, (at) => `?x = ${at}`, ' || ')}) }`],
  ['+, 5,000', `SELECT * { ?s :number ?x FILTER(${times(5000, () => '?x', ' + ')} > 1) }`],
  ['steps of a path, 10,000', `SELECT * { :i0 ${times(10_000, () => ':next', '/')} ?o }`],
  ['patterns, 5,000', `SELECT (COUNT(*) AS ?n) { ${times(5000, (at) => `?v${at} :next ?v${at + 1} .`)} }`],
  ['a text of 5 MB', `SELECT * { ?s :number "${'x'.repeat(5_000_000)}" }`],
];

for (const [name, text] of LIMITED) {
  test(`answered or refused as too complex: ${name}`, async () => {
    try {
      assert.ok((await answer(snapshot, text, { timeoutMs: 600_000 })).length >= 0);
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'query_complexity', String(error));
    }
    assert.deepEqual(await answer(snapshot, 'SELECT ?s { ?s :number 5 }'), [':i5']);
  });
}

test('computed variables of one block are counted before the text is parsed', async () => {
  const binds = times(1900, (at) => `BIND(1 AS ?b${at})`);
  await assert.rejects(answer(snapshot, `SELECT * { ?s :number ?x ${binds} }`), {
    code: 'query_complexity',
    message: /more than 1000 variables are computed in one block/,
  });
  const branches = times(1900, (at) => `{ BIND(${at} AS ?b) }`, ' UNION ');
  assert.equal((await answer(snapshot, `SELECT ?b { ${branches} }`)).length, 1900, 'each block counts by itself');
});

test('planning looks at the deadline', () => {
  const parsed = parseQuery(`${PREFIXES} SELECT * { ?s :number ?x }`);
  assert.throws(() => openQuery(parsed, snapshot, inFull({ timeoutMs: -1 })), { code: 'query_timeout' });
  const check = (): void => {
    throw new Error('late');
  };
  assert.throws(() => rewriteQuery(parsed, new Set(), { check }), /late/);
});

/** More work than there is time for. */
const ENDLESS: readonly (readonly [string, string])[] = [
  ['a product of five', `SELECT (COUNT(*) AS ?n) { ${times(5, (at) => `?s${at} :number ?x${at} .`)} }`],
  ['a product, sorted', 'SELECT * { ?a :number ?x . ?b :number ?y . ?c :number ?z } ORDER BY ?z DESC(?x)'],
  ['a product, distinct', 'SELECT DISTINCT ?x ?y ?z { ?a :number ?x . ?b :number ?y . ?c :number ?z }'],
  [
    'a product, grouped',
    'SELECT ?x ?y (COUNT(DISTINCT ?z) AS ?n) { ?a :number ?x . ?b :number ?y . ?c :number ?z } GROUP BY ?x ?y',
  ],
  [
    'paths of paths',
    'SELECT (COUNT(*) AS ?n) { ?a (:dense/:dense)* ?b . ?b (:dense|^:dense)+ ?c . ?c :dense+ ?d . ?d :dense* ?e }',
  ],
  ['every pair of a ring', 'SELECT (COUNT(*) AS ?n) { ?a :next* ?b . ?b :next+ ?c }'],
  [
    'a product of patterns',
    'SELECT * { ?t0 :text ?t . ?a :number ?x . ?b :number ?y FILTER(REGEX(CONCAT(?t, STR(?x), STR(?y)), "^(a|aa)+$")) }',
  ],
  ['a chain of 150', `SELECT (COUNT(*) AS ?n) { ${times(150, (at) => `?v${at} :dense ?v${at + 1} .`)} }`],
];

for (const [name, text] of ENDLESS) {
  test(`ended by the deadline: ${name}`, async () => {
    await assert.rejects(count(text, { timeoutMs: 200, memoryBudgetBytes: 64 * 2 ** 20 }), { code: 'query_timeout' });
  });

  test(`in short steps, within memory: ${name}`, () => {
    const limitBytes = 64 * 2 ** 20;
    const parsed = rewriteQuery(parseQuery(PREFIXES + text), new Set());
    const { root, execution, budget } = openQuery(parsed, snapshot, inFull({ memoryBudgetBytes: limitBytes }));
    // No step of any operator gives more than a batch, and a few dozen of them are no answer yet.
    for (let step = 0; step < 40; step++) {
      const given = root.next();
      if (given === null) assert.fail('the query is not as long as it was meant to be');
      assert.ok(given === PENDING || given.rows <= 4096);
    }
    assert.ok(budget.peakBytes <= limitBytes);
    execution.close();
    assert.equal(budget.spill.isOpen, false);
  });
}

async function count(text: string, options: ShortOptions): Promise<number> {
  const result = await executeQuery(snapshot, PREFIXES + text, inFull(options));
  assert.ok(result.kind === 'select');
  let rows = 0;
  for await (const batch of result.batches) rows += batch.rows;
  return rows;
}

test('regular expressions that would take for ever elsewhere answer', async () => {
  const text =
    'SELECT ?a { ?a :text ?t FILTER(REGEX(?t, "^(a+)+$") && !REGEX(?t, "(a|aa)+b") && !REGEX(?t, "(.*)*x")) }';
  assert.deepEqual(await answer(snapshot, text), [':long']);
});

test('strings that grow without end are refused', async () => {
  const growing = `SELECT ?x { :long :text ?t BIND(REPLACE(?t, "a", ?t) AS ?u) BIND(REPLACE(?u, "a", ?t) AS ?x) }`;
  await assert.rejects(answer(snapshot, growing), { code: 'query_complexity' });
});

test('a text that can not even be parsed in time is refused at once', async () => {
  const text = `SELECT * { VALUES ?x { ${times(100_000, (at) => String(at))} } }`;
  await assert.rejects(answer(snapshot, text, { timeoutMs: 10 }), { code: 'query_timeout', message: /characters/ });
});
