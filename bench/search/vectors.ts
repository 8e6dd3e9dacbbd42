/** The benchmark of vectors: 1 M of 384 numbers, unless told otherwise. */
import { SvcError } from '../../engine/base/errors.js';
import { parseSize } from '../data/data-set.js';
import { coresFor, isError, measureApart } from '../harness/child.js';
import { show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { BenchOptions } from '../options.js';
import type { VectorFigures } from './measure-vectors.js';

const ROWS = ['1M'];

export async function runVectors(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const results: { readonly rows: string; readonly figures: VectorFigures }[] = [];
  for (const rows of options.rows ?? ROWS) {
    const store = scratchPath('vectors.svc');
    removeStore(store);
    const task = { task: 'vectors', store, rows: parseSize(rows), peers: options.peers };
    const figures = await measureApart<VectorFigures>(task, coresFor(options.cpus, 1));
    removeStore(store);
    if (isError(figures)) throw new SvcError('internal', `vectors, ${rows}: ${figures.error}`);
    results.push({ rows, figures });
  }
  const building = {
    title: 'Vectors: making them',
    note: 'Vectors of 384 numbers a second of the processor: put into the store, in batches, with segments made as they come; made one segment. In memory: all that a thread that searches keeps, without filters and with what they and questions of the past need.',
    columns: ['vectors', 'put /s', 'segment /s', 'bytes on disk each', 'in memory', 'with filters', 'usearch /s'],
    rows: results.map(({ rows, figures }) => [
      rows,
      show(figures.putPerSecond),
      show(figures.segmentsPerSecond),
      show(figures.bytesOnDisk),
      show(figures.bytesInMemory),
      show(figures.bytesWithFilters),
      figures.peer === null ? '-' : show(figures.peer.builtPerSecond),
    ]),
  };
  const finding = {
    title: 'Vectors: the ten nearest',
    note: `Time of the processor of one core, 60 queries. Nearest: mean cosine of the first.${absentPeer(results)}`,
    columns: ['vectors', 'question', 'p50 ms', 'p95 ms', 'recall', 'nearest'],
    rows: results.flatMap(({ rows, figures }) =>
      [...figures.questions, ...(figures.peer?.questions ?? [])].map((one) => [
        rows,
        one.question,
        show(one.p50Ms),
        show(one.p95Ms),
        one.recall === null ? '-' : one.recall.toFixed(4),
        one.nearest === null ? '-' : one.nearest.toFixed(2),
      ]),
    ),
  };
  publish({ benchmark: 'vectors', machine, tables: [building, finding], results }, options);
}

function absentPeer(results: readonly { readonly figures: VectorFigures }[]): string {
  const isAbsent = results.some(({ figures }) => figures.peer === null);
  return isAbsent ? ' usearch was left out: it is not installed, or was not asked for.' : '';
}
