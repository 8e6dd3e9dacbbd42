/**
 * Gates of reads: asked who reads which graphs as of when, before anything of it is evaluated; what a gate refuses is not
 * read. A principal's view leaves out what may not be read (`reads/narrowed-engine.ts`); a gate is for what is refused
 * with a reason.
 */

import type { Principal } from '../base/principal.js';
import type { GraphSet, StorageSnapshot, TimeSlice } from '../storage/seam/scan.js';

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
