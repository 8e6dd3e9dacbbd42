/**
 * Queries that are made to hurt: texts that are no text, numbers without end, work that grows with every
 * level. Each has its answer, or an error that says what was too much, and none outlives its deadline for long.
 */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { executeQuery, prepareQuery } from '../../engine/query/query.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { inFull } from './short-options.js';
import { answer, storeOf } from './support.js';

let snapshot: StorageSnapshot;
before(async () => {
  snapshot = (await storeOf(':a :p 1, 2, 3, "abc" . :b :p :a . :g { :a :q 1 }')).snapshot();
});

test('line ends, byte order marks and half characters', async () => {
  const count = async (text: string) => {
    const result = await executeQuery(snapshot, text);
    assert.ok(result.kind === 'ask');
    return result.value;
  };
  assert.equal(await count('\uFEFFASK {}'), true);
  assert.equal(await count('# a comment\rASK\r\n{ # another\r ?s ?p ?o }'), true);
  assert.equal(await count('ASK { FILTER(STRLEN("""a\rb""") = 3) }'), true);
  for (const text of ['ASK { ?s ?p "\uD800" }', 'ASK { ?s ?p "\uDC00" }', 'ASK { <http://e/\uD800> ?p ?o }']) {
    assert.throws(() => prepareQuery(text), { code: 'parse_error', message: /half a surrogate pair/ });
  }
  assert.throws(() => prepareQuery('ASK { ?s ?p "\\UFFFFFFFF" }'), { code: 'parse_error', message: /code point/ });
});

test('numbers of LIMIT and OFFSET that no machine holds', async () => {
  const huge = `1${'0'.repeat(400)}`;
  const rows = async (slice: string) => (await answer(snapshot, `SELECT * { ?s ?p ?o } ${slice}`)).length;
  for (const number of ['9007199254740993', '99999999999999999999', huge]) {
    assert.equal(await rows(`LIMIT ${number}`), 5);
    assert.equal(await rows(`ORDER BY ?o LIMIT ${number}`), 5);
    assert.equal(await rows(`OFFSET ${number}`), 0);
    assert.equal(await rows(`ORDER BY ?o OFFSET ${number} LIMIT ${number}`), 0);
    assert.equal(await rows(`OFFSET 1 LIMIT ${number}`), 4);
  }
  for (const slice of ['LIMIT -1', 'OFFSET -5', 'LIMIT +1', 'LIMIT 1.0']) {
    await assert.rejects(rows(slice), { code: 'parse_error' });
  }
});

test('a text that is too long is refused for its length, whatever time there is', () => {
  const text = 'ASK {} #'.padEnd(11 * 2 ** 20, 'x');
  for (const timeoutMs of [undefined, 1, 30_000, 600_000]) {
    const message = /^the query is 11534336 characters long; at most 4194304 are taken$/;
    assert.throws(() => prepareQuery(text, inFull({ timeoutMs })), { code: 'query_complexity', message });
  }
});

test('a projection without end is refused before it is parsed', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => `?v${at}`).join(' ');
  assert.throws(() => prepareQuery(`SELECT ${many} { ?s ?p ?o }`), {
    code: 'query_complexity',
    message: /10000 variables are selected/,
  });
  assert.throws(() => prepareQuery(`SELECT * { { SELECT ${many} { ?s ?p ?o } } }`), { code: 'query_complexity' });
});

/** Without the limit that each of them meets, every one would run for minutes or for ever. */
const HEAVY: readonly (readonly [name: string, text: string])[] = [
  ['REPLACE upon REPLACE', `SELECT (STRLEN(${'REPLACE('.repeat(10)}"x"${', ".", "xxxxxxxx")'.repeat(10)}) AS ?n) {}`],
  [
    'a search that begins again at each character',
    `SELECT (REPLACE("${'a'.repeat(60_000)}", "(a*)*?b|a", "x") AS ?y) {}`,
  ],
  [
    'cross products',
    `SELECT * { ${Array.from({ length: 20 }, (_, at) => `?s${at} ?p${at} ?o${at} .`).join(' ')} FILTER(RAND() > 2) }`,
  ],
  ['paths of many ways', `SELECT (COUNT(*) AS ?n) { ?s ${Array(60).fill('(:p|:p|^:p)').join('/')} ?o }`],
];

