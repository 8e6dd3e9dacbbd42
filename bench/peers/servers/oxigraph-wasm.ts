/** Serves npm's oxigraph. */
import { loadOxigraph, type OxigraphStore } from '../oxigraph.js';
import { serveLines } from './line-server.js';

export async function serveOxigraphWasm(): Promise<void> {
  let store: OxigraphStore | null = null;
  await serveLines({
    async load(file) {
      store = loadOxigraph(file);
      return store.size;
    },
    async query(text, form) {
      const graph = form === 'CONSTRUCT' || form === 'DESCRIBE';
      const options = { results_format: graph ? 'application/n-triples' : 'json' };
      if (store === null) throw new Error('nothing is loaded yet');
      return String(store.query(text, options));
    },
  });
}
