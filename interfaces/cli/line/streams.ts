/** What a command is given by its surroundings, and the options of its line. */

import type { Writable } from 'node:stream';
import type { OptionValue } from './commander.js';

export interface CliStreams {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether standard error is a terminal, and how wide. */
  readonly terminal: boolean;
  readonly columns: number;
}

export type CliOptions = Readonly<Record<string, OptionValue>>;

/** The value of an option that takes one. */
export function textOption(options: CliOptions, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}
