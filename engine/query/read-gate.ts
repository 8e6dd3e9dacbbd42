/**
 * Gates of reads: asked who reads which graphs as of when, before anything of it is evaluated; what a gate refuses is not
 * read. A principal's view leaves out what may not be read (`reads/narrowed-engine.ts`); a gate is for what is refused
 * with a reason.
 */

import type { Principal } from '../base/principal.js';
import type { TermId } from '../storage/ids/layout.js';
import type { GraphSet, StorageSnapshot, TimeSlice } from '../storage/seam/scan.js';
import type { GraphBooks } from './registry/graph-book.js';

export interface AskedRead {
  readonly principal: Principal;
  readonly time: TimeSlice;
  /** The graph sets of a query's patterns, resolved as they are evaluated; of another read the one that comes next. */
  readonly graphs: readonly GraphSet[];
  readonly snapshot: StorageSnapshot;
}

export interface ReadGate {
  readonly name: string;
  /** Throws the refusal. */
  check(read: AskedRead): void;
}

export function askReadGates(gates: readonly ReadGate[], read: AskedRead): void {
  for (const gate of gates) gate.check(read);
}

/** The graphs that a query could read (semantics of graphs, 2.7), whether a row comes from them or not. */
export interface AskedGraphs {
  readonly snapshot: StorageSnapshot;
  readonly books: GraphBooks;
  /** Lists of registered graphs, each ascending, which may overlap. One is the same object while it says the same. */
  readonly parts: readonly (readonly TermId[])[];
}
