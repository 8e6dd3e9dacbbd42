/** The benchmark of the file's size: one long run of commits with readers, and one without for comparison. */
import { type Answer, coresFor, measureApart } from '../harness/child.js';
import { mebibytes, show } from '../harness/figures.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { Table } from '../harness/table.js';
import type { BenchOptions } from '../options.js';
import type { GrowthMeasurement } from './measure.js';

const READERS = 4;
const HOLD_MS = 3000;

interface GrowthCase {
  readonly readers: number;
  readonly answer: Answer<GrowthMeasurement>;
}

export async function runGrowth(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const cases: GrowthCase[] = [];
  const store = scratchPath('growth.svc');
  for (const readers of [0, READERS]) {
    removeStore(store);
    const task = { task: 'growth', store, commits: options.commits, readers, holdMs: HOLD_MS };
    const answer: Answer<GrowthMeasurement> = await measureApart(task, coresFor(options.cpus, 1));
    if ('error' in answer) console.error(`${readers} readers: ${answer.error}`);
    cases.push({ readers, answer });
  }
  removeStore(store);
  publish({ benchmark: 'growth', machine, tables: cases.map(toTable), results: cases }, options);
}

function toTable({ readers, answer }: GrowthCase): Table {
  const columns = ['commits', 'file MiB', 'data MiB', 'free MiB', 'rest MiB', 'rest/data', 'open snapshots'];
  const title = readers === 0 ? 'Size of the file, no readers' : `Size of the file, ${readers} readers`;
  if ('error' in answer) return { title, note: answer.error, columns, rows: [] };
  const { points, snapshots, seconds, commitMsMost, commitMsP99 } = answer;
  return {
    title,
    note: [
      'Each commit replaces 20 of 20,000 values. Data: orders, directories, log and dictionary by the store’s own accounts; free: pages to be used again; rest: everything else.',
      `${show(seconds)} s; ${snapshots} snapshots held; commits: 99 % ${show(commitMsP99)} ms, longest ${show(commitMsMost)} ms.`,
    ].join(' '),
    columns,
    rows: points.map(({ commits, fileBytes, dataBytes, freeBytes, readers }) => [
      commits.toLocaleString('en-US'),
      show(mebibytes(fileBytes)),
      show(mebibytes(dataBytes)),
      show(mebibytes(freeBytes)),
      show(mebibytes(fileBytes - dataBytes - freeBytes)),
      show((fileBytes - dataBytes - freeBytes) / dataBytes),
      String(readers),
    ]),
  };
}
