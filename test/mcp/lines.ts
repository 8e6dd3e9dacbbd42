/** `svc mcp` as a process whose lines a test writes and reads. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { SVC } from '../cli/svc.js';
import type { Message } from './messages.js';

export interface Lines {
  readonly child: ChildProcessWithoutNullStreams;
  /** All that came on standard output, as lines. */
  readonly out: string[];
  err(): string;
  send(...messages: (Message | string)[]): void;
  /** The message with this id; fails when the process ends first. */
  answer(id: unknown): Promise<Message>;
  /** Settles when a line of standard error matches. */
  says(pattern: RegExp): Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

interface Waiting {
  readonly id: unknown;
  readonly resolve: (message: Message) => void;
  readonly reject: (error: Error) => void;
}

/** One beside the thread that a long query keeps: each takes half a second of the processor to be ready. */
export const FEW_READERS = { SVC_SERVER_READ_POOL_SIZE: '2' };

export function startLines(words: readonly string[], folder: string, environment: Record<string, string> = {}): Lines {
  const child = spawn(process.execPath, [SVC, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...FEW_READERS, ...environment },
  });
  const out: string[] = [];
  const come: Message[] = [];
  const waiting: Waiting[] = [];
  const listening: { readonly pattern: RegExp; readonly resolve: () => void }[] = [];
  let err = '';
  child.stdin.on('error', () => undefined);
  child.stderr.on('data', (chunk) => {
    err += chunk;
    for (const { pattern, resolve } of listening) if (pattern.test(err)) resolve();
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    out.push(line);
    const message = JSON.parse(line) as Message;
    const at = waiting.findIndex(({ id }) => id === message.id);
    if (at < 0) come.push(message);
    else waiting.splice(at, 1)[0]?.resolve(message);
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => {
      for (const { reject, id } of waiting) reject(new Error(`it ended before ${String(id)} was answered: ${err}`));
      resolve({ code, signal });
    }),
  );
  return {
    child,
    out,
    err: () => err,
    send: (...messages) => {
      for (const one of messages) child.stdin.write(`${typeof one === 'string' ? one : JSON.stringify(one)}\n`);
    },
    answer: (id) => {
      const at = come.findIndex((message) => message.id === id);
      if (at >= 0) return Promise.resolve(come.splice(at, 1)[0] as Message);
      return new Promise((resolve, reject) => waiting.push({ id, resolve, reject }));
    },
    says: (pattern) =>
      new Promise((resolve) => {
        if (pattern.test(err)) resolve();
        else listening.push({ pattern, resolve });
      }),
    ended,
  };
}
