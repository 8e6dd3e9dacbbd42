/**
 * The query sets under other circumstances: with history and asked at points in time, beside other graphs, with a
 * delta, with two reader threads, and as the data grows. Each variant is of this store alone.
 */
import { writeFileSync } from 'node:fs';
import { type Answer, coresFor, measureApart } from '../../harness/child.js';
import { describeMachine } from '../../harness/machine.js';
import { removeStore, scratchPath } from '../../harness/scratch.js';
import type { Data } from '../data.js';
import type { SparqlOptions, Variant } from '../options.js';
import type { Query } from '../query-set.js';
import type { VariantResults } from '../results.js';
import type { ComparedStores, CompareTask } from './compare-stores.js';
import type { GrowthTask } from './growth.js';
import { type MadeStore, makeDelta, makeGraphs, makeHistory, makePlain } from './stores.js';
import type { GrowthResult, MeasuredVariant, ThroughputResult } from './tables.js';
import type { ThroughputTask } from './throughput.js';

/** ROOT is a hundredth of the store. */
const OTHER_GRAPHS = { times: 99, quads: 10_000 };
const SMALL_GRAPHS = 10_000;
const SMALL_GRAPH_QUADS = 100;
const HISTORY_PERCENT = [10, 50, 90];
const THROUGHPUT_SECONDS = 10;
const READERS = [1, 2];

/** A data set with the queries that are asked of it. */
export interface Load {
  readonly data: Data;
  readonly queries: readonly Query[];
}

type Maker = { readonly name: string; make(document: string): Promise<MadeStore> };

const MAKERS: Readonly<Record<'time' | 'graphs' | 'delta', readonly Maker[]>> = {
  time: HISTORY_PERCENT.map((percent) => ({
    name: `${percent} % history`,
    make: (document) => makeHistory(document, percent),
  })),
  graphs: [
    { name: 'ROOT 1 %', make: (document) => makeGraphs(document, OTHER_GRAPHS.times, OTHER_GRAPHS.quads) },
    {
      name: `${SMALL_GRAPHS.toLocaleString('en-US')} graphs`,
      make: async (document) => {
        const plain = await makePlain(document);
        const times = (SMALL_GRAPHS * SMALL_GRAPH_QUADS) / plain.visible;
        return makeGraphs(document, times, SMALL_GRAPH_QUADS);
      },
    },
  ],
  delta: [{ name: '1 % in the delta', make: makeDelta }],
};

export async function measureVariant(variant: Variant, load: Load, options: SparqlOptions): Promise<VariantResults> {
  const { runs, budgetMs, timeoutMs } = options;
  return {
    variant,
    data: load.data.name,
    size: load.data.size,
    date: new Date().toISOString(),
    machine: describeMachine(),
    settings: { runs, budgetMs, timeoutMs },
    results: await measure(variant, load, options),
  };
}

async function measure(variant: Variant, load: Load, options: SparqlOptions): Promise<readonly unknown[]> {
  if (variant === 'threads') return measureThreads(load);
  if (variant === 'growth') return [await measureGrowth(load, options)];
  const measured: MeasuredVariant[] = [];
  for (const maker of MAKERS[variant]) measured.push(await measureMade(maker, load, options));
  return measured;
}

async function measureMade(maker: Maker, { data, queries }: Load, options: SparqlOptions): Promise<MeasuredVariant> {
  console.error(`making ${maker.name} of ${data.name}-${data.size}`);
  const made = await maker.make(data.path);
  const plain = await makePlain(data.path);
  try {
    const { runs, budgetMs, timeoutMs } = options;
    const { path: store, slices } = made;
    const task: CompareTask = {
      task: 'compare-stores',
      store,
      plain: plain.path,
      slices,
      queries: writeQueries(queries),
      runs,
      budgetMs,
      timeoutMs,
    };
    const answer: Answer<{ compared: readonly ComparedStores[] }> = await measureApart(task, pinned(options));
    const about = { title: `${maker.name}, ${data.name}-${data.size}`, made };
    if ('error' in answer) return { ...about, compared: [], error: answer.error };
    return { ...about, compared: answer.compared, error: null };
  } finally {
    removeStore(made.path);
    removeStore(plain.path);
  }
}

async function measureThreads({ data, queries }: Load): Promise<readonly ThroughputResult[]> {
  const plain = await makePlain(data.path);
  const results: ThroughputResult[] = [];
  for (const readers of READERS) {
    const task: ThroughputTask = {
      task: 'throughput',
      store: plain.path,
      queries: writeQueries(queries),
      readers,
      seconds: THROUGHPUT_SECONDS,
    };
    // Not pinned: two threads need two cores, and one is given the same freedom.
    results.push({ title: `${data.name}-${data.size}`, readers, answer: await measureApart(task, null) });
  }
  removeStore(plain.path);
  return results;
}

async function measureGrowth({ data, queries }: Load, options: SparqlOptions): Promise<GrowthResult> {
  const store = scratchPath('growth.svc');
  removeStore(store);
  const task: GrowthTask = {
    task: 'sparql-growth',
    document: data.path,
    store,
    queries: writeQueries(queries),
    runs: Math.min(options.runs, 3),
    timeoutMs: options.timeoutMs,
  };
  console.error(`growth: ${data.name}-${data.size}`);
  const answer: GrowthResult['answer'] = await measureApart(task, pinned(options));
  removeStore(store);
  return { name: data.name, size: data.size, answer };
}

function pinned({ cpu }: SparqlOptions) {
  return coresFor(cpu === null ? null : [cpu], 1);
}

function writeQueries(queries: readonly Query[]): string {
  const path = scratchPath('queries.json');
  writeFileSync(path, JSON.stringify(queries));
  return path;
}
