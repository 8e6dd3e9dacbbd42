/** The table of the benchmark of shares. */
import { mebibytes, show } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import { CHANGES, type ShareCase, STEPS } from './case.js';

export function shareTables(cases: readonly ShareCase[]): Table[] {
  const note = [
    `Status and merge: with ${CHANGES} facts added and as many taken away by the other store.`,
    'CPU s: of all threads, without the start of a process.',
    ...cases.flatMap(({ errors }) => errors),
  ].join(' ');
  return [
    {
      title: 'Shares',
      note,
      columns: ['data', 'facts', 'step', 'wall s', 'CPU s', 'facts/CPU s', 'peak MiB'],
      rows: cases.flatMap(({ data, median }) =>
        STEPS.map((step) => {
          const name = `${data.set}-${data.size}`;
          if (median === null) return [name, '-', step, '-', '-', '-', '-'];
          const { facts = 0, peakBytes = 0 } = median;
          const [wall, cpu] = [`${step}.wall`, `${step}.cpu`].map((one) => (median[one] ?? 0) / 1000) as [
            number,
            number,
          ];
          const rate = Math.round(facts / cpu).toLocaleString('en-US');
          return [name, facts.toLocaleString('en-US'), step, show(wall), show(cpu), rate, show(mebibytes(peakBytes))];
        }),
      ),
    },
  ];
}
