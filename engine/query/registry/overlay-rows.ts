/**
 * An overlay: a graph of its own assertions, a graph of the triples that it takes from its parent, and the views that compose
 * them with the parent (semantics of graphs, 5.1). Nothing is copied: a view is a set of graphs that is composed while it
 * is scanned.
 */

import { terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { GraphSet } from '../../storage/seam/source.js';
import type { Precedence } from '../read-context.js';
import { tombstonesOf } from './system-graphs.js';

export { PRECEDENCES, type Precedence } from '../read-context.js';

/** The triples of a parent under an overlay; null = none. */
export function composedView(
  snapshot: StorageSnapshot,
  overlay: { readonly iri: string; readonly parent: string },
  precedence: Precedence,
): GraphSet | null {
  const idOf = (iri: string): TermId | null => snapshot.encode(terms.namedNode(iri));
  const one = (graph: TermId | null): GraphSet =>
    graph === null ? { kind: 'some', graphs: [], merged: true } : { kind: 'one', graph };
  const [parent, own, gone] = [overlay.parent, overlay.iri, tombstonesOf(overlay.iri)].map(idOf) as (TermId | null)[];
  if (parent === null && own === null) return null;
  const [base, additions] = [one(parent as TermId | null), one(own as TermId | null)];
  if (precedence === 'governed') return { kind: 'layers', layers: [base, additions], merged: true };
  return { kind: 'overlay', base, additions, removals: one(gone as TermId | null) };
}
