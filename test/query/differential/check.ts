/** What checks share: when outcomes agree, and what is reported when they do not. */

import type { Case } from './case.js';
import { type Comparison, canonical, canonicalOnce, firstUnsorted, sortKeysOf } from './compare.js';
import type { Outcome } from './engines.js';
import type { Report } from './report.js';

export interface Finding {
  readonly variant: string;
  readonly expected: string;
  readonly got: string;
}

export interface Check {
  /** The first disagreement about a case. `report` counts; `only` asks about one variant again. */
  run(one: Case, report: Report | null, only: string | null): Promise<Finding | null>;
  close(): Promise<void>;
}

export const EXACT: Comparison = { byValue: false };
export const BY_VALUE: Comparison = { byValue: true };

export async function agrees(
  text: string,
  actual: Outcome,
  expected: Outcome,
  comparison: Comparison,
): Promise<boolean> {
  if (actual.kind !== 'answer' || expected.kind !== 'answer') return actual.kind === expected.kind;
  const [first, second] = [await canonical(actual.answer, comparison), await canonical(expected.answer, comparison)];
  if (first.length !== second.length || first.some((row, at) => row !== second[at])) return false;
  const keys = comparison.byValue ? null : sortKeysOf(text);
  return keys === null || actual.answer.kind !== 'rows' || firstUnsorted(actual.answer.rows, keys) === null;
}

export async function findingOf(
  variant: string,
  expected: Outcome,
  actual: Outcome,
  comparison: Comparison,
): Promise<Finding> {
  return { variant, expected: await show(expected, comparison), got: await show(actual, comparison) };
}

async function show(outcome: Outcome, comparison: Comparison): Promise<string> {
  if (outcome.kind === 'answer') {
    const rows = await canonical(outcome.answer, comparison);
    return [`${rows.length} rows`, ...rows].join('\n  ');
  }
  return 'why' in outcome ? `${outcome.kind}: ${outcome.why}` : outcome.kind;
}

/** Counts what the oracle says; false when it says nothing. */
export function countExpected(report: Report | null, outcome: Outcome): boolean {
  if (report !== null) {
    if (outcome.kind === 'skipped') report.tooLarge++;
    if (outcome.kind === 'refused') report.refused++;
    if (outcome.kind === 'answer' && !isEmpty(outcome)) report.nonEmpty++;
  }
  return outcome.kind !== 'skipped';
}

function isEmpty({ answer }: Extract<Outcome, { kind: 'answer' }>): boolean {
  if (answer.kind === 'graph') return answer.quads.length === 0;
  return answer.kind === 'rows' && answer.rows.length === 0;
}

/** The rows of two outcomes are the same, but for how often each comes. */
export async function sameSet(actual: Outcome, expected: Outcome, comparison: Comparison): Promise<boolean> {
  const set = async (outcome: Outcome) =>
    outcome.kind === 'answer' ? [...new Set(await canonical(outcome.answer, comparison))].join('\n') : null;
  return (await set(actual)) === (await set(expected));
}

/** The answers are the same, but for how often each solution came. */
export async function sameOnce(actual: Outcome, expected: Outcome, comparison: Comparison): Promise<boolean> {
  if (actual.kind !== 'answer' || expected.kind !== 'answer') return false;
  const [first, second] = [
    await canonicalOnce(actual.answer, comparison),
    await canonicalOnce(expected.answer, comparison),
  ];
  return first.length === second.length && first.every((row, at) => row === second[at]);
}
