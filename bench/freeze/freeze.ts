/**
 * The benchmark of freezing: a graph of each size is loaded in ten transactions, and every run freezes and thaws it in a copy
 * of that store, on two cores; then a store with many small frozen graphs.
 */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../engine/base/errors.js';
import { provideDataSet } from '../data/data-set.js';
import { coresFor, isError, measureApart } from '../harness/child.js';
import { medians, show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { BenchOptions } from '../options.js';
import type { FreezeCase, FreezeFigures, ManyCase } from './case.js';
import { freezeTables } from './tables.js';

const THREADS = 2;

export async function runFreeze(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const cases: FreezeCase[] = [];
  for (const set of options.sets) {
    for (const size of options.sizes) {
      const data = provideDataSet(set, size, console.error);
      const one: FreezeCase = { data, runs: [], errors: [], median: null };
      cases.push(one);
      await runCase(one, options);
    }
  }
  const many: ManyCase = { packs: options.packs, runs: [], errors: [], median: null };
  await runMany(many, options);
  const results = { cases, many };
  publish({ benchmark: 'freeze', machine, tables: freezeTables(cases, many), results }, options);
}

async function runCase(one: FreezeCase, options: BenchOptions): Promise<void> {
  const [base, store] = [scratchPath('freeze-base.svc'), scratchPath('freeze.svc')];
  const { path: input, set, size } = one.data;
  try {
    removeStore(base);
    const made = await measureApart<FreezeFigures>(
      { task: 'freeze-base', input, store: base },
      coresFor(options.cpus, 2),
    );
    if (isError(made)) throw new SvcError('internal', `loading ${input}: ${made.error}`);
    for (let round = 0; round < options.runs; round++) {
      removeStore(store);
      copyFileSync(base, store);
      await measureInto(one, { task: 'freeze', store }, options, `freezing ${set}-${size}`);
    }
  } finally {
    removeStore(base);
    removeStore(store);
  }
  for (const { 'freeze.wall': wall, 'freeze.cpu': cpu } of one.runs) {
    console.error(`freezing ${set}-${size}: ${show((wall ?? 0) / 1000)} s, processor ${show((cpu ?? 0) / 1000)} s`);
  }
}

async function runMany(many: ManyCase, options: BenchOptions): Promise<void> {
  const { packs } = many;
  for (let round = 0; round < options.runs; round++) {
    // Packs lie beside their store.
    const folder = scratchPath(`many-${round}`);
    mkdirSync(folder);
    const store = join(folder, 'store.svc');
    await measureInto(many, { task: 'freeze-many', store, packs }, options, `${packs} frozen graphs`);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureInto(
  one: FreezeCase | ManyCase,
  task: object,
  options: BenchOptions,
  what: string,
): Promise<void> {
  const answer = await measureApart<FreezeFigures>(task, coresFor(options.cpus, THREADS));
  if (isError(answer)) {
    one.errors.push(answer.error);
    console.error(`${what}: ${answer.error}`);
    return;
  }
  one.runs.push(answer);
  one.median = medians(one.runs);
}
