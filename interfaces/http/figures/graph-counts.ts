/**
 * Counts of graphs for the gauges: taken when the server starts, and again five minutes after each time. They are taken
 * in a reader thread where there are any; a scrape only reads what was taken last.
 */

import type { Configuration } from '../../../engine/service/configuration/configuration.js';
import { answerOperation } from '../../../engine/service/operations/definition/answer-operation.js';
import { graphCounts } from '../../../engine/service/operations/graphs/graph-counts.js';
import type { Store } from '../../../engine/service/store/store.js';
import type { ServerMetrics } from './metrics.js';

const INTERVAL_MS = 5 * 60_000;

interface Counts {
  readonly facts: number;
  readonly entities: number;
  readonly predicates: number;
  readonly graphs: readonly { readonly class: string; readonly lifecycle: string; readonly graphs: number }[];
  readonly facts_by_class: readonly { readonly class: string; readonly facts: number }[];
}

async function takeCounts(store: Store, configuration: Configuration, signal: AbortSignal): Promise<Counts> {
  const answer = await answerOperation(
    graphCounts,
    {},
    { store, configuration, control: { signal }, documents: [], representation: 'body' },
  );
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Counts;
}

/** Begins at once; what it returns ends it. */
export function keepCounts(
  store: Store,
  configuration: Configuration,
  metrics: ServerMetrics,
  onFailure: (error: unknown) => void,
): () => void {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const refresh = async (): Promise<void> => {
    const began = performance.now();
    try {
      const { facts_by_class: factsByClass, ...counts } = await takeCounts(store, configuration, controller.signal);
      metrics.countsTaken({ ...counts, factsByClass }, (performance.now() - began) / 1000);
    } catch (error) {
      if (controller.signal.aborted) return;
      metrics.countsFailed();
      onFailure(error);
    }
    if (controller.signal.aborted) return;
    timer = setTimeout(() => void refresh(), INTERVAL_MS);
    timer.unref();
  };
  void refresh();
  return () => {
    controller.abort();
    clearTimeout(timer);
  };
}
