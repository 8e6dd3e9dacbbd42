/** How time and rows touched grow with the data: every query once explained with its work, and warm runs. */
import { readFileSync } from 'node:fs';
import { type Explanation, openStore } from '../../../interfaces/library/index.js';
import { median } from '../../harness/figures.js';
import type { Query } from '../query-set.js';

export interface GrowthTask {
  readonly task: 'sparql-growth';
  readonly document: string;
  readonly store: string;
  readonly queries: string;
  readonly runs: number;
  readonly timeoutMs: number;
}

export interface GrowthFigures {
  readonly label: string;
  readonly ms: number | null;
  /** Rows that all operators gave, and blocks that were read. */
  readonly rows: number | null;
  readonly blocks: number | null;
  readonly peakBytes: number | null;
  readonly error: string | null;
}

export async function measureSparqlGrowth(task: GrowthTask): Promise<{ readonly figures: readonly GrowthFigures[] }> {
  const store = await openStore(task.store);
  await store.load(task.document);
  const figures: GrowthFigures[] = [];
  for (const { label, text } of JSON.parse(readFileSync(task.queries, 'utf8')) as Query[]) {
    const options = { analyze: true, inference: false, timeoutMs: task.timeoutMs };
    try {
      await store.explain(text, options);
      const runs: Explanation[] = [];
      for (let run = 0; run < task.runs; run++) runs.push(await store.explain(text, options));
      const { plan, blocksRead, memory } = runs[0] as Explanation;
      const ms = median(runs.map(({ times }) => times.totalMs));
      figures.push({
        label,
        ms,
        rows: rowsOf(plan),
        blocks: blocksRead,
        peakBytes: memory?.peakBytes ?? null,
        error: null,
      });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      figures.push({ label, ms: null, rows: null, blocks: null, peakBytes: null, error: message });
    }
  }
  await store.close();
  return { figures };
}

function rowsOf({ actual, inputs }: Explanation['plan']): number {
  return inputs.reduce((sum, input) => sum + rowsOf(input), actual?.rows ?? 0);
}
