/**
 * The library behind JSON-LD writes the cells of every list into the default graph, also where the list
 * stands in a named graph. Here they follow the statement that uses the list:
 *
 * 1. A cell is an anonymous node of the batch that is the subject of `rdf:first` or `rdf:rest` in the
 *    default graph.
 * 2. A statement in a named graph whose object is a cell takes it, and all that hangs on it, along.
 * 3. A list that nothing uses is one whose use the library has lost (a list inside `@set` is one such
 *    case): that is an error, for it would be lost in silence.
 */

import { addTo } from '../../../base/maps.js';
import { type Quad, type RDF, RDF_NS, terms } from '../../terms.js';

const FIRST = `${RDF_NS}first`;
const REST = `${RDF_NS}rest`;

export class LostList extends Error {}

/** Corrects the quads from an index on, in place. */
export function placeLists(quads: Quad[], from: number, anonymous: ReadonlySet<string>): void {
  const cells = new Map<string, number[]>();
  for (let index = from; index < quads.length; index++) {
    const quad = quads[index]!;
    if (!isCellQuad(quad, anonymous)) continue;
    addTo(cells, quad.subject.value, index);
  }
  if (cells.size === 0) return;
  const used = new Set<string>();
  const moves: { cell: string; graph: RDF.Quad_Graph }[] = [];
  for (let index = from; index < quads.length; index++) {
    const { object, graph } = quads[index]!;
    if (object.termType !== 'BlankNode' || !cells.has(object.value)) continue;
    used.add(object.value);
    if (graph.termType !== 'DefaultGraph') moves.push({ cell: object.value, graph });
  }
  for (const cell of cells.keys()) {
    if (!used.has(cell))
      throw new LostList('a list in this place (inside @set, say) is not supported: write it as an array');
  }
  for (let move = moves.pop(); move !== undefined; move = moves.pop()) {
    for (const index of cells.get(move.cell) ?? []) {
      const { subject, predicate, object } = quads[index]!;
      quads[index] = terms.quad(subject, predicate, object, move.graph);
      if (object.termType === 'BlankNode') moves.push({ cell: object.value, graph: move.graph });
    }
    // Each list has one place.
    cells.delete(move.cell);
  }
}

function isCellQuad(quad: Quad, anonymous: ReadonlySet<string>): boolean {
  const { subject, predicate, graph } = quad;
  if (graph.termType !== 'DefaultGraph' || subject.termType !== 'BlankNode' || !anonymous.has(subject.value))
    return false;
  return predicate.value === FIRST || predicate.value === REST;
}
