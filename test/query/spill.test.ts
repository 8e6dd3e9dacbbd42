/**
 * Operators that run out of memory go to disk and answer as if they had not: the same rows in the same
 * order. Files are gone when the operator is closed, and while it runs nobody else can see them.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { SortKey } from '../../engine/query/algebra/algebra.js';
import { DistinctOperator } from '../../engine/query/execute/group/distinct.js';
import { SortOperator } from '../../engine/query/execute/sort/sort.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { type Operator, PENDING } from '../../engine/query/runtime/operator.js';
import { MemoryPool } from '../../engine/query/runtime/process-memory.js';
import { SpilledReader, SpilledRows } from '../../engine/query/runtime/spill/spilled-rows.js';
import type { QueryTerms } from '../../engine/query/terms/terms.js';
import { type Term, terms, XSD } from '../../engine/rdf/terms.js';
import { RowsInput, rowsOf, termsOver } from './operator-support.js';

const MEBIBYTE = 2 ** 20;
const LARGE = 512 * MEBIBYTE;

let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-test-'));
});
after(() => rmSync(directory, { recursive: true }));

interface Outcome {
  readonly rows: string[];
  readonly spilledBytes: number;
  readonly peakBytes: number;
}

/** Runs an operator within a budget and checks that it leaves nothing behind. */
function outcome(limitBytes: number, make: (budget: MemoryBudget) => Operator): Outcome {
  const budget = new MemoryBudget(limitBytes, { spill: { directory } });
  const operator = make(budget);
  const before = budget.usedBytes;
  const rows = rowsOf(operator);
  assert.ok(budget.usedBytes <= before, `${budget.usedBytes - before} bytes were not given back`);
  assert.equal(budget.spill.isOpen, false, 'the spill file is still open');
  assert.deepEqual(readdirSync(directory), []);
  return { rows, spilledBytes: budget.spill.writtenBytes, peakBytes: budget.peakBytes };
}

/** The same answer with plenty of memory and with little; the latter has to spill. */
function assertSame(limitBytes: number, make: (budget: MemoryBudget) => Operator): Outcome {
  const free = outcome(LARGE, make);
  const tight = outcome(limitBytes, make);
  assert.equal(free.spilledBytes, 0);
  assert.ok(tight.spilledBytes > 0, 'nothing was spilled');
  assert.ok(tight.peakBytes <= limitBytes);
  assert.equal(tight.rows.length, free.rows.length);
  const different = tight.rows.findIndex((row, at) => row !== free.rows[at]);
  assert.ok(different < 0, `row ${different} is ${tight.rows[different]}, not ${free.rows[different]}`);
  return tight;
}

/** A number that looks random and is the same in every run. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ 0x2545f491, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

const typed = (text: string, type: string) => terms.literal(text, terms.namedNode(`${XSD}${type}`));

function termOf(kind: string, value: number): Term | null {
  switch (kind) {
    case 'integer':
      return typed(String(value - 500), 'integer');
    case 'decimal':
      return typed(`${value % 100}.${value % 10}`, 'decimal');
    case 'double':
      return typed(`${value % 100}.${value % 10}`, 'double');
    case 'string':
      return terms.literal(`text ${value}`);
    case 'language':
      return terms.literal(`text ${value % 50}`, value % 2 === 0 ? 'en' : 'de');
    case 'iri':
      return terms.namedNode(`http://example.org/${value}`);
    case 'date':
      return typed(`20${10 + (value % 80)}-01-0${1 + (value % 9)}`, 'date');
    default:
      return null;
  }
}

const KINDS = ['integer', 'decimal', 'double', 'string', 'language', 'iri', 'date', 'unbound'];

/** Rows of (term of one of the kinds, small number, place in the input). */
function mixedRows(rows: number, kinds: readonly string[], dictionary: QueryTerms): RowsInput {
  const palette = Array.from({ length: 4096 }, (_, at) => {
    const term = termOf(kinds[at % kinds.length] as string, scramble(at) % 1000);
    return term === null ? 0n : dictionary.encode(term);
  });
  const numbers = Array.from({ length: 8 }, (_, at) => dictionary.encode(typed(String(at), 'integer')));
  return new RowsInput(['a', 'b', 'c'], rows, (row, column) => {
    if (column === 0) return palette[scramble(row) % palette.length] as bigint;
    return column === 1 ? (numbers[scramble(row + 7) % 8] as bigint) : BigInt(row) + (0x38n << 56n);
  });
}

