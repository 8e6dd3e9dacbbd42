/** `npm run bench -- setup --peers LIST`: installs peers into the folder of the benchmarks. */
import { parseArgs } from 'node:util';
import { SvcError } from '../../engine/base/errors.js';
import { findPeer, PEERS } from './all.js';

export function runSetup(args: readonly string[]): void {
  const { peers } = parseArgs({ args: [...args], options: { peers: { type: 'string' } } }).values;
  if (peers === undefined) {
    for (const peer of PEERS)
      console.log(`${peer.name.padEnd(16)} ${(peer.version() ?? 'not installed').padEnd(20)} ${peer.about}`);
    return;
  }
  for (const name of peers.split(',')) {
    const peer = findPeer(name);
    if (peer.setup === undefined && peer.version() === null) {
      throw new SvcError('configuration', `${name} comes from the package manager of the system`);
    }
    peer.setup?.();
    console.log(`${name} ${peer.version() ?? 'is still not there'}`);
  }
}
