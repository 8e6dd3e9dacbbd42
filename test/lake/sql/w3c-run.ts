/** The evaluation cases of the W3C suites over lakes: equal, refused by name, or different. */

import { join } from 'node:path';
import type { TestCase } from '../../conformance/cases.js';
import { Runner } from '../../conformance/run.js';
import { SUITES, suiteFolder } from '../../conformance/suites.js';
import { lakeSparqlSubject } from './lake-sparql-subject.js';

export interface SuiteReport {
  readonly equal: string[];
  /** By reason. */
  readonly refused: Map<string, string[]>;
  readonly skipped: string[];
  readonly different: string[];
}

const SUITE_NAMES = ['sparql10', 'sparql11', 'sparql12'];

/** `isWanted`: of the query evaluation cases. */
export async function runSuites(
  shared: string,
  isWanted: (test: TestCase, at: number) => boolean,
): Promise<SuiteReport> {
  const runner = new Runner([lakeSparqlSubject()]);
  const report: SuiteReport = { equal: [], refused: new Map(), skipped: [], different: [] };
  try {
    for (const suite of SUITES.filter(({ name }) => SUITE_NAMES.includes(name))) {
      const all = await suite.read(suiteFolder(join(shared, 'conformance'), suite) as string);
      const cases = all
        .filter(({ kind }) => kind === 'QueryEvaluationTest' || kind === 'CSVResultFormatTest')
        .filter(isWanted);
      for (const one of cases) {
        for (const { verdict, reason } of await runner.run(one)) {
          if (verdict === 'skipped') report.skipped.push(one.id);
          else if (verdict === 'passed') report.equal.push(one.id);
          else if (reason?.startsWith('unsupported: ')) {
            const why = reason.slice('unsupported: '.length);
            report.refused.set(why, [...(report.refused.get(why) ?? []), one.id]);
          } else report.different.push(`${one.id}\n${reason}`);
        }
      }
    }
  } finally {
    await runner.close();
  }
  return report;
}

export function describeSuites({ equal, refused, skipped, different }: SuiteReport): string {
  const count = [...refused.values()].reduce((sum, ids) => sum + ids.length, 0);
  const reasons = [...refused].sort((a, b) => b[1].length - a[1].length).map(([why, ids]) => `  ${ids.length} ${why}`);
  return [
    `${equal.length} equal, ${count} refused, ${skipped.length} skipped, ${different.length} different`,
    ...reasons,
  ].join('\n');
}
