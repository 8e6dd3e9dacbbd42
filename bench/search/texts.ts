/** The benchmark of texts: 1 M literals of five words, unless told otherwise. */

import { SvcError } from '../../engine/base/errors.js';
import { parseSize } from '../data/data-set.js';
import { coresFor, isError, measureApart } from '../harness/child.js';
import { show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { BenchOptions } from '../options.js';
import type { TextsFigures } from './measure-texts.js';

const ROWS = ['1M'];

export async function runTexts(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const results: { readonly rows: string; readonly figures: TextsFigures }[] = [];
  for (const rows of options.rows ?? ROWS) {
    const store = scratchPath('texts.svc');
    removeStore(store);
    const task = { task: 'texts', store, rows: parseSize(rows), peers: options.peers };
    const figures = await measureApart<TextsFigures>(task, coresFor(options.cpus, 1));
    removeStore(store);
    if (isError(figures)) throw new SvcError('internal', `texts, ${rows}: ${figures.error}`);
    results.push({ rows, figures });
  }
  const building = {
    title: 'Texts: indexing them',
    note: 'Distinct literals a second of the processor of one core, and bytes each on disk.',
    columns: ['literals', 'index', 'literals /s', 'bytes each'],
    rows: results.flatMap(({ figures }) =>
      figures.indexes.map((one) => [
        show(figures.texts),
        one.who,
        show(one.textsPerSecond),
        one.bytesEach === null ? '-' : one.bytesEach.toFixed(1),
      ]),
    ),
  };
  const finding = {
    title: 'Texts: finding them',
    note: 'Time of the processor of one core: 300 queries of one to three words of a text, 300 parts of texts, 60 searches for entities.',
    columns: ['literals', 'question', 'who', 'p50 ms', 'p95 ms'],
    rows: results.flatMap(({ figures }) =>
      figures.questions.map((one) => [show(figures.texts), one.question, one.who, show(one.p50Ms), show(one.p95Ms)]),
    ),
  };
  publish({ benchmark: 'texts', machine, tables: [building, finding], results }, options);
}
