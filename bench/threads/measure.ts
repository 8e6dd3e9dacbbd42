/** Large scans that are grouped, with 1 and more threads by turns, in a process of its own: the CPU of all threads, and that of the busiest. */

import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { Random } from '../data/random.js';

export interface ThreadsTask {
  readonly task: 'threads';
  readonly rows: number;
  readonly runs: number;
}

export interface ThreadsFigures {
  readonly name: string;
  readonly threads: number;
  readonly allMs: number;
  readonly busiestMs: number;
  readonly wallMs: number;
}

const THREADS = [1, 2, 4, 8];
const PREDICATES = 4;
const WRITTEN_AT_ONCE = 2000;
const NS = 'http://e/';

const QUERIES: Readonly<Record<string, string>> = {
  'SUM, integers': 'SELECT (SUM(?v) AS ?x) { ?s e:value ?v }',
  'AVG and COUNT, decimals': 'SELECT (AVG(?v) AS ?x) (COUNT(*) AS ?n) { ?s e:weight ?v }',
  'MIN and MAX, integers': 'SELECT (MIN(?v) AS ?x) (MAX(?v) AS ?y) { ?s e:value ?v }',
  'FILTER and COUNT, integers':
    'SELECT (COUNT(*) AS ?n) (SUM(?v) AS ?x) { ?s e:value ?v FILTER(?v > 1000 && ?v < 700000) }',
  'GROUP BY of 1,000 kinds': 'SELECT ?k (COUNT(*) AS ?n) (SAMPLE(?s) AS ?x) { ?s e:kind ?k } GROUP BY ?k',
  'GROUP BY of predicates, all rows': 'SELECT ?p (COUNT(?o) AS ?n) (SAMPLE(?s) AS ?m) { ?s ?p ?o } GROUP BY ?p',
};

export async function measureThreads({
  rows,
  runs,
}: ThreadsTask): Promise<{ readonly figures: readonly ThreadsFigures[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-threads-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const store = await storeOf(folder, rows);
  const figures: ThreadsFigures[] = [];
  for (const [name, query] of Object.entries(QUERIES)) figures.push(...(await measured(store, name, query, runs)));
  await store.close();
  return { figures };
}

async function storeOf(folder: string, rows: number): Promise<Store> {
  const path = join(folder, 'data.nt');
  const out = createWriteStream(path);
  const random = new Random(7);
  let lines: string[] = [];
  for (let at = 0; at < rows / PREDICATES; at++) {
    const [kind, value] = [random.below(1000), random.below(1_000_000)];
    lines.push(
      `<${NS}s${at}> <${NS}kind> <${NS}k${kind}> .`,
      `<${NS}s${at}> <${NS}value> "${value}"^^<http://www.w3.org/2001/XMLSchema#integer> .`,
      `<${NS}s${at}> <${NS}weight> "${kind}.${value % 100}"^^<http://www.w3.org/2001/XMLSchema#decimal> .`,
      `<${NS}s${at}> <${NS}next> <${NS}s${random.below(rows / PREDICATES)}> .\n`,
    );
    if (lines.length < WRITTEN_AT_ONCE) continue;
    if (!out.write(lines.join('\n'))) await once(out, 'drain');
    lines = [];
  }
  out.end(lines.join('\n'));
  await finished(out);
  const store = await openStore(join(folder, 'store.db'));
  await store.load(path);
  rmSync(path);
  return store;
}

async function measured(store: Store, name: string, query: string, runs: number): Promise<ThreadsFigures[]> {
  const best = new Map(THREADS.map((threads) => [threads, { allMs: Infinity, busiestMs: Infinity, wallMs: Infinity }]));
  const answers = new Set<string>();
  // One round more, by which blocks are in memory and helpers run.
  for (let run = 0; run <= runs; run++) {
    for (const threads of THREADS) {
      const [before, began] = [threadTimes(), performance.now()];
      const answer = await store.select(`PREFIX e: <${NS}> ${query}`, { threads });
      const rows: string[] = [];
      for await (const row of answer.bindings()) rows.push(JSON.stringify(row));
      const wallMs = performance.now() - began;
      answers.add(rows.join());
      const times = [...threadTimes()].map(([thread, ms]) => ms - (before.get(thread) ?? 0));
      const held = best.get(threads);
      if (run === 0 || held === undefined) continue;
      held.allMs = Math.min(
        held.allMs,
        times.reduce((sum, ms) => sum + ms, 0),
      );
      held.busiestMs = Math.min(held.busiestMs, Math.max(...times));
      held.wallMs = Math.min(held.wallMs, wallMs);
    }
  }
  if (answers.size !== 1) throw new Error(`${name} has ${answers.size} answers, by the number of threads`);
  return [...best].map(([threads, figures]) => ({ name, threads, ...figures }));
}

/** CPU of each thread of the process, in milliseconds, as Linux tells it. */
function threadTimes(): Map<string, number> {
  const times = new Map<string, number>();
  for (const thread of readdirSync('/proc/self/task')) {
    try {
      const [ns] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ');
      times.set(thread, Number(ns) / 1e6);
    } catch {
      // It has ended.
    }
  }
  return times;
}
