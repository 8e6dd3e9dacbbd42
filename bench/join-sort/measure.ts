/** Each case over a number of keys, in a process of its own: CPU time, the least of several runs. */

import { useThreadMemory } from '../../engine/kernels/thread-memory.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { PENDING } from '../../engine/query/runtime/operator.js';
import { QueryTerms } from '../../engine/query/terms/terms.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { JOIN_SORT_CASES } from './cases.js';

export interface JoinSortTask {
  readonly task: 'join-sort';
  readonly keys: number;
  readonly runs: number;
  /** Part of a case's name; empty = all cases. */
  readonly only: string;
}

export interface JoinSortFigures {
  readonly name: string;
  readonly keys: number;
  readonly rowsIn: number;
  readonly rowsOut: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
}

const BUDGET_BYTES = 3 * 2 ** 30;
/** Short runs are repeated until they have taken so long. */
const REPEATED_MS = 150;

export async function measureJoinSort({ keys, runs, only }: JoinSortTask): Promise<{
  readonly figures: readonly JoinSortFigures[];
}> {
  const figures: JoinSortFigures[] = [];
  for (const one of JOIN_SORT_CASES) {
    if (!one.name.includes(only)) continue;
    const make = one.prepare(keys);
    let least = Number.POSITIVE_INFINITY;
    let rowsOut = 0;
    let peakBytes = 0;
    const began = performance.now();
    for (let run = 0; run <= runs || performance.now() - began < REPEATED_MS; run++) {
      const done = useThreadMemory();
      const budget = new MemoryBudget(BUDGET_BYTES);
      const operator = make(budget, new QueryTerms(openMemoryEngine().snapshot(), budget));
      const before = process.cpuUsage();
      rowsOut = 0;
      for (let step = operator.next(); step !== null; step = operator.next())
        if (step !== PENDING) rowsOut += step.rows;
      const { user, system } = process.cpuUsage(before);
      peakBytes = budget.peakBytes;
      operator.close();
      budget.close();
      done();
      if (run > 0) least = Math.min(least, (user + system) / 1000);
    }
    figures.push({ name: one.name, keys, rowsIn: one.rowsOf(keys), rowsOut, cpuMs: least, peakBytes });
  }
  return { figures };
}
