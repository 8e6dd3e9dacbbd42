/** The tables of the benchmark of freezing. */
import { mebibytes, show } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import {
  FREEZE_STEPS,
  type FreezeCase,
  type FreezeFigures,
  type ManyCase,
  QUERIES,
  type QueryName,
  THAW_STEPS,
  TRANSACTIONS,
} from './case.js';

interface Line {
  readonly what: string;
  readonly unit: string;
  cell(figures: FreezeFigures): string;
}

const plain = (what: string, unit: string, name: string, scale = (value: number): number => value): Line => ({
  what,
  unit,
  cell: (figures) => (figures[name] === undefined ? '-' : show(scale(figures[name]))),
});
const seconds = (what: string, name: string): Line[] => [
  plain(what, 's', `${name}.wall`, (ms) => ms / 1000),
  plain(`${what}, processor`, 's', `${name}.cpu`, (ms) => ms / 1000),
  plain(`${what}, processor of the first thread`, 's', `${name}.own`, (ms) => ms / 1000),
];
const over = (what: string, name: string, other: string): Line => ({
  what,
  unit: 'x',
  cell: (figures) => show((figures[name] as number) / (figures[other] as number)),
});

function query(name: QueryName): Line[] {
  return [
    plain(`query "${name}" in the store, processor`, 'ms', `${name}.before`),
    over(`query "${name}", frozen over before`, `${name}.frozen`, `${name}.before`),
    over(`query "${name}", thawed over before`, `${name}.after`, `${name}.before`),
  ];
}

const FREEZING: readonly Line[] = [
  plain('facts', '', 'facts'),
  ...seconds('freeze', 'freeze'),
  ...FREEZE_STEPS.flatMap((step) => seconds(`freeze, until "${step}"`, `freeze.${step}`)),
  ...seconds('thaw', 'thaw'),
  ...THAW_STEPS.flatMap((step) => seconds(`thaw, until "${step}"`, `thaw.${step}`)),
  plain('store before', 'MiB', 'storeBytes', mebibytes),
  plain('pack', 'MiB', 'packBytes', mebibytes),
  plain('peak memory', 'MiB', 'peakBytes', mebibytes),
  ...(Object.keys(QUERIES) as QueryName[]).flatMap(query),
];

const MANY: readonly Line[] = [
  plain('freezing one', 'ms', 'freezeEach'),
  plain('opening the store before', 'ms', 'open.before'),
  plain('opening the store', 'ms', 'open.after'),
  plain('listing the frozen graphs', 'ms', 'list'),
  plain('first query into one', 'ms', 'firstUse'),
  plain('counting ROOT before', 'ms', 'root1.before'),
  plain('counting ROOT', 'ms', 'root1.after'),
  plain('join in ROOT before', 'ms', 'root2.before'),
  plain('join in ROOT', 'ms', 'root2.after'),
];

export function freezeTables(cases: readonly FreezeCase[], many: ManyCase): Table[] {
  const columns = cases.map(({ data, median }) => [`${data.set} ${data.size}`, median] as const);
  const errors = [...cases, many].flatMap((one) => one.errors);
  const note = [`The graph came in ${TRANSACTIONS} transactions; each step from the end of the one before.`, ...errors];
  return [
    table('Freezing and thawing a graph', FREEZING, columns, note.join(' ')),
    table('A store with many frozen graphs', MANY, [[`${many.packs} graphs`, many.median]], 'Least of several.'),
  ];
}

function table(
  title: string,
  lines: readonly Line[],
  columns: readonly (readonly [string, FreezeFigures | null])[],
  note: string,
): Table {
  return {
    title,
    note,
    columns: ['what', 'unit', ...columns.map(([name]) => name)],
    rows: lines.map((line) => [
      line.what,
      line.unit,
      ...columns.map(([, median]) => (median === null ? '-' : line.cell(median))),
    ]),
  };
}
