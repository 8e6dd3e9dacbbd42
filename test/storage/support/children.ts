/** Child processes of tests: started with a script of this folder, read line by line. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

export interface Child {
  readonly process: ChildProcess;
  /** Resolves with the first line that begins so. Rejects when the child ends without it. */
  line(start: string): Promise<string>;
  /** Resolves when it has said so many lines, whatever they are. Rejects when the child ends before. */
  said(lines: number): Promise<void>;
  /** What it said and how it ended. */
  readonly ended: Promise<Ended>;
}

/** Starts a script with the arguments given. */
export function child(script: URL, args: readonly string[]): Child {
  const path = fileURLToPath(script);
  return start([path, ...args], path);
}

/** The built library, as programs import it. */
export const LIBRARY = new URL('../../../interfaces/library/index.js', import.meta.url).href;

/** Starts a program, the text of a module. */
export function program(text: string): Child {
  return start(['--input-type=module', '--eval', text], 'the program');
}

function start(args: readonly string[], path: string): Child {
  const started = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let errors = '';
  started.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  const reader = createInterface({ input: started.stdout });
  const ended = new Promise<Ended>((resolve) => {
    started.on('close', (code, signal) => resolve({ code, signal, lines, errors }));
  });
  const waiting = new Set<(line: string) => void>();
  reader.on('line', (line) => {
    lines.push(line);
    for (const take of waiting) take(line);
  });
  const line = (start: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const known = lines.find((one) => one.startsWith(start));
      if (known !== undefined) {
        resolve(known);
        return;
      }
      const take = (one: string): void => {
        if (!one.startsWith(start)) return;
        waiting.delete(take);
        resolve(one);
      };
      waiting.add(take);
      ended.then(({ code, signal }) =>
        reject(new Error(`${path} ended (${code ?? signal}) before ${start}: ${errors}`)),
      );
    });
  const said = (count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const take = (): void => {
        if (lines.length < count) return;
        waiting.delete(take);
        resolve();
      };
      waiting.add(take);
      take();
      ended.then(() => reject(new Error(`${path} ended after ${lines.length} lines: ${errors}`)));
    });
  return { process: started, line, said, ended };
}

/** Kills a child that still runs, and gives what it said until then. */
export async function killed({ process: running, ended }: Child): Promise<Ended> {
  running.kill('SIGKILL');
  const end = await ended;
  if (end.signal === 'SIGKILL') return end;
  throw new Error(`it ended by itself (${end.code}): ${end.lines.at(-1) ?? ''} ${end.errors}`);
}
