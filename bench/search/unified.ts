/** The benchmark of whole searches: 1 M entities with a label, a link and a vector each, unless told otherwise. */
import { SvcError } from '../../engine/base/errors.js';
import { parseSize } from '../data/data-set.js';
import { coresFor, isError, measureApart } from '../harness/child.js';
import { show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { BenchOptions } from '../options.js';
import type { UnifiedFigures } from './measure-unified.js';

const ROWS = ['1M'];

export async function runUnified(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const results: { readonly rows: string; readonly figures: UnifiedFigures }[] = [];
  for (const rows of options.rows ?? ROWS) {
    const [store, plain] = [scratchPath('unified.svc'), scratchPath('plain.svc')];
    const remove = (): void => [store, plain].forEach(removeStore);
    remove();
    const task = { task: 'unified', store, plain, rows: parseSize(rows) };
    const figures = await measureApart<UnifiedFigures>(task, coresFor(options.cpus, 1));
    remove();
    if (isError(figures)) throw new SvcError('internal', `unified, ${rows}: ${figures.error}`);
    results.push({ rows, figures });
  }
  const finding = {
    title: 'Whole searches: text, vectors and links',
    note: 'Time of the processor of one core, 60 questions of one to three words, without the embedding of the question.',
    columns: ['entities', 'question', 'vectors', 'p50 ms', 'p95 ms', 'found'],
    rows: results.flatMap(({ rows, figures }) =>
      figures.questions.map((one) => [
        rows,
        one.question,
        one.backend,
        show(one.p50Ms),
        show(one.p95Ms),
        one.entities.toFixed(1),
      ]),
    ),
  };
  const committing = {
    title: 'Whole searches: what commits pay',
    note: 'Median time of the processor of a commit of 20 facts, three of them labels, into the store with indexes and one without, in turns.',
    columns: ['entities', 'with indexes ms', 'without ms'],
    rows: results.map(({ rows, figures: { commitMs } }) => [rows, show(commitMs.indexed), show(commitMs.plain)]),
  };
  publish({ benchmark: 'unified', machine, tables: [finding, committing], results }, options);
}
