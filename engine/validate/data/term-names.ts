/**
 * Terms by id and ids by term, over a snapshot. Terms that only shapes name, and the snapshot does not know, get ids of
 * the tag `local`, which no fact has. Two states of a store share the names of the later state, where every term of the
 * earlier one has the same id.
 */

import { termKey } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { inlineId } from '../../storage/ids/inline.js';
import { makeId, TAG, type TermId } from '../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import { IdList } from './id-columns.js';

export class TermNames {
  readonly #local: Term[] = [];
  readonly #localIds = new Map<string, TermId>();

  constructor(readonly snapshot: StorageSnapshot) {}

  idOf(term: Term): TermId {
    // Terms of shapes, which every validation looks up again.
    const known = this.snapshot.encode(term, true);
    if (known !== null) return known;
    if (term.termType === 'Literal') {
      const inlined = term.language === '' ? inlineId(term.datatype.value, term.value) : null;
      if (inlined !== null) return inlined;
    }
    const key = termKey(term);
    let id = this.#localIds.get(key);
    if (id === undefined) {
      id = makeId(TAG.local, 0, BigInt(this.#local.length));
      this.#local.push(term);
      this.#localIds.set(key, id);
    }
    return id;
  }

  decode(ids: IdColumn, count: number): Term[] {
    const stored = new IdList(count);
    for (let row = 0; row < count; row++) {
      const high = ids[2 * row + 1] as number;
      if (high >>> 24 !== TAG.local) stored.push(ids[2 * row] as number, high);
    }
    const decoded = this.snapshot.decode(stored.ids, stored.count);
    if (stored.count === count) return decoded;
    const all = new Array<Term>(count);
    for (let row = 0, at = 0; row < count; row++) {
      const isLocal = (ids[2 * row + 1] as number) >>> 24 === TAG.local;
      all[row] = (isLocal ? this.#local[ids[2 * row] as number] : decoded[at++]) as Term;
    }
    return all;
  }
}
