/** The benchmark of shares: each data set is shared, imported elsewhere, changed, and merged back, all in one process. */
import { mkdirSync, rmSync } from 'node:fs';
import { provideDataSet } from '../data/data-set.js';
import { measureRounds } from '../harness/child.js';
import { medians, show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { scratchPath } from '../harness/scratch.js';
import type { BenchOptions } from '../options.js';
import { type ShareCase, type ShareFigures, STEPS } from './case.js';
import { shareTables } from './tables.js';

export async function runShare(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const cases: ShareCase[] = [];
  for (const set of options.sets) {
    for (const size of options.sizes) {
      const data = provideDataSet(set, size, console.error);
      const folder = scratchPath(`share-${set}-${size}`);
      const empty = (): void => {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder);
      };
      const task = { task: 'share', input: data.path, folder };
      const measured = await measureRounds<ShareFigures>(task, options, `sharing ${set}-${size}`, empty);
      rmSync(folder, { recursive: true, force: true });
      const median = measured.runs.length === 0 ? null : medians(measured.runs);
      cases.push({ data, ...measured, median });
      if (median === null) continue;
      const told = STEPS.map((step) => `${step} ${show((median[`${step}.cpu`] ?? 0) / 1000)} s`);
      console.error(`${set}-${size}, processor: ${told.join(', ')}`);
    }
  }
  publish({ benchmark: 'share', machine, tables: shareTables(cases), results: cases }, options);
}
