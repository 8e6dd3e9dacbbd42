/**
 * The benchmark of reads in time: for every way in which history comes about, one store that grows
 * from little history to much, and is measured at every share, with an empty delta and with changes in
 * it. The stores to compare with are loaded anew each time, with the rows that the list calls visible.
 */
import { writeFileSync } from 'node:fs';
import { openStore } from '../../interfaces/library/index.js';
import { parseSize } from '../data/data-set.js';
import { measureRounds } from '../harness/child.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { BenchOptions, HistoryKind } from '../options.js';
import { SLICES, type SliceName, type SliceTask, type TimeCase, type TimeMeasurement } from './case.js';
import { expectedAt } from './expected.js';
import { HistoryStore } from './history.js';
import { timeTables } from './tables.js';

const FACTS = '500k';

export async function runTime(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const cases: TimeCase[] = [];
  const facts = parseSize(options.rows?.[0] ?? FACTS);
  for (const made of options.made) await runKind(made, facts, cases, options);
  publish({ benchmark: 'time', machine, tables: timeTables(cases), results: cases }, options);
}

async function runKind(made: HistoryKind, facts: number, cases: TimeCase[], options: BenchOptions): Promise<void> {
  const store = scratchPath('time.svc');
  removeStore(store);
  const history = new HistoryStore(store, scratchPath('time.nt'), made, facts);
  try {
    await history.fill();
    for (const percent of options.history) {
      const begin = performance.now();
      await history.growTo(percent);
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      console.error(`${made}: ${percent} % history, ${history.rows.count} rows, made in ${seconds} s`);
      cases.push(await measureState(history, store, { made, history: percent, delta: false }, options));
      await history.touch();
      cases.push(await measureState(history, store, { made, history: percent, delta: true }, options));
    }
  } finally {
    removeStore(store);
  }
}

async function measureState(
  history: HistoryStore,
  store: string,
  about: Pick<TimeCase, 'made' | 'history' | 'delta'>,
  options: BenchOptions,
): Promise<TimeCase> {
  const slices = history.slices();
  const tasks: SliceTask[] = [];
  for (const name of SLICES) {
    const plain = scratchPath(`time-${name}.svc`);
    await loadVisible(history, name, plain);
    tasks.push({ name, slice: slices[name], plain, expected: expectedAt(history, slices[name]) });
  }
  const path = scratchPath('time-slices.json');
  writeFileSync(path, JSON.stringify(tasks));
  const visible = Object.fromEntries(tasks.map(({ name, expected }) => [name, expected.rows])) as TimeCase['visible'];
  const { rows, transactions } = history;
  const task = { task: 'time', store, slices: path };
  const measured = await measureRounds<TimeMeasurement>(task, options, `${about.made}, ${about.history} %`);
  for (const { plain } of tasks) removeStore(plain);
  return { ...about, rows: rows.count, visible, transactions, ...measured };
}

async function loadVisible(history: HistoryStore, name: SliceName, path: string): Promise<void> {
  const input = scratchPath('time-visible.nt');
  history.writeVisible(history.slices()[name], input);
  removeStore(path);
  const store = await openStore(path);
  await store.load(input);
  await store.close();
}
