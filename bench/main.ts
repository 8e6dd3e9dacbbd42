/**
 * Benchmarks: `npm run bench -- sparql|setup|load|storage|kernels|operators|join-sort|threads|commit|freeze|share|time|bitemporal|reason|governance|episodes|search|texts|vectors|unified|relevance|http|federation|lake|plan-fuzz|tables`.
 * `measure` and `serve` are for the processes that this one starts (`harness/child.ts`, `peers/all.ts`).
 */
import { SvcError } from '../engine/base/errors.js';
import { reportMeasured } from './harness/child.js';
import { parseOptions, USAGE } from './options.js';

/** Each loaded only when it is asked for: a measured process carries nothing else. */
const BENCHMARKS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  load: async (args) => (await import('./load/load.js')).runLoad(parseOptions(args)),
  storage: async (args) => (await import('./storage/storage.js')).runStorage(parseOptions(args)),
  kernels: async (args) => (await import('./kernels/kernels.js')).runKernels(parseOptions(args)),
  operators: async (args) => (await import('./operators/operators.js')).runOperators(parseOptions(args)),
  'join-sort': async (args) => (await import('./join-sort/join-sort.js')).runJoinSort(parseOptions(args)),
  threads: async (args) => (await import('./threads/threads.js')).runThreads(parseOptions(args)),
  commit: async ([first, ...rest]) => {
    if (first === 'growth') return (await import('./growth/growth.js')).runGrowth(parseOptions(rest));
    const args = first === undefined ? rest : [first, ...rest];
    return (await import('./commit/commit.js')).runCommit(parseOptions(args));
  },
  freeze: async (args) => (await import('./freeze/freeze.js')).runFreeze(parseOptions(args)),
  share: async (args) => (await import('./share/share.js')).runShare(parseOptions(args)),
  time: async (args) => (await import('./time/time.js')).runTime(parseOptions(args)),
  bitemporal: async (args) => (await import('./time/trade/bitemporal.js')).runBitemporal(parseOptions(args)),
  reason: async (args) => (await import('./reason/reason.js')).runReason(args),
  governance: async (args) => (await import('./governance/governance.js')).runGovernance(parseOptions(args)),
  episodes: async (args) => (await import('./episodes/episodes.js')).runEpisodes(args),
  texts: async (args) => (await import('./search/texts.js')).runTexts(parseOptions(args)),
  relevance: async (args) => (await import('./search/relevance.js')).runRelevance(parseOptions(args)),
  search: async (args) => {
    for (const name of ['texts', 'vectors', 'unified', 'relevance'] as const) await BENCHMARKS[name]?.(args);
  },
  vectors: async (args) => (await import('./search/vectors.js')).runVectors(parseOptions(args)),
  unified: async (args) => (await import('./search/unified.js')).runUnified(parseOptions(args)),
  sparql: async (args) => (await import('./sparql/sparql.js')).runSparql(args),
  http: async (args) => (await import('./http/http.js')).runHttp(args),
  'plan-fuzz': async (args) => (await import('./plan-fuzz/plan-fuzz.js')).runPlanFuzz(args),
  lake: async (args) => (await import('./lake/lake.js')).runLake(parseOptions(args)),
  federation: async (args) => (await import('./federation/federation.js')).runFederation(args),
  tables: async (args) => (await import('./tables/tables.js')).runTables(args),
  setup: async (args) => (await import('./peers/setup.js')).runSetup(args),
  serve: async ([name]) => (await import('./peers/all.js')).NODE_SERVERS[name as string]?.(),
  measure: async ([task]) => measure(JSON.parse(task as string) as { readonly task: string }),
};

async function measure(task: { readonly task: string }): Promise<void> {
  const run = TASKS[task.task];
  if (run === undefined) throw new SvcError('usage', `there is no measurement ${task.task}`);
  reportMeasured(await run(task as never));
}

