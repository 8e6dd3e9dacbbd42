/** The same load by the peer. It keeps nothing on disk, so it writes nothing and syncs nothing. */
import { statSync } from 'node:fs';
import { peakMemoryBytes } from '../harness/child.js';
import { loadOxigraph } from '../peers/oxigraph.js';
import type { LoadMeasurement } from './measure.js';

export interface PeerLoadTask {
  readonly task: 'load-peer';
  readonly input: string;
}

export function measurePeerLoad(task: PeerLoadTask): LoadMeasurement {
  const inputBytes = statSync(task.input).size;
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const store = loadOxigraph(task.input);
  const wallMs = performance.now() - begin;
  const { user, system } = process.cpuUsage(cpu);
  const quads = store.size;
  const cpuMs = (user + system) / 1000;
  const figures = { wallMs, cpuMs, closeMs: 0, peakBytes: peakMemoryBytes(), quadsRead: quads, quads, inputBytes };
  return { figures, stats: null };
}
