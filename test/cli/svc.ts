/** Runs the command: in a process of its own, as a person would, or in this one, where the lines are many. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCli } from '../../interfaces/cli/run.js';
import { CHECKOUT } from '../../tools/tidy.js';

const OUTPUT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** `bin/svc` runs what stands in `dist`; a build elsewhere is run by its own main file. */
export const SVC = basename(OUTPUT) === 'dist' ? join(CHECKOUT, 'bin/svc') : join(OUTPUT, 'interfaces/cli/main.js');

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly input?: string | Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
  /** Called with the running process. */
  readonly during?: (child: ChildProcess) => void;
}

const TIMEOUT_MS = 60_000;

export function svc(words: readonly string[], options: RunOptions): Promise<Outcome> {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [SVC, ...words], {
    cwd: options.cwd,
    env: { PATH, HOME: options.cwd, ...options.environment },
    timeout: TIMEOUT_MS,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => out.push(piece));
  child.stderr.on('data', (piece: Buffer) => err.push(piece));
  // A command that does not read its input closes it early.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  options.during?.(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() });
    });
  });
}

/** Lines that run in this process now: they share its folder and its environment. */
let running = 0;
let outside = { cwd: '', environment: process.env };

function enter(cwd: string, environment: Readonly<Record<string, string>>): void {
  if (running++ > 0) {
    assert.equal(process.cwd(), realpathSync(cwd), 'lines at the same time are of one folder');
    return;
  }
  outside = { cwd: process.cwd(), environment: process.env };
  process.chdir(cwd);
  const { PATH } = process.env;
  process.env = { PATH, HOME: cwd, ...environment };
}

function leave(): void {
  if (--running > 0) return;
  process.chdir(outside.cwd);
  process.env = outside.environment;
}

/**
 * The same line, by what the program calls with the streams of its process, and with the folder and the environment that
 * `svc` gives one: a process needs half a second of the processor before it does anything. What is about the process
 * itself (its standard streams, signals, how it ends) is asked of `svc`.
 */
export async function svcHere(
  words: readonly string[],
  { cwd, input = '', environment = {} }: Omit<RunOptions, 'during'>,
): Promise<Outcome> {
  const said: Record<'out' | 'err', Buffer[]> = { out: [], err: [] };
  const into = (name: 'out' | 'err') =>
    new Writable({
      write(chunk: Buffer, _, done) {
        said[name].push(Buffer.from(chunk));
        done();
      },
    });
  const stdin = Readable.from([Buffer.from(input)]);
  const streams = { stdin, stdout: into('out'), stderr: into('err'), terminal: false, columns: 80 };
  enter(cwd, environment);
  try {
    const code = await runCli(words, streams, new AbortController().signal);
    const [out, err] = [said.out, said.err].map((pieces) => Buffer.concat(pieces).toString()) as [string, string];
    return { code, signal: null, out, err };
  } finally {
    leave();
  }
}

/** A test body with a folder of its own, removed afterwards. */
export function inFolder(work: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-cli-'));
    try {
      await work(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
