/** What went wrong with a statement, with the place in it: line, column, and a mark under the place. */

import { SvcError } from '../../../engine/base/errors.js';
import { describeFailure } from '../messages/failure.js';

/** Where the statement stands. */
export interface StatementPlace {
  readonly text: string;
  /** Lines that were put before it. */
  readonly linesBefore: number;
  /** Of its first line, when it is part of a longer text. */
  readonly source?: { readonly name: string; readonly line: number } | undefined;
}

export interface Failure {
  readonly text: string;
  readonly exitCode: number;
}

const LINE_LENGTH_MAX = 100;

export function describeStatementFailure(error: unknown, place: StatementPlace | null): Failure {
  const line = error instanceof SvcError ? error.position?.line : undefined;
  if (!(error instanceof SvcError) || line === undefined || place === null) return describeFailure(error, undefined);
  const at = line - place.linesBefore;
  const column = error.position?.column ?? 1;
  const shown = place.text.split('\n')[at - 1];
  // The place is in what was put before the statement: nothing to point at.
  if (shown === undefined) return describeFailure(error, undefined);
  const { source } = place;
  const where = source === undefined ? `${at}:${column}` : `${source.name}:${source.line + at - 1}:${column}`;
  const lines = [`error: ${where}: ${error.message}`, ...pointAt(shown, column)];
  if (error.hint !== undefined) lines.push(`  hint: ${error.hint}`);
  return { text: `${lines.join('\n')}\n`, exitCode: error.exitCode };
}

/** The line, or the part of it around the column, and a mark under the column. */
function pointAt(line: string, column: number): string[] {
  const characters = [...line.trimEnd()];
  const start = Math.max(0, Math.min(column - 1 - LINE_LENGTH_MAX / 2, characters.length - LINE_LENGTH_MAX));
  const lead = start > 0 ? '… ' : '';
  const end = start + LINE_LENGTH_MAX;
  const part = characters.slice(start, end).join('');
  const before = characters.slice(start, column - 1).map((character) => (character === '\t' ? '\t' : ' '));
  const missing = Math.max(0, column - 1 - start - before.length);
  const indent = lead.replace(/./g, ' ') + before.join('') + ' '.repeat(missing);
  return [`  ${lead}${part}${end < characters.length ? ' …' : ''}`, `  ${indent}^`];
}
