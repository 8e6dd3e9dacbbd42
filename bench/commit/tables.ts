/** The tables of the commit benchmark: a column a size of the store. */
import { mebibytes, show, showRatio } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import { type CommitCase, type CommitFigures, SIZES, WRITERS } from './case.js';

interface Line {
  readonly what: string;
  readonly unit: string;
  cell(figures: CommitFigures): string;
}

const plain = (what: string, unit: string, figure: string, scale = (value: number): number => value): Line => ({
  what,
  unit,
  cell: (figures) => (figures[figure] === undefined ? '-' : show(scale(figures[figure]))),
});
const times = (what: string, figure: string): Line => ({
  what,
  unit: '',
  cell: (figures) => showRatio(figures[figure] ?? null),
});

const quads = (size: number): string => (size === 1 ? '1 quad' : `${size.toLocaleString('en-US')} quads`);

function oneWriter(size: number): Line[] {
  const name = `one${size}`;
  return [
    plain(`${quads(size)}, one writer, median`, 'ms', name),
    plain(`${quads(size)}, least`, 'ms', `${name}Least`),
    plain(`${quads(size)}, 95 %`, 'ms', `${name}P95`),
    plain(`${quads(size)}, most`, 'ms', `${name}Most`),
    times(`${quads(size)}, median over one fdatasync`, `${name}Ratio`),
    plain(`${quads(size)}, pages written a commit`, '', `pages${size}`),
    plain(`${quads(size)}, rate`, 'quads/s', `rate${size}`),
  ];
}

function tenWriters(size: number): Line[] {
  const what = `${quads(size)}, ${WRITERS} writers`;
  return [
    plain(`${what}, time a write`, 'ms', `ten${size}`),
    times(`${what}, a write over one fdatasync`, `ten${size}Ratio`),
    plain(`${what}, median wait of a writer`, 'ms', `ten${size}Wait`),
    plain(`${what}, longest wait`, 'ms', `ten${size}WaitMost`),
    plain(`${what}, pages written a write`, '', `tenPages${size}`),
  ];
}

const COMMITS: readonly Line[] = [
  plain('bare fdatasync of 4 KB, median', 'ms', 'sync'),
  plain('bare fdatasync of 4 KB, 95 %', 'ms', 'syncP95'),
  ...SIZES.flatMap(oneWriter),
  ...[1, 20].flatMap(tenWriters),
];

const STEADY: readonly Line[] = [
  plain('commits in a row', '', 'steadyCommits'),
  plain('a commit, median', 'ms', 'steadyMedian'),
  plain('a commit, 99 %', 'ms', 'steadyP99'),
  plain('a commit, 99.9 %', 'ms', 'steadyP999'),
  plain('longest commit', 'ms', 'steadyMost'),
  plain('longest stall of the event loop', 'ms', 'steadyStall'),
  plain('changes, asserted and closed', 'quads/s', 'steadyRate'),
  plain('rows folded between commits', '', 'steadyFolded'),
  plain('runs merged between commits', '', 'steadyMerged'),
  plain('last fold and merges, in one go', 'ms', 'lastFoldMs'),
  plain('rows of the last fold', '', 'lastFoldRows'),
  plain('written, by the system’s count', 'MiB', 'steadyWritten', mebibytes),
  plain('of that log records', 'MiB', 'steadyLog', mebibytes),
  plain('of that blocks of folds and merges before the last', 'MiB', 'steadyCare', mebibytes),
  times('written over the N-Quads text of what was asserted', 'amplificationText'),
  times('written over what the store grew by', 'amplificationStored'),
  plain('runs in the end', '', 'runsAfter'),
  plain('peak memory', 'MiB', 'peakBytes', mebibytes),
];

export function commitTables(cases: readonly CommitCase[]): Table[] {
  const errors = cases.flatMap(({ rows, errors }) => errors.map((error) => `${rows} rows: ${error}.`));
  return [
    table('Durable commits', COMMITS, cases, [
      'Columns: rows in the store before. Every quad brings a new term.',
      ...errors,
    ]),
    table('Commits with folds and merges', STEADY, cases, [
      'Each commit asserts 20 quads with 20 new terms and closes 5, most of them in runs; the last fold is part of what was written.',
    ]),
  ];
}

function table(title: string, lines: readonly Line[], cases: readonly CommitCase[], note: readonly string[]): Table {
  return {
    title,
    note: note.join(' '),
    columns: ['what', 'unit', ...cases.map(({ rows }) => `${rows} rows`)],
    rows: lines.map((line) => [
      line.what,
      line.unit,
      ...cases.map(({ median }) => (median === null ? '-' : line.cell(median))),
    ]),
  };
}
