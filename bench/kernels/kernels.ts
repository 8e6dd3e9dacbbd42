/** The kernel benchmark: each kernel alone on real or realistic input, so that a regression names its file. */
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { provideDataSet } from '../data/data-set.js';
import { show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import type { BenchOptions } from '../options.js';
import { type KernelFigures, measureKernel } from './loop.js';
import { rowCases } from './rows.js';
import { termCases } from './terms.js';

/** Enough for one chunk of input; the sizes asked for are for the other benchmarks. */
const SIZE = '200k';

export async function runKernels(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const results: (KernelFigures & { readonly input: string })[] = [];
  for (const set of options.sets) {
    const data = provideDataSet(set, SIZE, console.error);
    for (const one of termCases(new ThreadMemory(), data)) results.push({ ...measureKernel(one), input: set });
  }
  for (const one of rowCases(new ThreadMemory())) results.push({ ...measureKernel(one), input: 'random' });
  const table = {
    title: 'Kernels',
    note: 'One thread, input in the cache or a few megabytes; means. Margin: of the mean, at 95 % certainty.',
    columns: ['kernel', 'file', 'input', 'unit', 'M units/s', 'MB/s', 'margin', 'samples'],
    rows: results.map(({ kernel, file, input, unit, unitsPerSecond, bytesPerSecond, marginPercent, samples }) => [
      kernel,
      file,
      input,
      unit,
      show(unitsPerSecond / 1e6),
      bytesPerSecond === null ? '-' : show(bytesPerSecond / 1e6),
      `${marginPercent.toFixed(1)} %`,
      String(samples),
    ]),
  };
  publish({ benchmark: 'kernels', machine, tables: [table], results }, options);
}
