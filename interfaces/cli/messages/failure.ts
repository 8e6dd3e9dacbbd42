/** What a person reads when a command fails, and the exit code that goes with it. */

import { type ErrorCode, SvcError } from '../../../engine/base/errors.js';

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

interface Told {
  readonly severity: string;
  readonly focusNode?: string;
  readonly message: string;
}

/** The results behind a refusal by SHACL, of a store of this machine or of a server. */
function shaclResults(error: SvcError): readonly Told[] | null {
  if (error.code !== 'refused_shacl') return null;
  const { findings } = error as { readonly findings?: unknown };
  return Array.isArray(findings) ? (findings as readonly Told[]) : null;
}

function describeResults(results: readonly Told[]): string {
  const violations = results.filter(({ severity }) => severity === 'Violation').length;
  const lines = results.map(({ severity, focusNode, message }) => `  ${severity} on ${focusNode}: ${message}\n`);
  return `SHACL validation failed: ${violations} violation(s)\n${lines.join('')}`;
}

export function describeFailure(error: unknown, label: string | undefined): Failure {
  if (error instanceof SvcError) {
    const results = shaclResults(error);
    if (results !== null) return { text: describeResults(results), exitCode: error.exitCode };
    const lead = label !== undefined && OF_THE_TEXT.has(error.code) ? label : 'error';
    return { text: `${lead}: ${error.describe()}\n`, exitCode: error.exitCode };
  }
  const account = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text: `error: unexpected failure: ${account}\n`, exitCode: 1 };
}
