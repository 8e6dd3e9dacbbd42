/**
 * The load benchmark: every data set, thread count and peer once per round, so that a slow minute of
 * the machine hits all of them; then medians.
 */
import { SvcError } from '../../engine/base/errors.js';
import { type DataSet, provideDataSet } from '../data/data-set.js';
import { type Answer, type Cores, coresFor, isError, measureApart } from '../harness/child.js';
import { medians, show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { BenchOptions } from '../options.js';
import type { LoadCase } from './case.js';
import type { LoadMeasurement } from './measure.js';
import { loadTables } from './tables.js';

/** Shows what a load costs however small it is: modules, kernels, making the file. */
const TINY_SIZE = '1k';

export async function runLoad(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const tiny = provideDataSet('watdiv', TINY_SIZE, console.error);
  const cases: LoadCase[] = [newCase(tiny, 'svc', 1)];
  if (options.peers) cases.push(newCase(tiny, 'oxigraph', 1));
  for (const set of options.sets) {
    for (const size of options.sizes) {
      const data = provideDataSet(set, size, console.error);
      for (const threads of options.threads) cases.push(newCase(data, 'svc', threads));
      if (options.peers) cases.push(newCase(data, 'oxigraph', 1));
    }
  }
  for (let round = 0; round < options.runs; round++) {
    for (const one of cases) if (one.error === null) await runOnce(one, options);
  }
  for (const one of cases) if (one.runs.length > 0) one.median = medians(one.runs);
  publish({ benchmark: 'load', machine, tables: loadTables(cases), results: cases }, options);
}

/** Loads a document into a new store, in a process of its own. */
export async function loadApart(input: string, store: string, cpus: Cores): Promise<void> {
  const task = { task: 'load', input, store, threads: 2 };
  const loaded: Answer<LoadMeasurement> = await measureApart(task, coresFor(cpus, 2));
  if (isError(loaded)) throw new SvcError('internal', `loading ${input}: ${loaded.error}`);
}

function newCase(data: DataSet, who: string, threads: number): LoadCase {
  return { data, who, threads, runs: [], median: null, stats: null, error: null };
}

async function runOnce(one: LoadCase, options: BenchOptions): Promise<void> {
  const { data, who, threads } = one;
  const store = scratchPath('load.svc');
  const task =
    who === 'svc' ? { task: 'load', input: data.path, store, threads } : { task: 'load-peer', input: data.path };
  const answer: Answer<LoadMeasurement> = await measureApart(task, coresFor(options.cpus, threads));
  removeStore(store);
  const name = `${data.set}-${data.size} ${who}${who === 'svc' ? ` ${threads} thread(s)` : ''}`;
  if ('error' in answer) {
    one.error = answer.error;
    console.error(`${name}: ${answer.error}`);
    return;
  }
  one.runs.push(answer.figures);
  one.stats = answer.stats;
  const { quadsRead, wallMs } = answer.figures;
  console.error(`${name}: ${show(wallMs / 1000)} s, ${show(quadsRead / (wallMs / 1000))} triples/s`);
}
