/** @internal A store as its server sees it among a primary and its followers. */

import { SvcError } from '../../base/errors.js';
import type { FollowingStore } from '../../follow/follower.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { Replication } from '../../storage/seam/replication.js';
import type { SentChanges } from '../writes/follow.js';

export type ReplicationWrite = (
  ...write:
    | ['applyChanges', SentChanges]
    | ['applyBeside', { readonly bytes: Uint8Array }]
    | ['learnEpoch', { readonly epoch: number }]
) => Promise<unknown>;

/** What it needs of a store. */
interface ReplicatedStore {
  open(): StorageEngine;
  readonly replicate: ReplicationWrite;
}

export class StoreReplication implements FollowingStore {
  readonly #store: ReplicatedStore;

  constructor(store: ReplicatedStore) {
    this.#store = store;
  }

  get engine(): StorageEngine {
    return this.#store.open();
  }

  /** What is read of it; throws for a store in memory. */
  get log(): Replication {
    const { replication, path } = this.engine;
    if (replication !== null) return replication;
    throw new SvcError('unsupported', `${path} has no file, so that it can neither follow nor be followed`);
  }

  state() {
    return this.log.state();
  }

  hashAt(tx: number): Promise<string> {
    return this.log.hashAt(tx);
  }

  async apply(changes: readonly Uint8Array[]): Promise<void> {
    const { sentChanges } = await import('../writes/follow.js');
    await this.#store.replicate('applyChanges', sentChanges(changes));
  }

  besidePlace() {
    return this.log.besidePlace();
  }

  async applyBeside(change: Uint8Array): Promise<void> {
    // In memory of its own: a part of a larger piece would cross with all of it.
    await this.#store.replicate('applyBeside', { bytes: Uint8Array.from(change) });
  }

  async learnEpoch(epoch: number): Promise<void> {
    await this.#store.replicate('learnEpoch', { epoch });
  }
}
