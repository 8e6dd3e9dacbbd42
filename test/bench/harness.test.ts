/** Figures, tables, options and the section of a document. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { median, medians, percentile95, show, showRatio } from '../../bench/harness/figures.js';
import { CHECKOUT } from '../../bench/harness/machine.js';
import { replaceSection } from '../../bench/harness/report.js';
import { renderTable } from '../../bench/harness/table.js';
import { parseOptions } from '../../bench/options.js';

test('medians and percentiles', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(percentile95(Array.from({ length: 100 }, (_, i) => i)), 95);
  assert.deepEqual(
    medians([
      { a: 1, b: 9 },
      { a: 3, b: 7 },
      { a: 2, b: 8 },
    ]),
    { a: 2, b: 8 },
  );
});

test('numbers as people read them', () => {
  assert.deepEqual([0, 0.0123, 1.234, 12.34, 1234.5].map(show), ['0', '0.012', '1.23', '12.3', '1,235']);
  assert.equal(show(undefined), '-');
  assert.equal(showRatio(2), '2.00x');
  assert.equal(showRatio(null), '-');
});

test('a table has columns of one width, numbers to the right', () => {
  const text = renderTable({
    title: 'T',
    columns: ['name', 'µs'],
    rows: [
      ['a', '1.5'],
      ['longer', '12'],
    ],
  });
  assert.deepEqual(text.split('\n').slice(2, 6), [
    '| name   |  µs |',
    '|--------|----:|',
    '| a      | 1.5 |',
    '| longer |  12 |',
  ]);
});

test('a section is replaced, the rest of the document stays', () => {
  const document = 'a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n';
  const once = replaceSection(document, 'x', 'new\n');
  assert.equal(once, 'a\n<!-- x:begin -->\nnew\n<!-- x:end -->\nb\n');
  assert.equal(replaceSection(once, 'x', 'new'), once);
  assert.throws(() => replaceSection(document, 'y', 'new'), { code: 'configuration' });
});

test('the document has a section for every benchmark', () => {
  const document = readFileSync(join(CHECKOUT, 'docs/benchmarks.md'), 'utf8');
  for (const name of [
    'sparql',
    'sparql-time',
    'sparql-graphs',
    'sparql-delta',
    'sparql-threads',
    'sparql-growth',
    'operators',
    'join-sort',
    'load',
    'storage',
    'kernels',
    'commit',
    'growth',
    'time',
    'bitemporal',
    'http',
  ])
    assert.match(replaceSection(document, name, 'figures'), /figures/);
});

test('options: defaults, lists, and what is refused', () => {
  const { sizes, sets, threads, runs, peers } = parseOptions([]);
  assert.deepEqual(
    { sizes, sets, threads, runs, peers },
    {
      sizes: ['1M', '5M'],
      sets: ['bsbm', 'watdiv'],
      threads: [1, 2],
      runs: 3,
      peers: true,
    },
  );
  assert.equal(parseOptions(['--cpus', 'none']).cpus, null);
  const { rows, commits, history, made } = parseOptions(['--rows', '0,20k', '--history', '90,10', '--made', 'updates']);
  assert.deepEqual(
    { rows, commits, history, made },
    { rows: ['0', '20k'], commits: 20_000, history: [10, 90], made: ['updates'] },
  );
  assert.deepEqual(parseOptions(['--cpus', '0', '--no-peers', '--sizes', '200k']).cpus, [0]);
  for (const wrong of [
    ['--sets', 'x'],
    ['--threads', '3'],
    ['--runs', '0'],
    ['--sizes', '1G'],
    ['--what'],
    ['--rows', 'many'],
    ['--commits', '1'],
    ['--history', '100'],
    ['--made', 'x'],
    ['--cpus', '9999'],
  ]) {
    assert.throws(() => parseOptions(wrong), { code: 'usage' }, wrong.join(' '));
  }
});
