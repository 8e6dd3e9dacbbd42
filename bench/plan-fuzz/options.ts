/** What the command line of the plan fuzzer says. */
import { join } from 'node:path';
import { SvcError } from '../../engine/base/errors.js';
import { benchFolder, parseSize } from '../data/data-set.js';
import { OptionValues } from '../option-values.js';
import { findPeer } from '../peers/all.js';
import type { Peer } from '../peers/peer.js';
import type { DataName } from '../sparql/data.js';

export const PLAN_FUZZ_USAGE = `npm run bench -- plan-fuzz [options]

Random queries over random data, beside another store: what is more than twice as slow as there and takes more than 5 ms is
reduced to its smallest form. Answers are compared, too. A run that was stopped goes on where it was.

  --seed N        of the data and the queries; default 1
  --count N       queries in all; default 1000
  --size SIZE     triples of a world; default 50k
  --data NAME     the world of a data set instead of a random one: fibo, schemaorg, bsbm or watdiv (the latter two of --size)
  --world N       queries of a world, before the next one is made; default 250
  --peer NAME     default oxigraph
  --limit-ms N    each query, each store; default 5000
  --only N        the query of this number alone, without a note of it
  --again         asks what was found before again, and shows the times of then and now
  --report        shows what was found, and asks nothing
  --out FOLDER    what is found; default plan-fuzz/SEED in the folder of the benchmarks
`;

export interface PlanFuzzOptions {
  readonly seed: number;
  readonly count: number;
  readonly triples: number;
  /** As it was asked for. */
  readonly size: string;
  /** Null = random worlds. */
  readonly data: DataName | null;
  readonly perWorld: number;
  readonly peer: Peer;
  readonly limitMs: number;
  readonly only: number | null;
  readonly again: boolean;
  readonly report: boolean;
  readonly out: string;
}

const given = new OptionValues('plan-fuzz');
const DATA_NAMES: readonly DataName[] = ['fibo', 'schemaorg', 'bsbm', 'watdiv'];
const TEXTS = ['seed', 'count', 'size', 'data', 'world', 'peer', 'limit-ms', 'only', 'out'] as const;
const COUNT_MAX = 10_000_000;

export function parsePlanFuzzOptions(args: readonly string[]): PlanFuzzOptions {
  const values = given.parse(args, TEXTS, ['again', 'report']);
  const seed = given.whole('seed', values.seed ?? '1', 1_000_000, 0);
  return {
    seed,
    count: given.whole('count', values.count ?? '1000', COUNT_MAX),
    triples: parseSize(values.size ?? '50k'),
    size: values.size ?? '50k',
    data: dataOf(values.data),
    perWorld: given.whole('world', values.world ?? '250', COUNT_MAX),
    peer: findPeer(values.peer ?? 'oxigraph'),
    limitMs: given.whole('limit-ms', values['limit-ms'] ?? '5000', 600_000, 10),
    only: values.only === undefined ? null : given.whole('only', values.only, COUNT_MAX, 0),
    again: values.again,
    report: values.report,
    out: values.out ?? join(benchFolder(), 'plan-fuzz', `${values.data ?? ''}${seed}`),
  };
}

function dataOf(name: string | undefined): DataName | null {
  if (name === undefined) return null;
  const found = DATA_NAMES.find((known) => known === name);
  if (found === undefined) throw new SvcError('usage', `--data ${name}: expected one of ${DATA_NAMES.join(', ')}`);
  return found;
}
