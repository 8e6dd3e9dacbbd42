/**
 * The storage benchmark: loads every data set once, then measures in rounds: reading, opening, and
 * the peer, each in a process of its own.
 */
import { provideDataSet } from '../data/data-set.js';
import { type Answer, coresFor, isError, measureApart } from '../harness/child.js';
import { medians, show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import { loadApart } from '../load/load.js';
import type { BenchOptions } from '../options.js';
import type { StorageCase, StorageFigures } from './case.js';
import type { OpenFigures } from './measure-open.js';
import { storageTables } from './tables.js';

export async function runStorage(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const cases: StorageCase[] = [];
  for (const set of options.sets) {
    for (const size of options.sizes) {
      const data = provideDataSet(set, size, console.error);
      const one: StorageCase = { data, runs: [], peerRuns: [], errors: [], median: null, peer: null };
      cases.push(one);
      await runCase(one, options);
    }
  }
  publish({ benchmark: 'storage', machine, tables: storageTables(cases), results: cases }, options);
}

async function runCase(one: StorageCase, options: BenchOptions): Promise<void> {
  const { data } = one;
  const store = scratchPath('storage.svc');
  const keys = scratchPath('keys');
  const core = coresFor(options.cpus, 1);
  try {
    await loadApart(data.path, store, options.cpus);
    for (let round = 0; round < options.runs; round++) {
      const read: Answer<StorageFigures> = await measureApart({ task: 'storage', store, keys }, core);
      const open: Answer<OpenFigures> = await measureApart({ task: 'open', store }, core);
      if (!failed(one, 'svc', read) && !failed(one, 'svc opening', open)) {
        one.runs.push({ ...read, ...open });
        console.error(
          `${data.set}-${data.size} svc: scan ${show(read.scanSPOG)} rows/s, lookup ${show(read.lookupMedian)} µs`,
        );
      }
      if (!options.peers || one.runs.length === 0) continue;
      const peer: Answer<StorageFigures> = await measureApart({ task: 'storage-peer', input: data.path, keys }, core);
      if (!failed(one, 'oxigraph', peer)) one.peerRuns.push(peer);
    }
  } finally {
    removeStore(store);
  }
  if (one.runs.length > 0) one.median = medians(one.runs);
  if (one.peerRuns.length > 0) one.peer = medians(one.peerRuns);
}

function failed<Figures extends object>(
  one: StorageCase,
  who: string,
  answer: Answer<Figures>,
): answer is { readonly error: string } {
  if (!isError(answer)) return false;
  one.errors.push(`${who}: ${answer.error}`);
  console.error(`${one.data.set}-${one.data.size} ${who}: ${answer.error}`);
  return true;
}
