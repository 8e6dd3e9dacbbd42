/** Tables of the benchmark of lakes. */
import { show, showRatio } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import type { LakeFigures } from './measure.js';

export function exportTable(measured: readonly LakeFigures[]): Table {
  return {
    title: 'Export',
    note: 'Parquet of what is current, of a store that is folded. CPU: of all threads.',
    columns: ['data', 'quads', 'CPU s', 'wall s', 'quads a CPU second', 'bytes a quad, rows', 'MiB, terms'],
    rows: measured.map(({ name, quads, cpuMs, wallMs, rowBytes, termBytes }) => [
      name,
      quads.toLocaleString('en-US'),
      show(cpuMs / 1000),
      show(wallMs / 1000),
      show((quads / cpuMs) * 1000),
      show(rowBytes / quads),
      show(termBytes / 2 ** 20),
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
    ...engines.flatMap(({ times }, at) => [
      times[query]?.ms === null ? 'refused' : show(times[query]?.ms),
      showRatio(ratios[at]?.[query] ?? null),
    ]),
  ]);
  const means = ratios.flatMap((all) => {
    const known = all.filter((ratio): ratio is number => ratio !== null);
    return ['', showRatio(Math.exp(known.reduce((sum, ratio) => sum + Math.log(ratio), 0) / known.length))];
  });
  return {
    title: `Queries of a lake, ${name}`,
    note: `Milliseconds by the clock; an engine stays open. Opening: ${engines
      .map(({ who, openMs }) => `${who} ${show(openMs)} ms`)
      .join(', ')}. Ratio: to the store's own time; mean: geometric.`,
    columns: ['query', 'svc', ...engines.flatMap(({ who }) => [who, 'ratio'])],
    rows: [...rows, ['mean', '', ...means]],
  };
}
