/** Facts of an increment as quads of ROOT by their ids. */

import { highOf, lowOf } from '../../../storage/ids/halves.js';
import { ROOT_ID, type TermId } from '../../../storage/ids/layout.js';
import type { QuadColumns } from '../../../storage/seam/engine.js';
import { columnOf } from '../../../storage/seam/rows.js';
import type { Intern } from '../difference.js';
import type { NodeFact } from './follow-facts.js';
import type { Ledger } from './ledger.js';

/** `intern` gives the ids of properties. */
export function quadsOfFacts(ledger: Ledger, facts: readonly NodeFact[], intern: Intern): QuadColumns {
  const ids = idsBy((property: number) => intern(ledger.ontology.properties[property] as string));
  return {
    rows: facts.length,
    s: ledger.column(facts.map(({ s }) => s)),
    p: columnOf(facts.map(({ property }) => ids(property))),
    o: ledger.column(facts.map(({ o }) => o)),
    g: columnOf(facts.map(() => ROOT_ID)),
  };
}

/** `intern` gives the ids of rdf:type and of classes. */
export function quadsOfTypes(
  ledger: Ledger,
  types: readonly (readonly [node: number, of: number])[],
  intern: Intern,
): QuadColumns {
  const ids = idsBy((of: number) => intern(ledger.ontology.classes[of] as string));
  const type = intern(ledger.ontology.properties[ledger.ontology.typeProperty] as string);
  return {
    rows: types.length,
    s: ledger.column(types.map(([node]) => node)),
    p: repeated(type, types.length),
    o: columnOf(types.map(([, of]) => ids(of))),
    g: repeated(ROOT_ID, types.length),
  };
}

function idsBy(find: (at: number) => TermId): (at: number) => TermId {
  const known = new Map<number, TermId>();
  return (at) => {
    const id = known.get(at) ?? find(at);
    known.set(at, id);
    return id;
  };
}

function repeated(id: TermId, rows: number): Uint32Array<ArrayBuffer> {
  const column = new Uint32Array(2 * rows);
  for (let row = 0; row < rows; row++) {
    column[2 * row] = lowOf(id);
    column[2 * row + 1] = highOf(id);
  }
  return column;
}
