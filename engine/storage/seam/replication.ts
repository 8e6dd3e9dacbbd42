/**
 * How a store is copied to followers, change by change (decision 62). A change is what one transaction did, whole: its
 * metadata, the terms that are new with their numbers, the rows that it opened and closed with all their times, and its
 * stored events. Applying the changes of a store to an older copy of its file gives the same transactions, term ids and rows.
 *
 * What lies outside transactions is not among them: cursors of consumers, subscriptions, vectors, pruning of events.
 */

import type { Control } from '../../base/control.js';
import type { TxId } from '../ids/layout.js';
import type { StorageSnapshot } from './scan.js';

/** Who may write a copy of a store. */
export interface ReplicationRole {
  /** A follower is written by what its primary sends, and by nothing else. */
  readonly role: 'primary' | 'follower';
  /** Goes up whenever a follower becomes the primary; 0 = nobody was ever promoted. */
  readonly epoch: number;
  /** The address that a follower follows. */
  readonly primary: string | null;
  /** The epoch of a newer primary that this one was told of: it writes no more. */
  readonly fencedBy: number | null;
}

/** Which store it is, and how far it is. */
export interface ReplicationState extends ReplicationRole {
  /** The identity of the store, which every copy of it has. */
  readonly lineage: string;
  /** Which numbering of terms it has (`dictionary/epoch.ts`). */
  readonly numbering: string;
  readonly tx: TxId;
  /** The number that the next new term gets. */
  readonly terms: number;
}

/** How far a follower is; what comes next is read from there. */
export interface FollowedPlace {
  readonly tx: TxId;
  readonly terms: number;
}

export interface ChangesPiece {
  /** In the sequence of their transactions. */
  readonly changes: readonly Buffer[];
  /** Behind the last of them. */
  readonly place: FollowedPlace;
  /** The newest transaction of the store when they were read. */
  readonly lastTx: TxId;
}

/** Takes the bytes of a copy in their sequence; settles when there is room for more. */
export type TakeBytes = (bytes: Uint8Array, total: number) => Promise<void>;

export interface Replication {
  state(): ReplicationState;
  /** The newest transaction that is on the disk. */
  newest(): TxId;
  /** A hash over the metadata of all transactions up to `tx`: two stores with the same one have the same history. */
  hashAt(tx: TxId): Promise<string>;
  /**
   * The next changes after a place, about `bytesMax` of them, at least one where there is one. Throws `log_gone` for a
   * transaction that can't be told any more, or not in this way: then the file is copied again.
   */
  changesAfter(place: FollowedPlace, bytesMax: number, control: Control): Promise<ChangesPiece>;
  /**
   * Applies changes that follow the newest transaction, all in one commit of the file; settles when it is on the disk. Throws
   * `log_diverged` for those that do not continue this history, `store_corrupt` for those that are not what they say.
   */
  apply(changes: readonly Uint8Array[]): Promise<void>;
  /** Notes that there is a primary of this epoch: a follower follows it, and a primary of a lower one is fenced. */
  learnEpoch(epoch: number): Promise<void>;
  /** Throws `log_gone` where it is known without reading much that the transaction after one can't be told. */
  assertTold(tx: TxId): void;
  /** The file as of one moment, as `backup` copies it. */
  copyTo(take: TakeBytes, control: Control): Promise<void>;
  snapshot(): StorageSnapshot;
}
