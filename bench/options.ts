/** What the command line of the benchmarks says. */
import { cpus } from 'node:os';
import { parseSize, SET_NAMES, type SetName } from './data/data-set.js';
import { list, OptionValues } from './option-values.js';

export const USAGE = `npm run bench -- sparql|setup|load|storage|kernels|operators|join-sort|threads|commit|freeze|share|time|bitemporal|reason|governance|episodes|search|texts|vectors|unified|relevance|http|federation|lake|plan-fuzz|tables [options]

  sparql      queries beside other stores: npm run bench -- sparql --help
  http        queries over HTTP, beside another server: npm run bench -- http --help
  federation  a join of 10,000 bindings across two servers; against Comunica where SVC_BENCH_COMUNICA is its folder
  episodes    the write side: npm run bench -- episodes --help
  plan-fuzz   random queries beside another store, in search of cliffs: npm run bench -- plan-fuzz --help
  tables      every table of docs/benchmarks.md again, on an idle machine; goes on after a stop: npm run bench -- tables --help
  setup       installs those stores
  load        documents into a new store: time, rate, memory, bytes by part; against oxigraph
  storage     scans, lookups, ranges, terms, opening, on stores loaded for it; against oxigraph
  kernels     the kernels one by one: rows or terms a second
  operators   the operators of queries one by one: rows a second
  join-sort   joins, groups and sorts of 10k to 5M keys (--rows): CPU time
  threads     large scans that are grouped, with 1, 2, 4 and 8 threads (--rows, default 20M): CPU of all, and of the busiest
  commit      durable commits beside a bare fdatasync, on stores of several sizes; folds and merges
  commit growth
              size of the file over many commits while readers hold snapshots
  freeze      freezing and thawing a graph, step by step, and queries over it; a store with many frozen graphs
  share       sharing a graph, taking it in, and merging what comes back: processor time of each step
  time        scans, lookups and joins at points in time, against stores of just the visible rows
  bitemporal  orders, customers and line items with two times: queries and histories
  search      texts, vectors, unified and relevance, one after the other
  texts       indexing texts, finding words and parts; against tantivy and FTS5 where Python has them, minisearch where installed
  relevance   names found by definitions, of schema.org and FIBO, by text, vectors and both; with MiniLM where Python has it
  vectors     putting vectors, making segments, finding the nearest; against usearch where it is installed
  unified     whole searches by text, vectors and links, by each ranking and of the past; what commits pay for the indexes
  reason [algorithms] [rules] [ontologies]
              graph algorithms on R-MAT graphs of 1M and 5M edges, rules, ontologies over 1M (and 10M) facts; against igraph,
              networkit, clingo and DuckDB where Python has them, datafrog where there is cargo, VLog where there is Maven
  lake        exporting BSBM, and its analytics asked of the lake by DuckDB, and by Spark where SVC_LAKE_PYTHON has it
  governance  what policies add to small writes, a check over HTTP, a backtest; --rows and --commits (times 5) make it smaller

  --sizes LIST    sizes of the data sets, default 1M,5M (also 20M, 200k ...)
  --sets LIST     bsbm, watdiv; default both
  --threads LIST  1, 2; default both (load only)
  --runs N        repetitions; medians are shown; default 3
  --cpus LIST     cores for the measured processes, the first of them for one thread;
                  default all, "none" pins nothing
  --no-peers      leave oxigraph out
  --rows LIST     rows in the store before commits, default 0,1M,20M; visible rows for time,
                  default 500k; orders at the start for bitemporal, default 20k; vectors and unified, default 1M
  --commits N     commits of the long runs (commit); default 20000
  --packs N       frozen graphs of one store (freeze); default 1000
  --history LIST  shares of history in percent (time); default 10,50,90
  --made LIST     how history came about (time): updates, snapshots, backfill; default all
  --json FILE     write everything that was measured
  --write-docs    put the tables into docs/benchmarks.md
`;

/** How history came about: random facts updated, whole new states, many short past intervals. */
export const HISTORY_KINDS = ['updates', 'snapshots', 'backfill'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

export interface BenchOptions {
  readonly sizes: readonly string[];
  readonly sets: readonly SetName[];
  readonly threads: readonly number[];
  readonly runs: number;
  /** Core numbers; null = no pinning. */
  readonly cpus: readonly number[] | null;
  readonly peers: boolean;
  /** Null = the default of the benchmark. */
  readonly rows: readonly string[] | null;
  readonly commits: number;
  readonly packs: number;
  readonly history: readonly number[];
  readonly made: readonly HistoryKind[];
  readonly json: string | null;
  readonly writeDocs: boolean;
}

const given = new OptionValues(null);

const TEXTS = [
  'sizes',
  'sets',
  'threads',
  'runs',
  'cpus',
  'rows',
  'commits',
  'packs',
  'history',
  'made',
  'json',
] as const;

export function parseOptions(args: readonly string[]): BenchOptions {
  const values = given.parse(args, TEXTS, ['no-peers', 'write-docs']);
  const sizes = list(values.sizes ?? '1M,5M');
  for (const size of sizes) parseSize(size);
  const rows = values.rows === undefined ? null : list(values.rows);
  for (const size of rows ?? []) parseRows(size);
  return {
    sizes,
    sets: list(values.sets ?? SET_NAMES.join(',')).map((name) => given.known('data set', name, SET_NAMES)),
    threads: list(values.threads ?? '1,2').map((one) => given.whole('threads', one, 2)),
    runs: given.whole('runs', values.runs ?? '3', 100),
    cpus: cores(values.cpus),
    peers: !values['no-peers'],
    rows,
    commits: given.whole('commits', values.commits ?? '20000', 10_000_000, 10),
    packs: given.whole('packs', values.packs ?? '1000', 100_000),
    history: list(values.history ?? '10,50,90')
      .map((one) => given.whole('history', one, 99))
      .sort((a, b) => a - b),
    made: list(values.made ?? HISTORY_KINDS.join(',')).map(historyKind),
    json: values.json ?? null,
    writeDocs: values['write-docs'],
  };
}

/** How many rows: 0, or as `parseSize` reads it. */
export function parseRows(size: string): number {
  return size === '0' ? 0 : parseSize(size);
}

function historyKind(name: string): HistoryKind {
  const known = HISTORY_KINDS.find((kind) => kind === name);
  if (known === undefined) throw given.usage(`history is not made by "${name}"; there are ${HISTORY_KINDS.join(', ')}`);
  return known;
}

function cores(value: string | undefined): readonly number[] | null {
  if (value === 'none') return null;
  if (value === undefined) return cpus().map((_, core) => core);
  return list(value).map((core) => given.core('cpus', core));
}
