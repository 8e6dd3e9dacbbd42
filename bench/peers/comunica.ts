/** Comunica over an N3.js store in memory, both from npm. */
import { installNpm, nodeServer, npmVersion } from './install.js';
import { type Peer, peerFolder } from './peer.js';

const ENGINE = '@comunica/query-sparql-rdfjs';
const folder = (): string => peerFolder('comunica');

export const comunica: Peer = {
  name: 'comunica',
  about: 'Comunica over an N3.js store, in memory',
  transport: 'lines',
  inMemory: true,
  version: () => npmVersion(folder(), ENGINE),
  setup: () => installNpm(folder(), [`${ENGINE}@5.4.1`, 'n3@2.13.12']),
  serve: () => ({ argv: nodeServer('comunica'), environment: { SVC_BENCH_MODULES: folder() } }),
};
