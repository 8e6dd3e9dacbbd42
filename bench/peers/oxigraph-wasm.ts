/** Oxigraph as npm has it: WebAssembly, in memory. A dependency of the tests, so it is always there. */

import { CHECKOUT } from '../harness/machine.js';
import { nodeServer, npmVersion } from './install.js';
import type { Peer } from './peer.js';

export const oxigraphWasm: Peer = {
  name: 'oxigraph-wasm',
  about: 'npm oxigraph, WebAssembly, in memory',
  transport: 'lines',
  inMemory: true,
  version: () => npmVersion(CHECKOUT, 'oxigraph'),
  serve: () => ({ argv: nodeServer('oxigraph-wasm') }),
};
