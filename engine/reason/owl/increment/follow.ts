/**
 * What a write to ROOT changes of what follows from it, at a cost that goes with the change: facts of linked properties
 * first, types then, since those follow from the others. The result of both is what a full run would leave.
 */

import type { Control } from '../../../base/control.js';
import type { QuadColumns } from '../../../storage/seam/engine.js';
import { lookInto } from '../../../storage/seam/rows.js';
import type { ChangedRows, StorageSnapshot } from '../../../storage/seam/scan.js';
import type { Intern } from '../difference.js';
import type { Ontology } from '../ontology.js';
import { TermIndexes } from '../term-indexes.js';
import { changedFacts, FactFollower } from './follow-facts.js';
import { TypeFollower, TypeReasons } from './follow-types.js';
import { Ledger, TooMuchWork } from './ledger.js';
import { quadsOfFacts, quadsOfTypes } from './quads-of.js';

export interface FollowedWrite {
  /** The store without the write. */
  before(): StorageSnapshot;
  /** The store with all that is staged so far. */
  after(): StorageSnapshot;
  /** Rows of ROOT that it has opened and closed. */
  readonly changes: Iterable<ChangedRows>;
  /** No statement is among them twice. */
  readonly isNet: boolean;
  isDerived(tx: number): boolean;
  /** Writes what follows and what follows no more. */
  apply(surplus: (intern: Intern) => QuadColumns, missing: (intern: Intern) => QuadColumns): void;
  /** How much may be read before a full run costs less; asked for once that is in doubt. */
  workMax(): number;
}

/** False when it would cost more than a full run; then what was applied is right and not all. */
export function followWrite(ontology: Ontology, write: FollowedWrite, control: Control): boolean {
  try {
    const ledger = new Ledger(
      ontology,
      (tx) => write.isDerived(tx),
      () => write.workMax(),
    );
    const reasons = followFacts(ledger, write, control);
    if (reasons.isEmpty) return true;
    const { missing, surplus } = lookInto(write.after(), (snapshot) => {
      const follower = new TypeFollower(ledger, snapshot);
      try {
        return follower.find(reasons);
      } finally {
        follower.close();
      }
    });
    if (missing.length + surplus.length > 0) {
      write.apply(
        (intern) => quadsOfTypes(ledger, surplus, intern),
        (intern) => quadsOfTypes(ledger, missing, intern),
      );
    }
    return true;
  } catch (error) {
    if (error instanceof TooMuchWork) return false;
    throw error;
  }
}

/** Writes what follows of linked properties; gives why types may have changed. */
function followFacts(ledger: Ledger, write: FollowedWrite, control: Control): TypeReasons {
  const { ontology } = ledger;
  const reasons = new TypeReasons(ledger);
  const changed = lookInto(write.after(), (after) => {
    const indexes = new TermIndexes(ontology, after);
    const { facts, opened } = changedFacts(ledger, indexes, write.changes);
    for (const [at, { property, s, o }] of facts.entries()) {
      if (property === ontology.typeProperty) {
        const of = indexes.class(ledger.nodes.low(o), ledger.nodes.high(o));
        if (of >= 0) reasons.type(s, of, write.isNet && opened[at] === true);
      } else if (!ontology.isLinked(property)) {
        if (write.isNet) reasons.fact(property, s, o, opened[at] === true);
        else reasons.doubt(property, s, o);
      }
    }
    if (!facts.some(({ property }) => ontology.isLinked(property))) return null;
    const around = { before: () => write.before(), after, indexes };
    return new FactFollower(ledger, around, control).find(facts, write.isNet && opened.every((one) => one));
  });
  if (changed === null) return reasons;
  const { missing, surplus, came, went } = changed;
  for (const { property, s, o } of came) reasons.fact(property, s, o, true);
  for (const { property, s, o } of went) reasons.fact(property, s, o, false);
  if (missing.length + surplus.length > 0) {
    write.apply(
      (intern) => quadsOfFacts(ledger, surplus, intern),
      (intern) => quadsOfFacts(ledger, missing, intern),
    );
  }
  return reasons;
}
