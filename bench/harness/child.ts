/**
 * Measurements run in processes of their own, so that none inherits the memory or the warmth of
 * another: `main.js measure <task>`, pinned to given cores where `taskset` is there. The answer is
 * the last line of the output.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A hung measurement ends here; the longest known one, 20 M triples on one core, takes minutes. */
const LIMIT_MS = 3_600_000;
const MARK = 'measured ';

export type Cores = readonly number[] | null;

export type Answer<Figures> = Figures | { readonly error: string };

let tasksetKnown: boolean | undefined;

function hasTaskset(): boolean {
  tasksetKnown ??= spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;
  return tasksetKnown;
}

/** Some of the cores, for so many threads; null where pinning is off or not possible. */
export function coresFor(cores: Cores, threads: number): Cores {
  return cores === null || !hasTaskset() ? null : cores.slice(0, threads);
}

/** Runs a task in a new process. A task that fails gives its error; nothing is thrown. */
export function measureApart<Figures>(
  task: object,
  cores: Cores,
  flags: readonly string[] = [],
): Promise<Answer<Figures>> {
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const command = [process.execPath, ...flags, main, 'measure', JSON.stringify(task)];
  const [program, ...args] = cores === null ? command : ['taskset', '-c', cores.join(','), ...command];
  return new Promise((resolve) => {
    const child = spawn(program as string, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS });
    let out = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors = (errors + chunk).slice(-2000);
    });
    const stop = (): boolean => child.kill('SIGKILL');
    process.once('exit', stop);
    child.on('error', (error) => resolve({ error: error.message }));
    child.on('close', (code, signal) => {
      process.off('exit', stop);
      const at = out.lastIndexOf(MARK);
      // What was left out, and why.
      for (const line of code === 0 ? errors.split('\n') : []) if (line.includes(' is left out: ')) console.error(line);
      if (code === 0 && at >= 0) resolve(JSON.parse(out.slice(at + MARK.length)) as Figures);
      else resolve({ error: firstError(errors) ?? `ended with ${signal ?? code}` });
    });
  });
}

export function isError<Figures>(answer: Answer<Figures>): answer is { readonly error: string } {
  return typeof answer === 'object' && answer !== null && 'error' in answer && typeof answer.error === 'string';
}

/** Measures a task as often as was asked for, each time in a new process; `prepare` runs before each. */
export async function measureRounds<Figures>(
  task: object,
  { runs, cpus }: { readonly runs: number; readonly cpus: Cores },
  what: string,
  prepare: () => void = () => undefined,
): Promise<{ readonly runs: Figures[]; readonly errors: string[] }> {
  const measured: { readonly runs: Figures[]; readonly errors: string[] } = { runs: [], errors: [] };
  for (let round = 0; round < runs; round++) {
    prepare();
    const answer: Answer<Figures> = await measureApart(task, coresFor(cpus, 1));
    if (isError(answer)) {
      measured.errors.push(answer.error);
      console.error(`${what}: ${answer.error}`);
    } else measured.runs.push(answer);
  }
  return measured;
}

/** Called in the new process with what it measured. */
export function reportMeasured(figures: object): void {
  process.stdout.write(`\n${MARK}${JSON.stringify(figures)}\n`);
}

/** Peak resident bytes of this process so far. */
export function peakMemoryBytes(): number {
  try {
    const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
    if (match) return Number(match[1]) * 1024;
  } catch {
    // Not Linux: the figure of the system's own accounting, in KiB.
  }
  return process.resourceUsage().maxRSS * 1024;
}

function firstError(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  return (
    lines.find((line) => /^\w*(Error|panicked|FATAL)|RuntimeError|memory/.test(line)) ??
    lines.find((line) => line !== '')
  );
}
