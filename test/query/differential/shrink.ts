/** Makes a failing case smaller: lines of data and parts of the query go while it still fails. */

import { smaller } from '../../../bench/plan-fuzz/tree.js';
import type { Case } from './case.js';
import type { DataLine } from './data.js';

const ATTEMPTS_MAX = 1_500;

export async function shrink(found: Case, fails: (smaller: Case) => Promise<boolean>): Promise<Case> {
  let best = found;
  let attempts = 0;
  for (let progress = true; progress && attempts < ATTEMPTS_MAX; ) {
    progress = false;
    for (const text of smaller(best.text)) {
      if (attempts++ >= ATTEMPTS_MAX) break;
      if (!(await fails({ ...best, text }))) continue;
      best = { ...best, text };
      progress = true;
      break;
    }
    for (const data of fewer(best.data)) {
      if (attempts++ >= ATTEMPTS_MAX) break;
      if (!(await fails({ ...best, data }))) continue;
      best = { ...best, data };
      progress = true;
      break;
    }
  }
  return best;
}

/** Half of the lines, a quarter, and so on down to all but one. */
function* fewer(lines: readonly DataLine[]): Generator<DataLine[]> {
  for (let size = Math.ceil(lines.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < lines.length; from += size) yield [...lines.slice(0, from), ...lines.slice(from + size)];
  }
}
