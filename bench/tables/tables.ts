/**
 * All tables of `docs/benchmarks.md`, one after the other, each by its own command in a process of its own. A run that is
 * stopped goes on; a table that fails is told at the end, and the others are taken all the same.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SvcError } from '../../engine/base/errors.js';
import { busyCores, CHECKOUT, IDLE_CORES } from '../harness/machine.js';
import { DOCUMENT, replaceSection } from '../harness/report.js';
import { type TableRun, tableRuns } from './list.js';
import { parseTablesOptions, type TablesOptions } from './options.js';
import { codeMark, TablesState, uncommittedMark } from './state.js';

/** Between two looks at a busy machine. */
const LOOK_MS = 10_000;

const say = (line: string): void => console.error(line);

export async function runTables(args: readonly string[]): Promise<void> {
  const options = parseTablesOptions(args);
  const mark = options.uncommitted ? uncommittedMark() : codeMark();
  const state = new TablesState(mark);
  const asked = tableRuns(`tables-${mark}`).filter(({ name }) => options.only?.has(name) ?? true);
  checkSections(asked);
  const left = asked.filter(({ name }) => options.again || state.of(name) === undefined);
  if (options.list) return sayList(asked, state);
  say(`code ${mark}: ${asked.length - left.length} of ${asked.length} tables are done`);
  process.once('SIGTERM', () => process.exit(143));
  const failed: string[] = [];
  for (const [at, run] of left.entries()) {
    const busyBefore = await waitForIdle(options, run.name);
    say(`== ${at + 1} of ${left.length}: ${run.name} (npm run bench -- ${run.args.join(' ')} --write-docs)`);
    const begun = performance.now();
    const status = await runApart([...run.args, '--write-docs', ...(options.again ? againOf(run) : [])]);
    const seconds = Math.round((performance.now() - begun) / 1000);
    if (status === 0) state.set(run.name, { date: new Date().toISOString(), seconds, busyBefore });
    else failed.push(`${run.name} (exit ${status})`);
    say(`== ${run.name}: ${status === 0 ? 'done' : 'failed'} after ${seconds} s`);
  }
  if (failed.length === 0) return;
  throw new SvcError('configuration', `without a table: ${failed.join(', ')}`, {
    hint: 'what stands above says why; the same command takes only those again',
  });
}

/** Before hours of measuring, not after them. */
function checkSections(runs: readonly TableRun[]): void {
  const page = readFileSync(join(CHECKOUT, DOCUMENT), 'utf8');
  for (const { section } of runs) replaceSection(page, section, '');
}

function sayList(runs: readonly TableRun[], state: TablesState): void {
  for (const { name, args } of runs) {
    const done = state.of(name);
    const words = done === undefined ? 'left' : `done ${done.date.slice(0, 16)}Z in ${done.seconds} s`;
    console.log(`${name.padEnd(16)} ${words.padEnd(36)} npm run bench -- ${args.join(' ')}`);
  }
}

async function waitForIdle(options: TablesOptions, name: string): Promise<number> {
  const end = performance.now() + options.waitMinutes * 60_000;
  for (let said = false; ; ) {
    const busy = busyCores();
    if (options.busy || busy <= IDLE_CORES) return busy;
    if (performance.now() >= end) {
      throw new SvcError('configuration', `${busy.toFixed(1)} cores are busy, and ${name} wants an idle machine`, {
        hint: 'the same command goes on later; --busy measures all the same, --wait says how long to wait',
      });
    }
    if (!said) say(`${busy.toFixed(1)} cores are busy: ${name} waits`);
    said = true;
    await sleep(LOOK_MS);
  }
}

/** Only queries keep their results. */
function againOf(run: TableRun): readonly string[] {
  return run.args[0] === 'sparql' ? ['--again'] : [];
}

function runApart(args: readonly string[]): Promise<number | null> {
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: 'inherit' });
    const stop = (): boolean => child.kill();
    process.once('exit', stop);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('exit', stop);
      // Whoever interrupts the table means the run.
      if (signal === 'SIGINT' || code === 130) process.exit(130);
      resolve(code);
    });
  });
}
