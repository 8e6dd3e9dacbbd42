/** Statements from a pipe or a file: no prompt, answers to standard output, and an exit code at the end. */

import { throwIfAborted } from '../../../engine/base/control.js';
import type { StatementRunner } from './runner.js';
import type { Session } from './session.js';

const SOURCE = 'input';

export async function runScript(
  input: AsyncIterable<Uint8Array>,
  session: Session,
  runner: StatementRunner,
  signal: AbortSignal,
): Promise<number> {
  const reader = runner.newReader();
  for await (const line of linesOf(input)) {
    const statement = reader.push(line);
    if (statement !== null) await runner.run(statement, signal, SOURCE);
    throwIfAborted(signal, 'the session');
    if (session.isOver) return runner.exitCode;
  }
  const last = reader.end();
  if (last !== null) await runner.run(last, signal, SOURCE);
  throwIfAborted(signal, 'the session');
  return runner.exitCode;
}

/** Read no faster than they are worked on. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let open = '';
  for await (const bytes of input) {
    const parts = decoder.decode(bytes, { stream: true }).split('\n');
    if (parts.length === 1) {
      open += parts[0];
      continue;
    }
    yield withoutReturn(open + parts[0]);
    for (const line of parts.slice(1, -1)) yield withoutReturn(line);
    open = parts.at(-1) as string;
  }
  open += decoder.decode();
  if (open !== '') yield withoutReturn(open);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
