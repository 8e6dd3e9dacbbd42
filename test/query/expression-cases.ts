/** Tables of expressions and what they are: `-` is an error. */

import assert from 'node:assert/strict';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { answer, storeOf } from './support.js';

export type Cases = Readonly<Record<string, string>>;

/** Each expression folded before the query, once for its row, and over a variable that holds its first constant. */
export async function assertCases(cases: Cases): Promise<void> {
  const snapshot = (await storeOf('')).snapshot();
  for (const [expression, expected] of Object.entries(cases)) {
    assert.equal(await resultOf(snapshot, expression), expected, expression);
    assert.equal(await resultOf(snapshot, expression, ['fold-constants']), expected, `${expression}, in the row`);
    const match =
      /^([A-Za-z_:]+\()("(?:[^"\\]|\\.)*"(?:@[A-Za-z-]+|\^\^[a-z]+:\w+)?|-?[0-9.]+(?:[eE]-?[0-9]+)?)(?=[,)])/.exec(
        expression,
      );
    if (match === null) continue;
    const [, call, constant] = match as unknown as [string, string, string];
    const rest = `${call}?v${expression.slice(call.length + constant.length)}`;
    const text = `SELECT (${rest} AS ?x) { VALUES ?v { ${constant} } }`;
    assert.deepEqual(await answer(snapshot, text), [expected], text);
  }
}

async function resultOf(
  snapshot: StorageSnapshot,
  expression: string,
  disabledRewrites: string[] = [],
): Promise<string> {
  const rows = await answer(snapshot, `SELECT (${expression} AS ?x) {}`, { disabledRewrites });
  assert.equal(rows.length, 1, expression);
  return rows[0] as string;
}
