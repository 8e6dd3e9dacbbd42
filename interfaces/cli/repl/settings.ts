/** What a session can be told about its queries and answers, each setting read and checked from text. */

import { SvcError } from '../../../engine/base/errors.js';
import { toInstant } from '../../../engine/service/options/store-options.js';
import { type Formats, TABLE_FORMATS } from './answers.js';

export interface Settings {
  formats: Formats;
  timing: boolean;
  /** Rows of a table; null = all. */
  rowsMax: number | null;
  /** Milliseconds for a statement; null = what the configuration says. */
  timeoutMs: number | null;
  tx: number | null;
  validAt: string | null;
  graph: string | null;
}

/** A table on a terminal that nobody wants to see scroll by. */
const TERMINAL_ROWS_MAX = 1000;

export function defaultSettings(isTerminal: boolean): Settings {
  return {
    formats: TABLE_FORMATS,
    timing: isTerminal,
    rowsMax: isTerminal ? TERMINAL_ROWS_MAX : null,
    timeoutMs: null,
    tx: null,
    validAt: null,
    graph: null,
  };
}

export function parseSwitch(text: string, command: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw wrongArgument(command, text, 'on or off');
}

/** A whole number; null for `off`. */
export function parseCount(text: string, command: string, smallest: number): number | null {
  if (text === 'off') return null;
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= smallest) return value;
  throw wrongArgument(command, text, `a whole number of at least ${smallest}, or off`);
}

/** An instant as it was written; null for `off`. */
export function parseTime(text: string): string | null {
  if (text === 'off') return null;
  toInstant(text, true, '.valid-at');
  return text;
}

export function wrongArgument(command: string, text: string, expected: string): SvcError {
  const said = text === '' ? 'has no argument' : `is '${text}'`;
  return new SvcError('invalid_request', `${command} ${said}; expected ${expected}`);
}

/** What of the settings changes answers, for the prompt. */
export function describeScope({ tx, validAt, graph }: Settings, nameOf: (iri: string) => string): string {
  const parts: string[] = [];
  if (tx !== null) parts.push(`tx ${tx}`);
  if (validAt !== null) parts.push(`valid ${validAt}`);
  if (graph !== null) parts.push(nameOf(graph));
  return parts.length === 0 ? '' : `[${parts.join(', ')}]`;
}
