/** Trino's SQL is held against Trino's own parser. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { TRINO } from '../../../engine/lake/sql/dialects/trino.js';
import { SCALAR_FUNCTIONS, type ScalarFunction } from '../../../engine/lake/sql/scalars.js';
import { rewrittenQuery, toSql } from '../../../engine/lake/sql/to-sql.js';
import { HOSTILE_TEXTS } from './hostile-texts.js';
import { QUERIES } from './queries.js';

const jars = process.env.SVC_TRINO_PARSER;
/** Of those that are not written of one argument. */
const ARITY: Partial<Record<ScalarFunction, number>> = {
  ...Object.fromEntries(
    ['and', 'or', '=', '<>', '<', '<=', '>', '>=', 'isSame', 'coalesce', 'plus', 'minus', 'times', 'over'].map(
      (name) => [name, 2],
    ),
  ),
  ...Object.fromEntries(
    ['addDecimals', 'subtractDecimals', 'multiplyDecimals', 'divideDecimals', 'scaledDouble', 'scaledDecimal'].map(
      (name) => [name, 2],
    ),
  ),
  ...Object.fromEntries(
    [
      'concat',
      'startsWith',
      'endsWith',
      'contains',
      'position',
      'from',
      'matches',
      'extract',
      'leastPair',
      'greatestPair',
    ].map((name) => [name, 2]),
  ),
  substring: 3,
  replaceAll: 3,
  joinTexts: 3,
  random: 0,
  uuid: 0,
  countRows: 0,
};
/** Each function by itself: what a query would have to be for some of them is beside the point. */
const FUNCTIONS = SCALAR_FUNCTIONS.flatMap((name) => {
  if (name === 'refuse') return [`SELECT ${TRINO.refuse("it's", 'VARCHAR')} AS x`];
  // Windows are written by the queries.
  if (name === 'rowNumber' || name === 'rank') return [];
  const writing = TRINO.functions[name];
  if (typeof writing !== 'function') return [];
  const args =
    name === 'scaledDouble' || name === 'scaledDecimal'
      ? ['"a"', '4']
      : ['"a"', '"b"', name === 'joinTexts' ? '"c" DESC NULLS LAST' : '"c"'];
  return [`SELECT ${writing(args.slice(0, ARITY[name] ?? 1))} AS x FROM facts`];
});
const SKIP = 'SVC_TRINO_PARSER names no folder with the jars of trino-parser';

test('the parser of Trino takes what is written for it', { skip: jars === undefined ? SKIP : false }, () => {
  const hostile = HOSTILE_TEXTS.map((text) => `SELECT ${TRINO.text(text)} AS x`);
  const texts = [...FUNCTIONS, ...QUERIES.map((query) => toSql(rewrittenQuery(query), TRINO).sql), ...hostile];
  const input = Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
  const classpath = readdirSync(jars as string)
    .filter((name) => name.endsWith('.jar'))
    .map((name) => join(jars as string, name));
  // The build copies no Java: the source stands in the checkout.
  const program = join(import.meta.dirname, '../../../../test/lake/sql/trino/ParseTrino.java');
  const { stdout, stderr, status } = spawnSync('java', ['-cp', classpath.join(delimiter), program], {
    input,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const lines = stdout.trim().split('\n');
  assert.equal(lines.length, texts.length);
  const wrong = lines.filter((line) => !line.endsWith(' ok'));
  assert.deepEqual(
    wrong.map((line) => `${line}\n${texts[Number.parseInt(line, 10)]}`),
    [],
  );
});
