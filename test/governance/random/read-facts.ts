/** The current facts about some nodes, read past the query engine. */

import { ROOT_GRAPH_IRI, type Term, terms } from '../../../engine/rdf/terms.js';
import type { Store } from '../../../engine/service/store/store.js';
import { ROOT_ID } from '../../../engine/storage/ids/layout.js';
import { exactly, readRows } from '../../../engine/storage/seam/rows.js';
import { CURRENT } from '../../../engine/storage/seam/scan.js';

/** Each as `graph|s|p|o`, as SPARQL writes it; sorted. The graph of ROOT is empty, as it is in `graphs`. */
export function readFacts(store: Store, subjects: readonly string[], graphs: readonly string[]): string[] {
  const snapshot = store.snapshot();
  const found: string[] = [];
  try {
    const { storage } = snapshot;
    for (const graph of graphs) {
      const id = graph === '' || graph === ROOT_GRAPH_IRI ? ROOT_ID : storage.encode(terms.namedNode(graph));
      for (const subject of subjects) {
        const s = storage.encode(terms.namedNode(subject));
        if (id === null || s === null) continue;
        const request = { graphs: { kind: 'one', graph: id }, pattern: { s: exactly(s) }, time: CURRENT } as const;
        for (const batch of readRows(storage, { ...request, columns: ['p', 'o'] })) {
          const [p, o] = (['p', 'o'] as const).map((name) => storage.decode(batch.column(name), batch.rows));
          for (let row = 0; row < batch.rows; row++) {
            found.push(`${graph}|<${subject}>|${shown(p?.[row])}|${shown(o?.[row])}`);
          }
        }
      }
    }
  } finally {
    snapshot.close();
  }
  return found.sort();
}

const shown = (term: Term | undefined): string =>
  term?.termType === 'NamedNode' ? `<${term.value}>` : String(term?.value);
