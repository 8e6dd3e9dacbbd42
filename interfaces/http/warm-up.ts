/**
 * Lets every thread answer once before anybody asks: no request waits until a thread has
 * loaded the modules of the query engine and its parser. Nothing is written.
 */

import { UNLIMITED_READ } from '../../engine/query/read-context.js';
import type { Store } from '../../engine/service/store/store.js';

/** Reads a store that has anything: parser, planner, a scan, an answer. */
const QUERY = 'SELECT ?s WHERE { ?s ?p ?o } LIMIT 1';
/** Changes nothing, so there is no transaction. */
const UPDATE = 'DELETE DATA { <urn:svc:nothing> <urn:svc:nothing> <urn:svc:nothing> }';

export async function warmUp(store: Store): Promise<void> {
  const readers = store.readers?.warm({
    name: 'read',
    request: { query: QUERY },
    read: UNLIMITED_READ,
    representation: 'body',
    acceptable: undefined,
  });
  const writer = store.readOnly ? undefined : store.update(UPDATE);
  await Promise.allSettled([readers, writer]);
}
