/** Derived facts as they stand in a companion graph before a run, each with the source that owns it. */

import type { TermId, TxId } from '../../storage/ids/layout.js';
import { idIn, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { Meter } from './join-steps.js';
import type { Numbering } from './numbering.js';
import { Relation } from './relation.js';

/** Those of one predicate. */
export class StandingFacts {
  readonly pairs = new Relation();
  /** By row: the place of the owner in the list of sources; -1 = another one. */
  owners = new Int32Array(64);

  constructor(readonly predicate: TermId) {}

  add(s: number, o: number, owner: number): void {
    const row = this.pairs.add(s, o);
    if (row >= this.owners.length) {
      const longer = new Int32Array(2 * this.owners.length);
      longer.set(this.owners);
      this.owners = longer;
    }
    this.owners[row] = owner;
  }

  /** -2 = it does not stand. */
  ownerOf(s: number, o: number): number {
    const row = this.pairs.find(s, o);
    return row < 0 ? -2 : (this.owners[row] as number);
  }
}

/**
 * What stands in a companion graph, by predicate. `owners`: by transaction the place of its source in a list; what others
 * have written is there, too.
 */
export function standingFacts(
  snapshot: StorageSnapshot,
  companion: TermId | null,
  owners: ReadonlyMap<TxId, number>,
  numbering: Numbering,
  meter: Meter,
): Map<TermId, StandingFacts> {
  const found = new Map<TermId, StandingFacts>();
  if (companion === null) return found;
  const graphs = { kind: 'one', graph: companion } as const;
  const request = { graphs, pattern: {}, time: CURRENT, columns: ['s', 'p', 'o', 'txFrom'] } as const;
  for (const batch of readRows(snapshot, request)) {
    meter.spend(batch.rows);
    const [s, p, o] = [batch.column('s'), batch.column('p'), batch.column('o')];
    let facts: StandingFacts | null = null;
    for (let row = 0; row < batch.rows; row++) {
      if (facts === null || batch.changes('p', row)) {
        const predicate = idIn(p, row);
        facts = found.get(predicate) ?? new StandingFacts(predicate);
        found.set(predicate, facts);
      }
      facts.add(
        numbering.numberOf(s[2 * row] as number, s[2 * row + 1] as number),
        numbering.numberOf(o[2 * row] as number, o[2 * row + 1] as number),
        owners.get(batch.tx('txFrom', row) as TxId) ?? -1,
      );
    }
  }
  return found;
}
