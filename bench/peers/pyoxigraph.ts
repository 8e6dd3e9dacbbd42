/** Native Oxigraph through its Python wheel: its store on disk (RocksDB). A wheel that matches the system's Python. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { output, run, serverFile } from './install.js';
import { type Peer, peerFolder } from './peer.js';

const VERSION = '0.5.13';
const folder = (): string => join(peerFolder('oxigraph'), 'python');

export const pyoxigraph: Peer = {
  name: 'oxigraph',
  about: 'native Oxigraph (pyoxigraph), on disk',
  transport: 'lines',
  inMemory: false,
  version: () => (existsSync(join(folder(), 'pyoxigraph')) ? VERSION : null),
  setup: () =>
    run(['python3', '-m', 'pip', 'install', '--upgrade', '--target', folder(), `pyoxigraph==${VERSION}`], folder()),
  serve: (place) => ({
    argv: [python(), '-u', serverFile('oxigraph_lines.py'), join(place.folder, 'store')],
    environment: { PYTHONPATH: folder() },
  }),
};

let found: string | null = null;

/** The interpreter itself: a launcher that picks one would be what is measured at the start. */
function python(): string {
  found ??= output(['python3', '-c', 'import sys; print(sys.executable)']) ?? 'python3';
  return found;
}
