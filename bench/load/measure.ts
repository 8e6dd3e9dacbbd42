/** One load, measured in a process of its own: from the opening of a new store to its closing. */
import { statSync } from 'node:fs';
import type { StorageStats } from '../../engine/storage/seam/engine.js';
import { openStore } from '../../interfaces/library/index.js';
import { peakMemoryBytes } from '../harness/child.js';

export interface LoadTask {
  readonly task: 'load';
  readonly input: string;
  readonly store: string;
  readonly threads: number;
}

export type LoadFigures = {
  /** Opening, loading, publishing and closing: durable at the end. */
  readonly wallMs: number;
  /** Of all threads. */
  readonly cpuMs: number;
  readonly closeMs: number;
  readonly peakBytes: number;
  readonly quadsRead: number;
  readonly quads: number;
  readonly inputBytes: number;
};

export interface LoadMeasurement {
  readonly figures: LoadFigures;
  readonly stats: StorageStats | null;
}

export async function measureLoad(task: LoadTask): Promise<LoadMeasurement> {
  const inputBytes = statSync(task.input).size;
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const store = await openStore(task.store);
  const { quadsRead, quadsAdded } = await store.load(task.input, { threads: task.threads });
  const loaded = performance.now();
  await store.close();
  const end = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  const peakBytes = peakMemoryBytes();
  const reopened = await openStore(task.store, { readOnly: true });
  const stats = reopened.stats();
  await reopened.close();
  const figures = {
    wallMs: end - begin,
    cpuMs: (user + system) / 1000,
    closeMs: end - loaded,
    peakBytes,
    quadsRead,
    quads: quadsAdded,
    inputBytes,
  };
  return { figures, stats };
}
