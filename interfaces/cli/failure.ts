/** What a person reads when a command fails, and the exit code that goes with it. */

import { type ErrorCode, SvcError } from '../../engine/base/errors.js';

export interface Failure {
  readonly text: string;
  readonly exitCode: number;
}

/** Failures of the text that was asked, rather than of the store or the machine. */
const OF_THE_TEXT: ReadonlySet<ErrorCode> = new Set([
  'parse_error',
  'unsupported',
  'query_complexity',
  'query_timeout',
]);

export function describeFailure(error: unknown, label: string | undefined): Failure {
  if (error instanceof SvcError) {
    const lead = label !== undefined && OF_THE_TEXT.has(error.code) ? label : 'error';
    return { text: `${lead}: ${error.describe()}\n`, exitCode: error.exitCode };
  }
  const account = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text: `error: unexpected failure: ${account}\n`, exitCode: 1 };
}