for (const [name, text] of HEAVY) {
  test(`a deadline ends ${name}`, async () => {
    const began = performance.now();
    await assert.rejects(
      answer(snapshot, text, { timeoutMs: 100, memoryBudgetBytes: 64 * 2 ** 20 }),
      (error) => error instanceof SvcError && (error.code === 'query_timeout' || error.code === 'query_complexity'),
    );
    // A machine under load may take its time; what is guarded against is minutes.
    assert.ok(performance.now() - began < 60_000);
  });
}

const NESTED: readonly (readonly [name: string, rows: number, nest: (levels: number) => string])[] = [
  ['EXISTS', 5, (levels) => `${'FILTER EXISTS { ?s ?p ?o '.repeat(levels)} ${'}'.repeat(levels)}`],
  // An even number of times nothing is taken away.
  ['MINUS', 5, (levels) => `${'MINUS { ?s ?p ?o '.repeat(levels)} ${'}'.repeat(levels)}`],
  [
    'OPTIONAL',
    5,
    (levels) =>
      Array.from({ length: levels }, (_, at) => `OPTIONAL { ?s :q${at} ?v${at} `).join('') + '}'.repeat(levels),
  ],
];

for (const [name, rows, nest] of NESTED) {
  test(`${name} within ${name} is planned in time`, async () => {
    const found = await answer(snapshot, `SELECT ?s ?p ?o { ?s ?p ?o ${nest(20)} }`, { timeoutMs: 600_000 });
    assert.equal(found.length, rows);
  });
}

test('an answer that nobody reads gives back what it holds', async () => {
  const result = await executeQuery(snapshot, 'SELECT * { ?a ?b ?c . ?d ?e ?f } ORDER BY ?a');
  assert.ok(result.kind === 'select');
  result.close();
  for await (const _ of result.rows()) assert.fail('it was closed');
  const begun = await executeQuery(snapshot, 'SELECT * { ?a ?b ?c . ?d ?e ?f }');
  assert.ok(begun.kind === 'select');
  const rows = begun.rows()[Symbol.asyncIterator]();
  assert.equal((await rows.next()).done, false);
  begun.close();
  begun.close();
});

test('a join gives no more rows than its ceiling', async () => {
  const rows = (text: string, joinRowsMax: number) => answer(snapshot, text, { joinRowsMax });
  const tooMany = { code: 'query_complexity', message: /more than 3 rows \(search\.max_join_rows\)/ };
  for (const [text, count] of [
    ['SELECT * { ?a :p ?x . ?b :p ?y }', 25],
    ['SELECT * { ?a :p ?x . ?a :p ?y }', 17],
    ['SELECT * { ?a :p ?x OPTIONAL { ?a :p ?y } }', 17],
    ['SELECT * { ?a :p+ ?b . ?a :p ?c }', 21],
    ['SELECT * { VALUES ?a { :a :b } ?a :p ?x }', 5],
  ] as const) {
    const all = await rows(text, count);
    assert.equal(all.length, count, text);
    await assert.rejects(rows(text, 3), tooMany, text);
  }
  for (const text of [
    'SELECT * { ?s ?p ?o }',
    'SELECT ?s (EXISTS { ?s :q ?x } AS ?e) { ?s :p ?o }',
    'SELECT ?s { ?s :p ?o FILTER NOT EXISTS { ?s :q ?x FILTER(?x > ?o) } }',
  ]) {
    assert.equal((await rows(text, 3)).length, 5, `no join: ${text}`);
  }
});
