/** What tests of updates share: updates with a prefix, and the store as lines. */

import { tableTerm } from '../../engine/query/results/delimited.js';
import type { Store, UpdateOptions, UpdateResult } from '../../interfaces/library/index.js';

export const UPDATE_PREFIXES = `PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
`;

export function update(store: Store, text: string, options: UpdateOptions = {}): Promise<UpdateResult> {
  return store.update(UPDATE_PREFIXES + text, options);
}

/** The same without what differs from run to run. */
export async function changes(store: Store, text: string, options: UpdateOptions = {}): Promise<unknown> {
  const { tx, inserted, deleted, graphs } = await update(store, text, options);
  return { tx, inserted, deleted, graphs: graphs.map(short) };
}

export function short(iri: string): string {
  return iri.replaceAll('http://example.org/', ':').replace('urn:svc:graph:root', 'ROOT');
}

/** Current quads of every graph but the meta graph, `g: s p o` for those outside of ROOT, sorted. */
export function quadsOf(store: Store): string[] {
  const dataset = store.dataset();
  try {
    return [...dataset]
      .filter(({ graph }) => graph.value !== 'urn:svc:graph:meta')
      .map(({ subject, predicate, object, graph }) => {
        const triple = [subject, predicate, object].map((term) => short(tableTerm(term))).join(' ');
        const name = short(graph.value);
        return name === 'ROOT' || name === '' ? triple : `${name} ${triple}`;
      })
      .sort();
  } finally {
    dataset.close();
  }
}
