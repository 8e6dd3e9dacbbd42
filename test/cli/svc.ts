/** Runs the command in a process of its own, as a person would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
