/** One episode of very many nodes and as many edges, into an empty store. */
import { invariant } from '../../engine/base/errors.js';
import { openStore } from '../../interfaces/library/index.js';
import { peakMemoryBytes } from '../harness/child.js';

export interface LargeTask {
  readonly task: 'episodes-large';
  readonly store: string;
  readonly nodes: number;
}

export interface LargeFigures {
  readonly statements: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
}

export async function measureLarge({ store: path, nodes }: LargeTask): Promise<LargeFigures> {
  const store = await openStore(path);
  const episode = {
    name: 'inventory',
    nodes: Array.from({ length: nodes }, (_, at) => ({ name: `item ${at}`, type: 'Item', properties: { size: at } })),
    edges: Array.from({ length: nodes }, (_, at) => ({
      source: `item ${at}`,
      target: `item ${(at * 7919) % nodes}`,
      relation: 'next_to',
    })),
  };
  const [before, begin] = [process.cpuUsage(), performance.now()];
  const { count } = await store.writeEpisode(episode);
  const [wallMs, cpu] = [performance.now() - begin, process.cpuUsage(before)];
  invariant(store.stats().quadsCurrent === count, 'every statement is in the store');
  await store.close();
  return { statements: count, wallMs, cpuMs: (cpu.user + cpu.system) / 1000, peakBytes: peakMemoryBytes() };
}
