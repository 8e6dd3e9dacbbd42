/** Oxigraph as npm has it: WebAssembly, in memory. The peer of loads, lookups and queries. */
import { closeSync, openSync, readSync } from 'node:fs';
import oxigraph from 'oxigraph';

const CHUNK_BYTES = 1 << 20;

export type OxigraphStore = InstanceType<typeof oxigraph.Store>;
export type OxigraphQuad = ReturnType<typeof oxigraph.quad>;

/**
 * A new store with what stands in an N-Triples or N-Quads file, read in pieces in one load: of several loads each would
 * rename its blank nodes apart.
 */
export function loadOxigraph(path: string): OxigraphStore {
  const store = new oxigraph.Store();
  const format = path.endsWith('.nq') ? 'application/n-quads' : 'application/n-triples';
  store.load(chunks(path), { format, lenient: true, no_transaction: true });
  return store;
}

export function parseQuads(text: string): readonly OxigraphQuad[] {
  return oxigraph.parse(text, { format: 'application/n-triples', lenient: true });
}

function* chunks(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      const length = readSync(file, chunk, 0, CHUNK_BYTES, null);
      if (length === 0) return;
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}
