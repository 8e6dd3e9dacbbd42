/** All peers of the benchmark of queries, in the order of the tables. */
import { SvcError } from '../../engine/base/errors.js';
import { comunica } from './comunica.js';
import { jena } from './jena.js';
import { oxigraphWasm } from './oxigraph-wasm.js';
import type { Peer } from './peer.js';
import { pyoxigraph } from './pyoxigraph.js';
import { quadstore } from './quadstore.js';
import { rdf4jLmdb, rdf4jNative } from './rdf4j.js';
import { svc } from './svc.js';
import { virtuoso } from './virtuoso.js';

export const PEERS: readonly Peer[] = [
  svc,
  virtuoso,
  pyoxigraph,
  oxigraphWasm,
  jena,
  rdf4jNative,
  rdf4jLmdb,
  quadstore,
  comunica,
];

/** Servers that run in Node, each loaded only when it is asked for. */
export const NODE_SERVERS: Readonly<Record<string, () => Promise<void>>> = {
  comunica: async () => (await import('./servers/comunica.js')).serveComunica(),
  quadstore: async () => (await import('./servers/quadstore.js')).serveQuadstore(),
  'oxigraph-wasm': async () => (await import('./servers/oxigraph-wasm.js')).serveOxigraphWasm(),
};

export function findPeer(name: string): Peer {
  const peer = PEERS.find((one) => one.name === name);
  const names = PEERS.map((one) => one.name).join(', ');
  if (peer === undefined) throw new SvcError('usage', `there is no peer "${name}"; there are ${names}`);
  return peer;
}
