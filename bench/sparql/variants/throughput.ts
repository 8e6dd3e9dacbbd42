/** Queries a second of a mixed set, with so many reader threads; each in its turn takes the next query of the set. */
import { readFileSync } from 'node:fs';
import { openStore } from '../../../interfaces/library/index.js';
import type { Query } from '../query-set.js';

export interface ThroughputTask {
  readonly task: 'throughput';
  readonly store: string;
  readonly queries: string;
  readonly readers: number;
  readonly seconds: number;
}

export interface ThroughputFigures {
  readonly perSecond: number;
  readonly queries: number;
}

/** Calls that wait for each thread, so that none is idle. */
const CALLS_PER_READER = 2;

export async function measureThroughput(task: ThroughputTask): Promise<ThroughputFigures> {
  const store = await openStore(task.store, { readOnly: true, readers: task.readers });
  const queries = JSON.parse(readFileSync(task.queries, 'utf8')) as Query[];
  let next = 0;
  const serve = async (isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      const { text, form } = queries[next++ % queries.length] as Query;
      const format = form === 'CONSTRUCT' || form === 'DESCRIBE' ? 'ntriples' : 'json';
      for await (const _ of await store.read(text, { format, inference: false }));
    }
  };
  const run = (isOver: () => boolean): Promise<unknown> =>
    Promise.all(Array.from({ length: task.readers * CALLS_PER_READER }, () => serve(isOver)));
  // Twice through the set, so that every thread has compiled what it needs.
  await run(() => next >= queries.length * 2 * task.readers);
  const first = next;
  const begin = performance.now();
  const end = begin + task.seconds * 1000;
  await run(() => performance.now() >= end);
  const spentMs = performance.now() - begin;
  await store.close();
  return { perSecond: ((next - first) * 1000) / spentMs, queries: next - first };
}
