/** Random queries to a lake and to the store that it was exported from: the same answer, or a refusal that says why. */

import { render } from '../../../bench/plan-fuzz/tree.js';
import { toTimeSlice } from '../../../engine/service/options/store-options.js';
import { type Case, quadsOf, textOf } from '../../query/differential/case.js';
import { agrees, EXACT, findingOf } from '../../query/differential/check.js';
import {
  COMMON,
  documentOf,
  EVERYTHING,
  randomData,
  randomHistory,
  TRIPLE_TERMS,
} from '../../query/differential/data.js';
import { failed, type Outcome, readAnswer } from '../../query/differential/engines.js';
import { timeOf, writeHistory } from '../../query/differential/history-check.js';
import { randomQuery } from '../../query/differential/queries.js';
import { Random } from '../../query/differential/random.js';
import { randomMoment } from '../../query/differential/run.js';
import { shrink } from '../../query/differential/shrink.js';
import { LakeSubject, type SubjectEngine } from './lake-subject.js';

const CASES_PER_DATASET = 20;
const NOW = new Date('2026-01-02T03:04:05.678Z');

export interface RandomReport {
  cases: number;
  equal: number;
  /** Refused by the store as well. */
  refusedByBoth: number;
  /** How often for which reason. */
  readonly refused: Map<string, number>;
  readonly different: string[];
}

export interface RandomRunOptions {
  readonly seed: number;
  readonly cases: number;
  /** Differences after which it ends. */
  readonly differencesMax?: number;
  /** Asks about moments of a history. */
  readonly history?: boolean;
  readonly engine?: SubjectEngine;
}

export async function runRandomQueries({
  seed,
  cases,
  differencesMax = 10,
  history = false,
  engine = 'duckdb',
}: RandomRunOptions): Promise<RandomReport> {
  const report: RandomReport = { cases: 0, equal: 0, refusedByBoth: 0, refused: new Map(), different: [] };
  const subject = await LakeSubject.open(engine);
  try {
    for (let at = 0; report.cases < cases && report.different.length < differencesMax; at++) {
      await runDataset(subject, seed + at, report, history);
    }
  } finally {
    await subject.close();
  }
  return report;
}

async function runDataset(subject: LakeSubject, seed: number, report: RandomReport, history: boolean): Promise<void> {
  const random = new Random(seed);
  const vocabulary = random.weighted([
    [4, COMMON],
    [5, EVERYTHING],
    [1, TRIPLE_TERMS],
  ]);
  const data = history ? randomHistory(random, vocabulary) : randomData(random, vocabulary);
  await fill(subject, data);
  for (let count = 0; count < CASES_PER_DATASET; count++) {
    const one: Case = {
      data,
      text: randomQuery(random, vocabulary),
      common: false,
      moment: history ? randomMoment(random) : null,
    };
    report.cases++;
    const { expected, actual } = await ask(subject, one);
    if (await same(textOf(one), actual, expected)) {
      if (expected.kind === 'answer') report.equal++;
      else report.refusedByBoth++;
      continue;
    }
    if (actual.kind === 'refused') {
      const why = actual.why.replaceAll(/'[^']*'/g, "'...'").slice(0, 120);
      report.refused.set(why, (report.refused.get(why) ?? 0) + 1);
      continue;
    }
    // Spark takes seconds to begin with other data.
    const isSlow = subject.kind !== 'duckdb';
    const small = isSlow
      ? one
      : await shrink(one, async (smaller) => {
          const again = await asked(subject, smaller);
          return again.actual.kind !== 'refused' && !(await same(textOf(smaller), again.actual, again.expected));
        });
    const last = await asked(subject, small);
    const { expected: wanted, got } = await findingOf('', last.expected, last.actual, EXACT);
    report.different.push(
      `seed ${seed}\n${documentOf(small.data)}\n${render(small.text)}\nexpected ${wanted}\ngot ${got}`,
    );
    await fill(subject, data);
  }
}

let filled: Case['data'] | null = null;

async function asked(subject: LakeSubject, one: Case) {
  await fill(subject, one.data);
  return ask(subject, one);
}

async function fill(subject: LakeSubject, data: Case['data']): Promise<void> {
  if (data !== filled) {
    if (data.some(({ from }) => from !== undefined)) await subject.fillHistory((store) => writeHistory(store, data));
    else await subject.fill(await quadsOf(data));
  }
  filled = data;
}

async function ask(subject: LakeSubject, one: Case): Promise<{ expected: Outcome; actual: Outcome }> {
  const text = textOf(one);
  let expected: Outcome;
  try {
    expected = { kind: 'answer', answer: await readAnswer(subject.store, text, { now: NOW, ...timeOf(one.moment) }) };
  } catch (error) {
    expected = failed(error);
  }
  return { expected, actual: await subject.ask(text, { now: NOW, time: toTimeSlice(timeOf(one.moment)) }) };
}

async function same(text: string, actual: Outcome, expected: Outcome): Promise<boolean> {
  return agrees(text, actual, expected, EXACT);
}

export function describeReport({ cases, equal, refusedByBoth, refused, different }: RandomReport): string {
  const reasons = [...refused].sort((a, b) => b[1] - a[1]).map(([why, count]) => `  ${count} ${why}`);
  const total = [...refused.values()].reduce((sum, count) => sum + count, 0);
  return [
    `${cases} cases, ${equal} equal, ${total} refused, ${refusedByBoth} by the store too, ${different.length} different`,
    ...reasons,
  ].join('\n');
}
