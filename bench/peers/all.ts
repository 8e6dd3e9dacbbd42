/** All peers of the benchmark of queries, in the order of the tables. */
import { SvcError } from '../../engine/base/errors.js';
import { oxigraphWasm } from './oxigraph-wasm.js';
import type { Peer } from './peer.js';
import { svc } from './svc.js';
import { virtuoso } from './virtuoso.js';

export const PEERS: readonly Peer[] = [svc, virtuoso, oxigraphWasm];

/** Servers that run in Node, each loaded only when it is asked for. */
export const NODE_SERVERS: Readonly<Record<string, () => Promise<void>>> = {
  'oxigraph-wasm': async () => (await import('./servers/oxigraph-wasm.js')).serveOxigraphWasm(),
};

export function findPeer(name: string): Peer {
  const peer = PEERS.find((one) => one.name === name);
  const names = PEERS.map((one) => one.name).join(', ');
  if (peer === undefined) throw new SvcError('usage', `there is no peer "${name}"; there are ${names}`);
  return peer;
}
