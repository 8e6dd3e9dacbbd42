/**
 * The benchmark of commits: a store is loaded once for every size, and every run commits into a copy
 * of it, in a process of its own.
 */
import { copyFileSync } from 'node:fs';
import { openStore } from '../../interfaces/library/index.js';
import { provideDataSet } from '../data/data-set.js';
import { measureRounds } from '../harness/child.js';
import { medians, show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import { loadApart } from '../load/load.js';
import type { BenchOptions } from '../options.js';
import type { CommitCase, CommitFigures } from './case.js';
import { commitTables } from './tables.js';

const ROWS = ['0', '1M', '20M'];

export async function runCommit(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const cases: CommitCase[] = [];
  for (const rows of options.rows ?? ROWS) {
    const one: CommitCase = { rows, runs: [], errors: [], median: null };
    cases.push(one);
    await runCase(one, options);
  }
  publish({ benchmark: 'commit', machine, tables: commitTables(cases), results: cases }, options);
}

async function runCase(one: CommitCase, options: BenchOptions): Promise<void> {
  const base = scratchPath('commit-base.svc');
  const store = scratchPath('commit.svc');
  try {
    await makeBase(base, one.rows, options);
    const task = { task: 'commit', store, commits: options.commits };
    const measured = await measureRounds<CommitFigures>(task, options, `commits at ${one.rows} rows`, () => {
      removeStore(store);
      copyFileSync(base, store);
    });
    one.errors.push(...measured.errors);
    one.runs.push(...measured.runs);
    for (const { one20, sync, ten20 } of one.runs) {
      console.error(
        `${one.rows} rows: 20 quads ${show(one20)} ms, ten writers ${show(ten20)} ms, sync ${show(sync)} ms`,
      );
    }
  } finally {
    removeStore(base);
    removeStore(store);
  }
  if (one.runs.length > 0) one.median = medians(one.runs);
}

async function makeBase(path: string, rows: string, options: BenchOptions): Promise<void> {
  removeStore(path);
  if (rows === '0') return (await openStore(path)).close();
  const data = provideDataSet(options.sets[0] ?? 'watdiv', rows, console.error);
  await loadApart(data.path, path, options.cpus);
}
