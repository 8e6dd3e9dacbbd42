/** Quadstore on LevelDB, asked through its Comunica engine, all from npm. */
import { join } from 'node:path';
import { installNpm, nodeServer, npmVersion } from './install.js';
import { type Peer, peerFolder } from './peer.js';

const folder = (): string => peerFolder('quadstore');

export const quadstore: Peer = {
  name: 'quadstore',
  about: 'Quadstore on LevelDB, on disk',
  transport: 'lines',
  inMemory: false,
  version: () => npmVersion(folder(), 'quadstore'),
  setup: () =>
    installNpm(folder(), ['quadstore@15.4.1', 'quadstore-comunica@6.3.1', 'classic-level@3.0.0', 'n3@2.13.12']),
  serve: (place) => ({
    argv: nodeServer('quadstore'),
    environment: { SVC_BENCH_MODULES: folder(), SVC_BENCH_STORE: join(place.folder, 'level') },
  }),
};
