/** The benchmark of several threads in one query: CPU by the number of threads. */
import { parseSize } from '../data/data-set.js';
import { type Answer, measureApart } from '../harness/child.js';
import { show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import type { BenchOptions } from '../options.js';
import type { ThreadsFigures, ThreadsTask } from './measure.js';

const ROWS = ['20M'];

export async function runThreads(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const results: (ThreadsFigures & { readonly rows: number })[] = [];
  const errors: string[] = [];
  for (const size of options.rows ?? ROWS) {
    const rows = parseSize(size);
    const task: ThreadsTask = { task: 'threads', rows, runs: options.runs };
    const answer: Answer<{ figures: readonly ThreadsFigures[] }> = await measureApart(task, options.cpus);
    if ('error' in answer) errors.push(answer.error);
    else results.push(...answer.figures.map((one) => ({ ...one, rows })));
  }
  const table = {
    title: 'Threads in one query',
    note: [
      'CPU of all threads, and of the busiest, which idle cores would take; the least of the runs.',
      ...errors,
    ].join(' '),
    columns: ['query', 'rows', 'threads', 'CPU ms', 'busiest, ms', 'wall, ms'],
    rows: results.map(({ name, rows, threads, allMs, busiestMs, wallMs }) => [
      name,
      rows.toLocaleString('en-US'),
      `${threads}`,
      show(allMs),
      show(busiestMs),
      show(wallMs),
    ]),
  };
  publish({ benchmark: 'threads', machine, tables: [table], results }, options);
}
