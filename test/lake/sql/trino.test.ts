/** Trino's SQL is held against Trino's own parser. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { TRINO } from '../../../engine/lake/sql/dialects/trino.js';
import { rewrittenQuery, toSql } from '../../../engine/lake/sql/to-sql.js';
import { HOSTILE_TEXTS } from './hostile-texts.js';
import { QUERIES } from './queries.js';

const jars = process.env.SVC_TRINO_PARSER;
const SKIP = 'SVC_TRINO_PARSER names no folder with the jars of trino-parser';

test('the parser of Trino takes what is written for it', { skip: jars === undefined ? SKIP : false }, () => {
  const hostile = HOSTILE_TEXTS.map((text) => `SELECT ${TRINO.text(text)} AS x`);
  const texts = [...QUERIES.map((query) => toSql(rewrittenQuery(query), TRINO).sql), ...hostile];
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
