/** The benchmark of operators: each by the time it takes itself, so that a regression names its file. */
import { provideDataSet } from '../data/data-set.js';
import { type Answer, coresFor, measureApart } from '../harness/child.js';
import { show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { BenchOptions } from '../options.js';
import type { OperatorFigures, OperatorsTask } from './measure.js';

export async function runOperators(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const size = options.sizes[0] as string;
  const data = provideDataSet('watdiv', size, console.error);
  const store = scratchPath('operators.svc');
  removeStore(store);
  const task: OperatorsTask = { task: 'operators', document: data.path, store, runs: Math.max(3, options.runs) };
  const answer: Answer<{ figures: readonly OperatorFigures[] }> = await measureApart(task, coresFor(options.cpus, 1));
  removeStore(store);
  const figures = 'error' in answer ? [] : answer.figures;
  const table = {
    title: `Operators, watdiv-${size}`,
    note: [
      'Own time of an operator, without its inputs; rows: taken and given.',
      ...('error' in answer ? [answer.error] : []),
    ].join(' '),
    columns: ['operator', 'file', 'what', 'rows', 'ms', 'M rows/s', 'spread'],
    rows: figures.map(({ name, file, what, rows, ms, spread }) => [
      name,
      file,
      what,
      rows === null ? 'not in the plan' : rows.toLocaleString('en-US'),
      show(ms),
      rows === null || ms === null ? '-' : show(rows / ms / 1000),
      spread === null ? '-' : spread.map((share) => share.toFixed(2)).join(' to '),
    ]),
  };
  publish({ benchmark: 'operators', machine, tables: [table], results: figures }, options);
}
