/** The benchmark of joins, groups and sorts by the number of keys, from what fits into the cache to what is far beyond it. */
import { parseSize } from '../data/data-set.js';
import { type Answer, coresFor, measureApart } from '../harness/child.js';
import { mebibytes, show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import type { BenchOptions } from '../options.js';
import type { JoinSortFigures, JoinSortTask } from './measure.js';

const KEYS = ['10k', '50k', '100k', '300k', '1M', '5M'];

export async function runJoinSort(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const results: JoinSortFigures[] = [];
  const errors: string[] = [];
  for (const size of options.rows ?? KEYS) {
    const task: JoinSortTask = { task: 'join-sort', keys: parseSize(size), runs: options.runs, only: '' };
    const answer: Answer<{ figures: readonly JoinSortFigures[] }> = await measureApart(task, coresFor(options.cpus, 1));
    if ('error' in answer) errors.push(answer.error);
    else results.push(...answer.figures);
  }
  const table = {
    title: 'Joins, groups and sorts',
    note: ['CPU of one thread, the least of the runs; ns for each row that goes in.', ...errors].join(' '),
    columns: ['case', 'keys', 'rows in', 'rows out', 'CPU ms', 'ns a row', 'memory, MiB'],
    rows: results.map(({ name, keys, rowsIn, rowsOut, cpuMs, peakBytes }) => [
      name,
      keys.toLocaleString('en-US'),
      rowsIn.toLocaleString('en-US'),
      rowsOut.toLocaleString('en-US'),
      show(cpuMs),
      show((1e6 * cpuMs) / rowsIn),
      show(mebibytes(peakBytes)),
    ]),
  };
  publish({ benchmark: 'join-sort', machine, tables: [table], results }, options);
}
