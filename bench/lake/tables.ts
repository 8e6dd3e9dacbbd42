/** Tables of the benchmark of lakes. */
import { show, showRatio } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import type { LakeFigures, QueryTime } from './measure.js';

type Asked = LakeFigures['asked'][number];

export function exportTable(measured: readonly LakeFigures[]): Table {
  return {
    title: 'Export',
    note: 'Parquet of what is current, of a store that is folded. CPU: of all threads.',
    columns: [
      'data',
      'quads',
      'CPU s',
      'wall s',
      'quads a CPU second',
      'bytes a quad, rows',
      'MiB, terms',
      'of their text',
    ],
    rows: measured.map(({ name, quads, cpuMs, wallMs, rowBytes, termBytes, textBytes }) => [
      name,
      quads.toLocaleString('en-US'),
      show(cpuMs / 1000),
      show(wallMs / 1000),
      show((quads / cpuMs) * 1000),
      show(rowBytes / quads),
      show(termBytes / 2 ** 20),
      show(termBytes / textBytes),
    ]),
  };
}

export function queriesTable({ name, asked }: LakeFigures): Table {
  const [store, ...engines] = asked;
  const ratiosOf = (at: number): (number | null)[] =>
    (engines[at]?.times ?? []).map(({ ms }, query) => {
      const own = store?.times[query]?.ms ?? null;
      return ms === null || own === null ? null : ms / own;
    });
  const ratios = engines.map((_, at) => ratiosOf(at));
  const rows = (store?.times ?? []).map(({ label, ms }, query) => [
    label,
    show(ms),
    ...engines.flatMap(({ times }, at) => [cellOf(times[query]), showRatio(ratios[at]?.[query] ?? null)]),
  ]);
  const means = ratios.flatMap((all) => {
    const known = all.filter((ratio): ratio is number => ratio !== null);
    return ['', showRatio(Math.exp(known.reduce((sum, ratio) => sum + Math.log(ratio), 0) / known.length))];
  });
  const refused = new Set(
    engines.flatMap(({ who, times }) =>
      times.flatMap(({ label, refused }) => (refused === null ? [] : `${label}, ${who}: ${refused}`)),
    ),
  );
  const [one, two] = engines.filter(({ who }) => who.startsWith('Spark'));
  const notes = [
    'Milliseconds by the clock; an engine stays open. Ratio: to the time of the store; mean: geometric. Answers are compared with those of the store, decimals and doubles by 10 digits.',
    `Opening: ${engines.map(({ who, openMs }) => `${who} ${show(openMs)} ms`).join(', ')}.`,
    ...(one === undefined || two === undefined ? [] : [scaling(one, two)]),
    ...[...refused].map((told) => `Refused: ${told}.`),
  ];
  return {
    title: `Queries of a lake, ${name}`,
    note: notes.join(' '),
    columns: ['query', 'svc', ...engines.flatMap(({ who }) => [who, 'ratio'])],
    rows: [...rows, ['mean', '', ...means]],
  };
}

function cellOf(time: QueryTime | undefined): string {
  if (time === undefined || time.ms === null) return 'refused';
  return time.equal === false ? `${show(time.ms)}, another answer` : show(time.ms);
}

/** Of the queries that both answered. */
function scaling(one: Asked, two: Asked): string {
  let [single, both] = [0, 0];
  for (const [at, { ms }] of one.times.entries()) {
    const other = two.times[at]?.ms ?? null;
    if (ms === null || other === null) continue;
    single += ms;
    both += other;
  }
  return `All queries: ${one.who} ${show(single)} ms, ${two.who} ${show(both)} ms, ${showRatio(single / both)}.`;
}
