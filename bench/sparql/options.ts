/** What the command line of the benchmark of queries says. */
import { cpus } from 'node:os';
import { SvcError } from '../../engine/base/errors.js';
import { parseSize } from '../data/data-set.js';
import { list, OptionValues } from '../option-values.js';
import { findPeer, PEERS } from '../peers/all.js';
import type { Peer } from '../peers/peer.js';
import { QUERY_SETS, type QuerySet } from './query-set.js';

export const SPARQL_USAGE = `npm run bench -- sparql [options]

  Loads data sets into this store and its peers in turn and asks the queries of every set.

  --sets LIST       ${QUERY_SETS.map(({ name }) => name).join(', ')};
                    analytics = shop,social,fibo,schemaorg; default all
  --sizes LIST      of generated data: 1M, 5M, 200k ...; default 1M
  --peers LIST      ${PEERS.map(({ name }) => name).join(', ')};
                    default all that are installed; svc is always measured
  --only LIST       names of queries, E01,B4 ...
  --instances N     instances of each template, 1 to 5; default 1
  --runs N          warm runs of a query, medians are shown; default 11
  --budget MS       time for the warm runs of one query, once there are 3; default 3000
  --timeout S       for one run; default 60
  --cpu N           core of the measured process; "none" pins nothing; default the last
  --name NAME       folder of the results; a run of that name goes on where it stopped; default "sparql"
  --again           measures anew what stands there
  --time            not peers: stores with 10, 50 and 90 % history, now, at valid_at, tx and both,
                    against a store of just the visible rows
  --graphs          not peers: ROOT as 1 % of the store (generated data; default size 200k), and 10,000 small graphs
  --delta           not peers: 1 % of the data not folded yet
  --threads         not peers: queries a second with one and with two reader threads
  --growth          not peers: time and rows touched at 1M, 5M, 20M
  --report          only makes tables and pictures of what stands there
  --write-docs      puts them into docs/benchmarks.md and docs/benchmarks/

npm run bench -- setup --peers LIST

  Installs peers into the folder of the benchmarks, outside the checkout.
`;

/** Circumstances under which this store is measured alone, and the sizes that each takes unless others are asked for. */
export const VARIANTS = { time: '1M', graphs: '200k', delta: '1M', threads: '1M', growth: '1M,5M,20M' } as const;
export type Variant = keyof typeof VARIANTS;
export const VARIANT_NAMES = Object.keys(VARIANTS) as readonly Variant[];

export interface SparqlOptions {
  /** Null = beside the peers. */
  readonly variant: Variant | null;
  readonly sets: readonly QuerySet[];
  readonly sizes: readonly string[];
  readonly peers: readonly Peer[];
  /** Null = all. */
  readonly only: ReadonlySet<string> | null;
  readonly instances: number;
  readonly runs: number;
  readonly budgetMs: number;
  readonly timeoutMs: number;
  /** Null = not pinned. */
  readonly cpu: number | null;
  readonly name: string;
  readonly again: boolean;
  readonly report: boolean;
  readonly writeDocs: boolean;
}

const given = new OptionValues('sparql');

const TEXTS = ['sets', 'sizes', 'peers', 'only', 'instances', 'runs', 'budget', 'timeout', 'cpu', 'name'] as const;

export function parseSparqlOptions(args: readonly string[]): SparqlOptions {
  const values = given.parse(args, TEXTS, ['again', 'report', 'write-docs', ...VARIANT_NAMES]);
  const variants = VARIANT_NAMES.filter((one) => values[one]);
  if (variants.length > 1) throw given.usage(`--${variants.join(' and --')} are measured one by one`);
  const variant = variants[0] ?? null;
  const sizes = list(values.sizes ?? (variant === null ? '1M' : VARIANTS[variant]));
  for (const size of sizes) parseSize(size);
  const name = values.name ?? 'sparql';
  if (!/^[\w.-]+$/.test(name)) throw given.usage(`--name is "${name}"; expected letters, digits, "-" and "_"`);
  return {
    variant,
    sets: chosenSets(values.sets),
    sizes,
    peers: chosenPeers(values.peers),
    only: values.only === undefined ? null : new Set(list(values.only)),
    instances: given.whole('instances', values.instances ?? '1', 5),
    runs: given.whole('runs', values.runs ?? '11', 1000),
    budgetMs: given.whole('budget', values.budget ?? '3000', 3_600_000, 0),
    timeoutMs: given.whole('timeout', values.timeout ?? '60', 86_400) * 1000,
    cpu: chosenCpu(values.cpu),
    name,
    again: values.again,
    report: values.report,
    writeDocs: values['write-docs'],
  };
}

function chosenSets(value: string | undefined): readonly QuerySet[] {
  if (value === undefined) return QUERY_SETS;
  const names = new Set(
    list(value).flatMap((name) => (name === 'analytics' ? ['shop', 'social', 'fibo', 'schemaorg'] : [name])),
  );
  for (const name of names) {
    if (QUERY_SETS.some((set) => set.name === name)) continue;
    throw given.usage(
      `there is no set "${name}"; there are ${QUERY_SETS.map((set) => set.name).join(', ')} and analytics`,
    );
  }
  return QUERY_SETS.filter((set) => names.has(set.name));
}

/** This store first: the others are measured against it. */
export function chosenPeers(value: string | undefined): readonly Peer[] {
  const wanted = value === undefined ? PEERS.filter((peer) => peer.version() !== null) : list(value).map(findPeer);
  for (const peer of wanted) {
    if (peer.version() !== null) continue;
    throw new SvcError('configuration', `${peer.name} is not installed`, {
      hint:
        peer.setup === undefined
          ? 'install it with the package manager of the system'
          : `npm run bench -- setup --peers ${peer.name}`,
    });
  }
  return [findPeer('svc'), ...wanted.filter(({ name }) => name !== 'svc')];
}

function chosenCpu(value: string | undefined): number | null {
  if (value === 'none') return null;
  return value === undefined ? cpus().length - 1 : given.core('cpu', value);
}
