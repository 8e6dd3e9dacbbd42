/** What each dialect says, and what it refuses before anything is written. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../../engine/base/errors.js';
import { DIALECTS } from '../../../engine/lake/sql/dialects/index.js';
import { rewrittenQuery, toSql } from '../../../engine/lake/sql/to-sql.js';
import { PATHS, QUERIES } from './queries.js';

const refusalOf = (query: string, name: keyof typeof DIALECTS): string | null => {
  try {
    toSql(rewrittenQuery(query), DIALECTS[name]);
    return null;
  } catch (error) {
    assert.ok(error instanceof SvcError && error.code === 'unsupported', String(error));
    return `${error.message}; ${error.hint}`;
  }
};

test('every construct has a text in every dialect', () => {
  for (const name of ['duckdb', 'spark', 'trino'] as const) {
    for (const query of QUERIES) assert.equal(refusalOf(query, name), null, `${name}: ${query}`);
  }
});

test('paths of any length are refused where there is no recursion over sets', () => {
  for (const query of PATHS.slice(0, 2)) {
    assert.equal(refusalOf(query, 'duckdb'), null);
    assert.match(refusalOf(query, 'spark') as string, /^Spark does not have a path of any length.*ask DuckDB/);
    assert.match(refusalOf(query, 'trino') as string, /^Trino does not have a path of any length/);
  }
});

test('a function that a dialect lacks is named with the dialect', () => {
  const query = 'SELECT (SHA384(?o) AS ?x) { ?s ?p ?o }';
  assert.match(refusalOf(query, 'duckdb') as string, /^DuckDB does not have SHA384.*use SHA256/);
  assert.equal(refusalOf(query, 'spark'), null);
});

test('no text casts by colons or filters windows by a clause of their own', () => {
  for (const name of ['duckdb', 'spark', 'trino'] as const) {
    for (const query of QUERIES) {
      const { sql } = toSql(rewrittenQuery(query), DIALECTS[name]);
      assert.doesNotMatch(sql, /::|QUALIFY/);
    }
  }
});
