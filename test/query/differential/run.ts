/**
 * Runs random cases: queries, updates and queries about the past. Every answer of the engine is compared
 * with that of the naive evaluator, and where the vocabulary allows it with that of an engine that others
 * have written. A disagreement is made small before it is reported.
 */

import { featuresOf } from '../../../bench/plan-fuzz/tree.js';
import type { Case, Moment } from './case.js';
import { textOf } from './case.js';
import type { Check } from './check.js';
import { COMMON, documentOf, EVERYTHING, randomData, randomHistory, TRANSACTIONS, TRIPLE_TERMS } from './data.js';
import { HistoryCheck } from './history-check.js';
import { randomQuery } from './queries.js';
import { QueryCheck } from './query-check.js';
import { Random } from './random.js';
import { type CaseKind, increase, Report } from './report.js';
import { shrink } from './shrink.js';
import { UpdateCheck } from './update-check.js';
import { randomUpdate } from './updates.js';

const CASES_PER_DATASET = 20;
const DISAGREEMENTS_MAX = 20;

export interface RunOptions {
  readonly seed: number;
  readonly cases: number;
  readonly kind: CaseKind;
  readonly onProgress?: ((report: Report) => void) | undefined;
}

export async function runRandomCases({ seed, cases, kind, onProgress }: RunOptions): Promise<Report> {
  const report = new Report();
  const check = CHECKS[kind]();
  try {
    for (let at = 0; report.cases < cases && report.disagreements.length < DISAGREEMENTS_MAX; at++) {
      await runDataset(seed + at, kind, check, report);
      onProgress?.(report);
    }
  } finally {
    await check.close();
  }
  return report;
}

const CHECKS: Readonly<Record<CaseKind, () => Check>> = {
  query: () => new QueryCheck(),
  update: () => new UpdateCheck(),
  history: () => new HistoryCheck(),
};

async function runDataset(seed: number, kind: CaseKind, check: Check, report: Report): Promise<void> {
  const random = new Random(seed);
  const vocabulary = random.weighted([
    [4, COMMON],
    [5, EVERYTHING],
    [1, TRIPLE_TERMS],
  ]);
  const common = vocabulary === COMMON;
  const data = kind === 'history' ? randomHistory(random, vocabulary) : randomData(random, vocabulary);
  for (let count = 0; count < CASES_PER_DATASET; count++) {
    const text = kind === 'update' ? randomUpdate(random, vocabulary) : randomQuery(random, vocabulary);
    const one: Case = { data, text, common, moment: kind === 'history' ? randomMoment(random) : null };
    report.cases++;
    for (const feature of featuresOf(text)) increase(report.features, feature);
    const finding = await check.run(one, report, null);
    if (finding === null) continue;
    const again = (smaller: Case) => check.run(smaller, null, finding.variant);
    const small = await shrink(one, async (smaller) => (await again(smaller)) !== null);
    const { variant, expected, got } = (await again(small)) ?? finding;
    const moment = small.moment === null ? '' : `# ${JSON.stringify(small.moment)}\n`;
    const [document, query] = [documentOf(small.data), moment + textOf(small)];
    report.disagreements.push({ kind, seed, variant, data: document, query, expected, got });
  }
}

export function randomMoment(random: Random): Moment {
  const validAt = random.weighted([
    [2, null],
    [1, '2023-06-03T12:00:00Z'],
    [1, '2024-01-03T00:00:00Z'],
    [1, '2024-01-04T12:00:00Z'],
    [1, '2026-01-01T00:00:00Z'],
  ]);
  return { after: random.once(3) ? null : random.between(0, TRANSACTIONS), validAt };
}