const by = (name: string, descending = false): SortKey => ({ expression: { kind: 'variable', name }, descending });

const SORTS: readonly (readonly [string, readonly string[], readonly SortKey[], number | null])[] = [
  ['numbers', ['integer'], [by('a'), by('b', true)], null],
  ['numbers of several types and unbound', ['integer', 'decimal', 'double', 'unbound'], [by('a')], null],
  ['all kinds of terms', KINDS, [by('a'), by('b')], null],
  ['all kinds of terms, descending', KINDS, [by('b'), by('a', true)], null],
  ['texts, the first half', ['string', 'language'], [by('a')], 30_000],
  ['one key that ties everywhere', ['integer'], [by('d')], null],
];

for (const [name, kinds, keys, limit] of SORTS) {
  test(`ORDER BY in runs on disk: ${name}`, () => {
    assertSame(3 * MEBIBYTE, (budget) => {
      const dictionary = termsOver(budget);
      return new SortOperator(mixedRows(60_000, kinds, dictionary), keys, limit, dictionary, budget);
    });
  });
}

test('ORDER BY merges more runs than one merge takes', () => {
  const tight = assertSame(MEBIBYTE, (budget) => {
    const dictionary = termsOver(budget);
    const zero = dictionary.encode(typed('0', 'integer'));
    const input = new RowsInput(['a', 'b'], 200_000, (row, column) => {
      return zero + BigInt(column === 0 ? scramble(row) : row);
    });
    return new SortOperator(input, [by('a')], null, dictionary, budget);
  });
  assert.ok(tight.spilledBytes > 2 * 200_000 * 24, 'no run was merged twice');
});

test('ORDER BY with a small LIMIT needs no disk', () => {
  const { spilledBytes, rows } = outcome(4 * MEBIBYTE, (budget) => {
    const dictionary = termsOver(budget);
    return new SortOperator(mixedRows(200_000, ['integer', 'iri'], dictionary), [by('a')], 10, dictionary, budget);
  });
  assert.equal(spilledBytes, 0);
  assert.equal(rows.length, 10);
});

test('DISTINCT on disk gives each row once, in the order of the input', () => {
  const distinct = (limitBytes: number, values: number) =>
    assertSame(limitBytes, (budget) => {
      const input = new RowsInput(['a', 'b'], 150_000, (row, column) => {
        return (0x20n << 56n) + BigInt(column === 0 ? scramble(row) % values : 7);
      });
      return new DistinctOperator(input, budget);
    });
  assert.equal(
    distinct(MEBIBYTE, 40_000).rows.length,
    new Set(Array.from({ length: 150_000 }, (_, row) => scramble(row) % 40_000)).size,
  );
  // Parts that have to be split again.
  distinct(MEBIBYTE, 1_000_000);
});

test('rows come back from disk as they went there', () => {
  for (const width of [1, 3, 700]) {
    const budget = new MemoryBudget(8 * MEBIBYTE, { spill: { directory } });
    const rows = Math.ceil(50_000 / width);
    const spilled = new SpilledRows(budget.spill, width, budget);
    const id = (row: number, column: number) => scramble(row * width + column);
    const columns = Array.from({ length: width }, () => new Uint32Array(2));
    for (let row = 0; row < rows; row++) {
      for (const [at, column] of columns.entries()) column.set([id(row, at), row]);
      spilled.appendRow(columns, 0);
    }
    spilled.seal();
    for (const consume of [false, true]) {
      const reader = new SpilledReader(spilled, { consume });
      let row = 0;
      for (let batch = reader.next(); batch !== null; batch = reader.next()) {
        for (let at = 0; at < batch.rows; at++, row++) {
          for (const [place, column] of batch.columns.entries()) {
            if (column[2 * at] !== id(row, place) || column[2 * at + 1] !== row) assert.fail(`row ${row}, ${place}`);
          }
        }
      }
      reader.close();
      assert.equal(row, rows);
    }
    spilled.release();
    assert.equal(budget.usedBytes, 0);
    assert.equal(budget.spill.isOpen, false);
  }
});

