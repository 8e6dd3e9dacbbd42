/**
 * Writes of single facts. Of ROOT they are the operations of their names; of another graph, and where one value of several
 * takes the place of another, an update of one transaction. Both meet the same gate.
 */

import type { Term } from '../parts/term.js';
import { iriRef, termText } from '../parts/turtle.js';
import type { Server } from '../wire/server.js';
import { jsonOf } from './value.js';

export interface Place {
  readonly server: Server;
  /** IRI, or `_:label`. */
  readonly entity: string;
  /** Null = ROOT. */
  readonly graph: string | null;
  readonly signal: AbortSignal;
}

export interface Fact {
  readonly predicate: string;
  readonly value: Term;
}

/** The number of the transaction; 0 = it was so already. */
type Written = Promise<number>;

/** Makes it the only value of its predicate. */
export async function setFact({ server, entity, graph, signal }: Place, { predicate, value }: Fact): Written {
  if (graph === null) {
    const { tx_id: tx } = await server.client.call('set', { entity, predicate, value: jsonOf(value) }, { signal });
    return tx;
  }
  const [s, p, g] = [iriRef(entity), iriRef(predicate), iriRef(graph)];
  return update(
    server,
    `DELETE { GRAPH ${g} { ${s} ${p} ?old } } INSERT { GRAPH ${g} { ${s} ${p} ${termText(value)} } } WHERE { OPTIONAL { GRAPH ${g} { ${s} ${p} ?old } } }`,
    signal,
  );
}

export async function addFact(place: Place, fact: Fact): Written {
  return update(place.server, `INSERT DATA { ${block(place, fact)} }`, place.signal);
}

/** One value of several takes the place of another. */
export async function replaceFact(place: Place, before: Fact, after: Fact): Written {
  const text = `DELETE DATA { ${block(place, before)} } ; INSERT DATA { ${block(place, after)} }`;
  return update(place.server, text, place.signal);
}

/** `allowOrphan`: also the last type of an entity that keeps other facts. */
export async function retractFact(place: Place, { predicate, value }: Fact, { allowOrphan = false } = {}): Written {
  const { server, entity, graph, signal } = place;
  if (graph !== null) return update(server, `DELETE DATA { ${block(place, { predicate, value })} }`, signal);
  const { tx_id: tx } = await server.client.call(
    'retract',
    { entity, predicate, value: jsonOf(value), ...(allowOrphan ? { allow_orphan: true } : {}) },
    { signal },
  );
  return tx;
}

function block({ entity, graph }: Place, { predicate, value }: Fact): string {
  if (entity.startsWith('_:')) {
    throw new TypeError('A blank node has no name in an update: set or retract its values in the graph root.');
  }
  const triple = `${iriRef(entity)} ${iriRef(predicate)} ${termText(value)}`;
  return graph === null ? triple : `GRAPH ${iriRef(graph)} { ${triple} }`;
}

async function update(server: Server, text: string, signal: AbortSignal): Written {
  const { tx_id: tx } = await server.client.update(text, { signal });
  return tx;
}

/** Why the page may not write, or null. A page of somebody else only reads. */
export function whyNotWrite(element: Element): string | null {
  const page = element.closest('svc-page');
  if (page === null) return 'Only the page of the server itself writes.';
  return page.hasAttribute('read-only') ? 'This server is read-only: it refuses every write.' : null;
}

export function announceWrite(element: EventTarget): void {
  element.dispatchEvent(new Event('svc-written', { bubbles: true, composed: true }));
}
