/** What the command line of the benchmarks says. */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { SvcError } from '../engine/base/errors.js';
import { parseSize, SET_NAMES, type SetName } from './data/data-set.js';

export const USAGE = `npm run bench -- sparql|setup|load|storage|kernels|operators|commit|time|bitemporal|episodes|http [options]

  sparql      queries beside other stores: npm run bench -- sparql --help
  http        queries over HTTP, beside another server: npm run bench -- http --help
  episodes    the write side: npm run bench -- episodes --help
  setup       installs those stores
  load        documents into a new store: time, rate, memory, bytes by part; against oxigraph
  storage     scans, lookups, ranges, terms, opening, on stores loaded for it; against oxigraph
  kernels     the kernels one by one: rows or terms a second
  operators   the operators of queries one by one: rows a second
  commit      durable commits beside a bare fdatasync, on stores of several sizes; folds and merges
  commit growth
              size of the file over many commits while readers hold snapshots
  time        scans, lookups and joins at points in time, against stores of just the visible rows
  bitemporal  orders, customers and line items with two times: queries and histories

  --sizes LIST    sizes of the data sets, default 1M,5M (also 20M, 200k ...)
  --sets LIST     bsbm, watdiv; default both
  --threads LIST  1, 2; default both (load only)
  --runs N        repetitions; medians are shown; default 3
  --cpus LIST     cores for the measured processes, the first of them for one thread;
                  default all, "none" pins nothing
  --no-peers      leave oxigraph out
  --rows LIST     rows in the store before commits, default 0,1M,20M; visible rows for time,
                  default 500k; orders at the start for bitemporal, default 20k
  --commits N     commits of the long runs (commit); default 20000
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
  readonly history: readonly number[];
  readonly made: readonly HistoryKind[];
  readonly json: string | null;
  readonly writeDocs: boolean;
}

const usage = (message: string): SvcError => new SvcError('usage', message, { hint: 'npm run bench -- --help' });

export function parseOptions(args: readonly string[]): BenchOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  let values: ReturnType<typeof parse>;
  const parse = () =>
    parseArgs({
      args: [...args],
      options: {
        sizes: text,
        sets: text,
        threads: text,
        runs: text,
        cpus: text,
        rows: text,
        commits: text,
        history: text,
        made: text,
        json: text,
        'no-peers': flag,
        'write-docs': flag,
      },
    }).values;
  try {
    values = parse();
  } catch (error) {
    throw usage((error as Error).message);
  }
  const sizes = list(values.sizes ?? '1M,5M');
  for (const size of sizes) parseSize(size);
  const rows = values.rows === undefined ? null : list(values.rows);
  for (const size of rows ?? []) parseRows(size);
  return {
    sizes,
    sets: list(values.sets ?? SET_NAMES.join(',')).map(setName),
    threads: list(values.threads ?? '1,2').map((one) => whole('threads', one, 1, 2)),
    runs: whole('runs', values.runs ?? '3', 1, 100),
    cpus: cores(values.cpus),
    peers: !values['no-peers'],
    rows,
    commits: whole('commits', values.commits ?? '20000', 10, 10_000_000),
    history: list(values.history ?? '10,50,90')
      .map((one) => whole('history', one, 1, 99))
      .sort((a, b) => a - b),
    made: list(values.made ?? HISTORY_KINDS.join(',')).map(historyKind),
    json: values.json ?? null,
    writeDocs: values['write-docs'],
  };
}

function list(value: string): string[] {
  return value.split(',').filter((part) => part !== '');
}

/** How many rows: 0, or as `parseSize` reads it. */
export function parseRows(size: string): number {
  return size === '0' ? 0 : parseSize(size);
}

function historyKind(name: string): HistoryKind {
  const known = HISTORY_KINDS.find((kind) => kind === name);
  if (known === undefined) throw usage(`history is not made by "${name}"; there are ${HISTORY_KINDS.join(', ')}`);
  return known;
}

function setName(name: string): SetName {
  const known = SET_NAMES.find((set) => set === name);
  if (known === undefined) throw usage(`there is no data set "${name}"; there are ${SET_NAMES.join(', ')}`);
  return known;
}

function whole(name: string, value: string, from: number, to: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < from || number > to) {
    throw usage(`--${name} is "${value}"; expected a whole number from ${from} to ${to}`);
  }
  return number;
}

function cores(value: string | undefined): readonly number[] | null {
  const last = cpus().length - 1;
  if (value === 'none') return null;
  if (value === undefined) return Array.from({ length: last + 1 }, (_, core) => core);
  return list(value).map((core) => whole('cpus', core, 0, last));
}