function spillingSort(budget: MemoryBudget): { operator: Operator; input: RowsInput } {
  const dictionary = termsOver(budget);
  const input = mixedRows(60_000, ['integer'], dictionary);
  return { operator: new SortOperator(input, [by('a')], null, dictionary, budget), input };
}

test('closing in the middle gives memory and disk back, and the file has no name meanwhile', () => {
  const budget = new MemoryBudget(MEBIBYTE, { spill: { directory } });
  const { operator, input } = spillingSort(budget);
  while (!budget.spill.isOpen) assert.equal(operator.next(), PENDING);
  if (process.platform !== 'win32') assert.deepEqual(readdirSync(directory), []);
  operator.close();
  operator.close();
  assert.ok(input.closed);
  assert.equal(budget.usedBytes, 0);
  assert.equal(budget.spill.isOpen, false);
});

test('files of processes that are gone are removed, others stay', () => {
  const folder = join(directory, 'old');
  const budget = new MemoryBudget(MEBIBYTE, { spill: { directory: folder } });
  const { operator } = spillingSort(budget);
  const left = mkdtempSync(join(tmpdir(), 'svc-test-'));
  try {
    writeFileSync(join(left, 'svc-spill-999999999-00ff.tmp'), 'left');
    writeFileSync(join(left, `svc-spill-${process.pid}-00ff.tmp`), 'mine');
    writeFileSync(join(left, 'other.tmp'), 'other');
    const other = new MemoryBudget(MEBIBYTE, { spill: { directory: left } });
    rowsOf(spillingSort(other).operator);
    assert.deepEqual(readdirSync(left).sort(), ['other.tmp', `svc-spill-${process.pid}-00ff.tmp`].sort());
    rowsOf(operator);
  } finally {
    rmSync(left, { recursive: true });
    rmSync(folder, { recursive: true, force: true });
  }
});

test('what is on disk has a limit, and a folder that can not be written is named', () => {
  const limited = new MemoryBudget(MEBIBYTE, { spill: { directory, limitBytes: 100_000 } });
  assert.throws(() => rowsOf(spillingSort(limited).operator), {
    code: 'query_complexity',
    message: /query\.spill_max_mb/,
  });
  assert.equal(limited.spill.isOpen, false);
  const file = join(directory, 'file');
  writeFileSync(file, '');
  const misplaced = new MemoryBudget(MEBIBYTE, { spill: { directory: file } });
  assert.throws(
    () => rowsOf(spillingSort(misplaced).operator),
    (error: Error) => error.message.includes(file),
  );
  rmSync(file);
});

test('queries share the memory of the process, and each has a little for sure', () => {
  const slots = new Int32Array(new SharedArrayBuffer(8));
  const first = new MemoryBudget(64 * MEBIBYTE, { pool: new MemoryPool(32 * MEBIBYTE, slots, 0) });
  const second = new MemoryBudget(64 * MEBIBYTE, { pool: new MemoryPool(32 * MEBIBYTE, slots, 1) });
  first.take(40 * MEBIBYTE);
  second.take(16 * MEBIBYTE);
  const account = second.openAccount();
  assert.equal(account.fits(4 * MEBIBYTE), true);
  assert.equal(account.fits(20 * MEBIBYTE), false);
  assert.throws(() => second.take(20 * MEBIBYTE), { code: 'query_complexity', message: /together.*memory_budget_mb/ });
  first.give(40 * MEBIBYTE);
  first.close();
  second.take(20 * MEBIBYTE);
  second.close();
  assert.deepEqual([...slots], [0, 0]);
});
