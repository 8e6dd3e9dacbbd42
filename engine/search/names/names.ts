/**
 * The names of the entities of ROOT in a table that is kept from one use to the next: their labels, and the last parts of
 * the IRIs that are subjects.
 */

import { localPart } from '../../base/text.js';
import { idOfHalves } from '../../storage/ids/halves.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { type AddRows, KeptTables } from '../kept-tables.js';
import { LABEL_PREDICATES, labelIds } from '../labels/label-predicates.js';
import { NameTable } from './name-table.js';

export class Names extends KeptTables<NameTable> {
  protected readonly what = 'the search for names';

  /** `predicates`: IRIs of those whose values are labels. */
  constructor(
    readonly predicates: readonly string[] = LABEL_PREDICATES,
    bytesMax?: number,
  ) {
    super(bytesMax);
  }

  protected make(): NameTable {
    return new NameTable();
  }

  protected rowsIn() {
    return { pattern: {}, order: 'SPOG', columns: ['s', 'p', 'o'] } as const;
  }

  protected adding(table: NameTable, snapshot: StorageSnapshot): AddRows {
    const labels = new Set(labelIds(snapshot, this.predicates));
    // The rows of an entity come by predicate, so that the same is mostly asked again.
    let [known, isKnown] = [0n, false];
    const isLabel = (pLow: number, pHigh: number): boolean => {
      const id = idOfHalves(pLow, pHigh);
      if (id !== known) [known, isKnown] = [id, labels.has(id)];
      return isKnown;
    };
    let [lastLow, lastHigh] = [-1, -1];
    return (rows, column) => {
      const [s, p, o] = [column('s'), column('p'), column('o')];
      const found: [number, number, number, number][] = [];
      for (let at = 0; at < 2 * rows; at += 2) {
        const [low, high] = [s[at] as number, s[at + 1] as number];
        if (low !== lastLow || high !== lastHigh) found.push([low, high, 0, 0]);
        [lastLow, lastHigh] = [low, high];
        if (isLabel(p[at] as number, p[at + 1] as number)) {
          found.push([low, high, o[at] as number, o[at + 1] as number]);
        }
      }
      // A local name is read from the IRI, a label from itself.
      const named = Uint32Array.from(
        found.flatMap((ids) => (ids[2] === 0 && ids[3] === 0 ? ids.slice(0, 2) : ids.slice(2))),
      );
      for (const [at, term] of snapshot.decode(named, found.length).entries()) {
        const ids = found[at] as (typeof found)[number];
        if (term.termType === 'NamedNode' && ids[3] === 0) table.add(ids, localPart(term.value));
        else if (term.termType === 'Literal') table.add(ids, term.value);
      }
    };
  }
}
