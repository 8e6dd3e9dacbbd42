/** Whether a store may have doubles and decimals that are not their own ids: where it has none, no computed one is looked for. */

import { getOrInsert } from '../../base/maps.js';
import { type Term, XSD } from '../../rdf/terms.js';
import { inlineId } from '../../storage/ids/inline.js';
import { datatypeCode, makeId, TAG } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export const DOUBLE = `${XSD}double`;
export const DECIMAL = `${XSD}decimal`;

/** Whether a store has any literal of a datatype, as of a transaction. */
interface StoredAt {
  readonly tx: number;
  readonly any: boolean;
}

export class StoredNumbers {
  /** By datatype, when first asked. */
  private readonly found = new Map<string, boolean>();

  constructor(private readonly snapshot: StorageSnapshot) {}

  /** True for a number that no row of the store has: to look for it in the dictionary would be in vain. */
  isAbsent(term: Term): boolean {
    if (term.termType !== 'Literal') return false;
    const { value: iri } = term.datatype;
    if (iri !== DOUBLE && iri !== DECIMAL) return false;
    return inlineId(iri, term.value) === null && !this.mayHave(iri);
  }

  mayHave(datatype: string): boolean {
    return getOrInsert(this.found, datatype, () => this.mayHaveNow(datatype));
  }

  /** Found once for a transaction: an estimate of all time opens every run that the store has. */
  private mayHaveNow(datatype: string): boolean {
    const { snapshot } = this;
    const { tx } = snapshot;
    const known = snapshot.staged ? undefined : snapshot.derived('stored numbers', () => new Map<string, StoredAt>());
    let found = known?.get(datatype);
    if (found?.tx !== tx) {
      found = { tx, any: this.find(datatype) };
      known?.set(datatype, found);
    }
    return found.any;
  }

  /** Whether any row that the snapshot knows has a literal of the datatype that the dictionary keeps. */
  private find(datatype: string): boolean {
    const from = makeId(TAG.typed, datatypeCode(datatype), 0n);
    const range = { from, to: makeId(TAG.typed, datatypeCode(datatype) + 1, 0n) };
    const pattern = { o: { kind: 'ranges' as const, ranges: [range] } };
    const { rows, exact } = this.snapshot.estimate({ graphs: { kind: 'all' }, pattern, time: { kind: 'all' } });
    return rows > 0 || !exact;
  }
}
