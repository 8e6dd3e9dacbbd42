/** Random cases as a test. SVC_DIFFERENTIAL asks for that many; SVC_DIFFERENTIAL_SEED begins elsewhere. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CaseKind, type Disagreement, describeDisagreement } from './report.js';
import { runRandomCases } from './run.js';

const SEED = 1_000_000;
const PROGRESS_EVERY = 1_000;

const wanted = process.env.SVC_DIFFERENTIAL;

export function testRandomCases(name: string, kind: CaseKind, cases: number): void {
  test(name, async () => {
    let shown = 0;
    let told = 0;
    const report = await runRandomCases({
      seed: Number(process.env.SVC_DIFFERENTIAL_SEED ?? SEED),
      cases: Number(wanted ?? cases),
      kind,
      onProgress: ({ cases: done, disagreements }) => {
        if (wanted === undefined) return;
        while (told < disagreements.length) console.log(describeDisagreement(disagreements[told++] as Disagreement));
        if (done < shown + PROGRESS_EVERY) return;
        shown = done;
        console.log(`${kind}: ${done} cases, ${disagreements.length} disagreements`);
      },
    });
    if (wanted !== undefined) console.log(report.describe());
    assert.equal(report.disagreements.length, 0, report.disagreements.map(describeDisagreement).join('\n'));
    assert.ok(report.nonEmpty > report.cases / 4, `only ${report.nonEmpty} of ${report.cases} had an answer`);
    assert.ok(report.refused + report.tooLarge < report.cases / 20);
  });
}
