/** Of entities that come in any sequence, the first by IRI. */

import { compareCodePoints } from '../../base/text.js';
import { TAG, type TermId } from '../../storage/ids/layout.js';
import { idIn } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';

export interface NamedEntity {
  readonly entity: TermId;
  readonly iri: string;
}

/** Kept beyond what is wanted before they are sorted and cut. */
const SPARE_LEAST = 1024;
export const ENTITIES_AT_ONCE = 4096;

export class BestByIri {
  #kept: NamedEntity[] = [];

  constructor(private readonly limit: number) {}

  offer(entity: TermId, iri: string): void {
    this.#kept.push({ entity, iri });
    if (this.#kept.length >= 2 * this.limit + SPARE_LEAST) this.#kept = this.sorted();
  }

  sorted(): NamedEntity[] {
    return this.#kept.sort((a, b) => compareCodePoints(a.iri, b.iri)).slice(0, this.limit);
  }
}

/** Offers the entities of a column that are IRIs; at most `ENTITIES_AT_ONCE` of them. */
export function offerEntities(snapshot: StorageSnapshot, ids: IdColumn, count: number, best: BestByIri): void {
  for (const [at, term] of snapshot.decode(ids, count).entries()) {
    if (term.termType === 'NamedNode') best.offer(idIn(ids, at), term.value);
  }
}

export function isIri(column: IdColumn, row: number): boolean {
  return (column[2 * row + 1] as number) >>> 24 === TAG.iri;
}
