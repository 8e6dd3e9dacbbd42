/**
 * What a stage would change, as a source of scans above the delta: rows that it opens, tombstones of rows
 * that are open in the store, terms that are new. Rows and tombstones that were taken back stay in their
 * sets with times that no view sees.
 *
 * A snapshot of the stage shares the overlay until the stage changes again, which copies it first.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { TxId } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { DeltaTerms } from './delta-terms.js';
import { Layer } from './layer.js';
import { Memtable } from './memtable.js';

export class UncommittedLayer extends Layer {
  static empty(memory: ThreadMemory, firstTerm: number): UncommittedLayer {
    return new UncommittedLayer(new Memtable(memory), new Memtable(memory), new DeltaTerms(firstTerm));
  }

  /** Terms are only ever added, so the copy shares them. */
  clone(): UncommittedLayer {
    return new UncommittedLayer(this.rows.clone(), this.tombstones.clone(), this.terms);
  }
}

/** What a snapshot shows on top of the store, and the transaction that it would be. */
export interface StagedView {
  /** Null for a load, which the context already has. */
  readonly overlay: UncommittedLayer | null;
  readonly tx: TxId;
  /** The first transaction that the log does not have, and will not before the stage is written; absent = `tx`. */
  readonly stagedFrom?: TxId | undefined;
  /** Staged transactions have rows elsewhere than in the overlay: one is a load. */
  readonly inRuns?: boolean | undefined;
  /** The view of the file that the stage has, which the snapshot shares; absent = one of its own. */
  readonly transaction?: ReadTransaction | undefined;
}
