/**
 * How a store is copied to followers, change by change (decision 62). A change is what one transaction did, whole: its
 * metadata, the terms that are new with their numbers, the rows that it opened and closed with all their times, and its
 * stored events. Applying the changes of a store to an older copy of its file gives the same transactions, term ids and rows.
 *
 * What lies beside transactions is told apart from them, and stands after a transaction: vectors, cursors of consumers,
 * subscriptions, events of refused writes, pruning of events. A follower makes none of it by itself.
 */

import type { Control } from '../../base/control.js';
import type { SvcError } from '../../base/errors.js';
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

/** How far a follower is in what lies beside transactions. */
export interface BesidePlace {
  /** The epoch of the primary that has told it. */
  readonly epoch: number;
  /** Of vectors, as that primary counts them; -1 = those that it has are no beginning of the primary's. */
  readonly generation: number;
  readonly rows: number;
  /** A hash of those rows; null = they are damaged. */
  readonly digest: string | null;
  /** All of the first so many ends of rows were told. */
  readonly ends: number;
  /** The offset of the last event that it has. */
  readonly event: number;
}

/** What a primary knows of what it has told a follower beside transactions. */
export interface BesideTeller {
  /**
   * The next change beside transactions for a follower that has all of them up to `tx`. `null` = there is none; `behind` =
   * there is a transaction that it does not have, which comes first.
   */
  next(tx: TxId): Buffer | 'behind' | null;
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
  /** Why the store is not to be written as a primary is; null = it may be. */
  readonly refusal: SvcError | null;
  besidePlace(): BesidePlace;
  tellBeside(from: BesidePlace): BesideTeller;
  /**
   * Applies a change beside transactions, which follows the newest one; settles when it is on the disk, with whether it took
   * the place of all vectors that there were. Throws as `apply` does.
   */
  applyBeside(change: Uint8Array): Promise<boolean>;
  /** Notes that there is a primary of this epoch: a follower follows it, and a primary of a lower one is fenced. */
  learnEpoch(epoch: number): Promise<void>;
  /** Throws `log_gone` where it is known without reading much that the transaction after one can't be told. */
  assertTold(tx: TxId): void;
  /** The file as of one moment, as `backup` copies it. */
  copyTo(take: TakeBytes, control: Control): Promise<void>;
  snapshot(): StorageSnapshot;
}