const TASKS: Readonly<Record<string, (task: never) => Promise<object>>> = {
  load: async (task) => (await import('./load/measure.js')).measureLoad(task),
  'load-peer': async (task) => (await import('./load/measure-peer.js')).measurePeerLoad(task),
  storage: async (task) => (await import('./storage/measure.js')).measureStorage(task),
  'storage-peer': async (task) => (await import('./storage/measure-peer.js')).measurePeer(task),
  commit: async (task) => (await import('./commit/measure.js')).measureCommit(task),
  'freeze-base': async (task) => (await import('./freeze/measure.js')).makeFreezeBase(task),
  freeze: async (task) => (await import('./freeze/measure.js')).measureFreeze(task),
  'freeze-many': async (task) => (await import('./freeze/measure-many.js')).measureFreezeMany(task),
  share: async (task) => (await import('./share/measure.js')).measureShare(task),
  time: async (task) => (await import('./time/measure.js')).measureTime(task),
  bitemporal: async (task) => (await import('./time/trade/measure.js')).measureBitemporal(task),
  'episodes-writes': async (task) => (await import('./episodes/measure-writes.js')).measureWrites(task),
  'episodes-http': async (task) => (await import('./episodes/measure-http.js')).measureHttpWrites(task),
  'episodes-joins': async (task) => (await import('./episodes/measure-joins.js')).measureJoins(task),
  'episodes-large': async (task) => (await import('./episodes/measure-large.js')).measureLarge(task),
  'episodes-shapes': async (task) => (await import('./episodes/measure-shapes.js')).measureShapes(task),
  'governance-writes': async (task) => (await import('./governance/measure.js')).measureGovernedWrites(task),
  'governance-backtest': async (task) => (await import('./governance/measure.js')).measureBacktest(task),
  'join-sort': async (task) => (await import('./join-sort/measure.js')).measureJoinSort(task),
  threads: async (task) => (await import('./threads/measure.js')).measureThreads(task),
  operators: async (task) => (await import('./operators/measure.js')).measureOperators(task),
  texts: async (task) => (await import('./search/measure-texts.js')).measureTexts(task),
  vectors: async (task) => (await import('./search/measure-vectors.js')).measureVectors(task),
  unified: async (task) => (await import('./search/measure-unified.js')).measureUnified(task),
  'compare-stores': async (task) => (await import('./sparql/variants/compare-stores.js')).compareStores(task),
  throughput: async (task) => (await import('./sparql/variants/throughput.js')).measureThroughput(task),
  'sparql-growth': async (task) => (await import('./sparql/variants/growth.js')).measureSparqlGrowth(task),
  growth: async (task) => (await import('./growth/measure.js')).measureGrowth(task),
  'http-load': async (task) => (await import('./http/autocannon.js')).measureHttpLoad(task),
  'http-paced': async (task) => (await import('./http/paced.js')).measureHttpPaced(task),
  'http-idle': async (task) => (await import('./http/idle.js')).measureHttpIdle(task),
  'http-memory': async (task) => (await import('./http/memory.js')).measureHttpMemory(task),
  'reason-rules': async (task) => (await import('./reason/measure-rules.js')).measureRules(task),
  'reason-owl': async (task) => (await import('./reason/measure-owl.js')).measureOwl(task),
  'reason-algorithms': async (task) => (await import('./reason/measure.js')).measureAlgorithms(task),
  open: async (task) => (await import('./storage/measure-open.js')).measureOpen(task),
};

async function usageOf(name: string): Promise<string> {
  if (name === 'sparql') return (await import('./sparql/options.js')).SPARQL_USAGE;
  if (name === 'episodes') return (await import('./episodes/options.js')).EPISODES_USAGE;
  if (name === 'plan-fuzz') return (await import('./plan-fuzz/options.js')).PLAN_FUZZ_USAGE;
  if (name === 'tables') return (await import('./tables/options.js')).TABLES_USAGE;
  return name === 'http' ? (await import('./http/options.js')).HTTP_USAGE : USAGE;
}

async function main(): Promise<void> {
  const [name = '', ...args] = process.argv.slice(2);
  const run = BENCHMARKS[name];
  if (run === undefined || args.includes('--help')) {
    console.log(await usageOf(name));
    if (run === undefined && name !== '--help') process.exitCode = 2;
    return;
  }
  await run(args);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof SvcError ? `error: ${error.describe()}` : error);
  process.exitCode = error instanceof SvcError ? error.exitCode : 1;
}
