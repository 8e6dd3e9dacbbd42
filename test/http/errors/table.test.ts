/** The tables of `table.ts` against the specification, and every row of them against a live server. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../../tools/tidy.js';
import { SHARED_ABSENT, sharedFolder } from '../../shared.js';
import { DEFAULT_ROWS } from './default-rows.js';
import { ERROR_ROWS } from './error-rows.js';
import { LIMIT_ROWS } from './limit-rows.js';
import { SEARCH_DEFAULT_ROWS, SEARCH_ERROR_ROWS } from './search-rows.js';
import { STATUS_ROWS } from './status-rows.js';
import { type RowTest, Servers } from './support.js';
import { DEFAULTS, ERRORS, LIMITS, STATUSES, TABLES, type Table } from './table.js';

const ERROR_TESTS = { ...ERROR_ROWS, ...SEARCH_ERROR_ROWS };
const DEFAULT_TESTS = { ...DEFAULT_ROWS, ...SEARCH_DEFAULT_ROWS };

const shared = sharedFolder();

/** First cells of the first table under a heading, without code marks. */
function cellsOf(text: string, heading: string): string[] {
  const lines = text.split('\n');
  const from = lines.indexOf(heading);
  assert.ok(from >= 0, heading);
  const begin = lines.findIndex((line, at) => at > from && line.startsWith('|'));
  const end = lines.findIndex((line, at) => at > begin && !line.startsWith('|'));
  return lines.slice(begin + 2, end).map((line) => (line.split('|')[1] as string).replaceAll('`', '').trim());
}

test('the tables are those of the specification, both ways', { skip: shared === null && SHARED_ABSENT }, () => {
  for (const { document, heading, rows } of TABLES) {
    const cells = cellsOf(readFileSync(join(shared as string, 'spec', document), 'utf8'), heading);
    for (const cell of cells) {
      assert.equal(rows.filter(({ row }) => cell.startsWith(row)).length, 1, `${heading}: one entry for: ${cell}`);
    }
    for (const { row } of rows) {
      assert.equal(cells.filter((cell) => cell.startsWith(row)).length, 1, `${heading}: one row for: ${row}`);
    }
  }
});

test('every row has a test of its name, or a test elsewhere', () => {
  const kinds: readonly [readonly Table[], Readonly<Record<string, RowTest>>][] = [
    [[ERRORS], ERROR_TESTS],
    [[LIMITS], LIMIT_ROWS],
    [[STATUSES], STATUS_ROWS],
    [[DEFAULTS], { ...LIMIT_ROWS, ...DEFAULT_TESTS }],
  ];
  for (const [tables, tests] of kinds) {
    const named = tables.flatMap(({ rows }) => rows.filter(({ tested }) => tested).map(({ row }) => row));
    for (const name of named) assert.ok(name in tests, `a test of the name: ${name}`);
  }
  const all = new Set(TABLES.flatMap(({ rows }) => rows.filter(({ tested }) => tested).map(({ row }) => row)));
  for (const name of Object.keys({ ...ERROR_TESTS, ...LIMIT_ROWS, ...STATUS_ROWS, ...DEFAULT_TESTS }))
    assert.ok(all.has(name), `a row: ${name}`);
  for (const { row, tested, elsewhere } of TABLES.flatMap(({ rows }) => rows)) {
    assert.ok(tested || elsewhere, row);
    if (elsewhere === undefined) continue;
    const path = join(CHECKOUT, 'test', elsewhere[0]);
    assert.ok(existsSync(path) && readFileSync(path, 'utf8').includes(`test('${elsewhere[1]}'`), elsewhere.join(': '));
  }
});

test('every row', async (t) => {
  // The rows of all tables ask the same servers.
  const servers = new Servers(t);
  for (const [what, table, tests] of [
    ['errors', ERRORS, ERROR_TESTS],
    ['limits', LIMITS, LIMIT_ROWS],
    ['status codes', STATUSES, STATUS_ROWS],
    ['request defaults and limits', DEFAULTS, DEFAULT_TESTS],
  ] as const) {
    await t.test(`rows: ${what}`, async (rows) => {
      for (const { row } of table.rows) {
        const run = tests[row];
        if (run !== undefined) await rows.test(row, (own) => run(servers, own));
      }
    });
  }
});
