/** The part of the benchmark that measures graph algorithms: R-MAT graphs in a store, each algorithm by itself; igraph and networkit beside it. */
import { spawnSync } from 'node:child_process';
import { type Answer, coresFor, isError, measureApart } from '../harness/child.js';
import { show } from '../harness/figures.js';
import { CHECKOUT } from '../harness/machine.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { Table } from '../harness/table.js';
import { loadApart } from '../load/load.js';
import type { BenchOptions } from '../options.js';
import type { AlgorithmFigures } from './measure.js';
import { provideRmat } from './rmat.js';

const GRAPHS = [
  { name: '1M', scale: 20, edges: 1_000_000 },
  { name: '5M', scale: 20, edges: 5_000_000 },
] as const;
const PEERS = ['igraph', 'networkit'] as const;

interface Measured {
  readonly graph: string;
  readonly who: string;
  readonly figures: readonly AlgorithmFigures[];
}

export async function measureAllAlgorithms(options: BenchOptions): Promise<{ tables: Table[]; results: Measured[] }> {
  const results: Measured[] = [];
  for (const { name, scale, edges } of GRAPHS) {
    if (!options.sizes.includes(name)) continue;
    const files = provideRmat(scale, edges, console.error);
    const store = scratchPath('reason.svc');
    await loadApart(files.triples, store, options.cpus);
    const task = { task: 'reason-algorithms', store, rounds: options.runs };
    const answer: Answer<{ readonly figures: AlgorithmFigures[] }> = await measureApart(
      task,
      coresFor(options.cpus, 1),
    );
    removeStore(store);
    if (isError(answer)) console.error(`svc ${name}: ${answer.error}`);
    else results.push({ graph: name, who: 'svc', figures: answer.figures });
    if (!options.peers) continue;
    for (const peer of PEERS) {
      const figures = measurePeer(peer, files.edges, options.runs);
      if (figures !== null) results.push({ graph: name, who: peer, figures });
    }
  }
  const table = {
    title: 'Graph algorithms',
    note: 'CPU milliseconds of one thread, the least of the runs; first: of the first run. What was found shows that all compute the same.',
    columns: ['graph', 'who', 'algorithm', 'ms', 'first', 'found'],
    rows: results.flatMap(({ graph, who, figures }) =>
      figures.map((one) => [graph, who, one.name, show(one.leastMs), show(one.firstMs), one.found]),
    ),
  };
  return { tables: results.length === 0 ? [] : [table], results };
}

/** Null where Python has no such package. */
function measurePeer(peer: (typeof PEERS)[number], edges: string, rounds: number): AlgorithmFigures[] | null {
  const program = process.env.SVC_BENCH_PYTHON ?? 'python3';
  const script = `${CHECKOUT}/bench/reason/peers/algorithms.py`;
  const { status, stdout, stderr } = spawnSync(program, [script, peer, edges, String(rounds)], { encoding: 'utf8' });
  if (status === 0) return JSON.parse(stdout) as AlgorithmFigures[];
  console.error(`${peer} is left out: ${stderr.trim().split('\n').at(-1) ?? 'it can not be run'}`);
  return null;
}
