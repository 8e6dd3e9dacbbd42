/** What callers of the pipeline say of a write, and what they are told of it. */

import type { Control } from '../../base/control.js';
import type { Principal } from '../../base/principal.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import type { Instant, TxId } from '../../storage/ids/layout.js';
import type { ChangeCounts, LoadSummary, Stage, TransactionOptions } from '../../storage/seam/engine.js';
import type { OwnEvents } from '../events/own-events.js';
import type { Judged } from '../gates/gates.js';
import type { IntendedWrite } from './authority.js';

/** Transaction time and valid time are settled before the write is staged, so that it can be told. */
export interface Receipt extends Judged {
  /** 0 when there was nothing to write. */
  readonly tx: TxId;
  readonly timestamp: Instant;
  readonly validFrom: Instant;
}

export interface LoadReceipt extends Receipt {
  readonly summary: LoadSummary;
}

export interface TransactionReceipt<Result> extends Receipt {
  readonly counts: ChangeCounts;
  /** What the change gave. */
  readonly result: Result;
}

/**
 * Puts changes on a stage; it is over when this returns or settles. Graphs that it makes or drops go through the
 * registration; events that don't follow from its changes are added to its own. `begin`: what comes then stands in a
 * transaction of its own, whose own events it gives.
 */
export type StageChange<Result> = (
  stage: Stage,
  registry: GraphRegistration,
  events: OwnEvents,
  begin: (options: TransactionOptions) => OwnEvents,
) => Result | Promise<Result>;

/** One of several transactions that are written in one turn. */
export type SeriesWrite = <Result>(
  change: StageChange<Result>,
  options: TransactionOptions,
  control?: TransactionControl,
) => Promise<TransactionReceipt<Result>>;

export interface WriteControl extends Control {
  /** Who writes; absent = whom the options name, else nobody in particular. */
  readonly principal?: Principal | undefined;
  /** What the write is called, and what was asked for: for authority. */
  readonly command?: IntendedWrite['command'];
  /** SHACL in Turtle that this write is judged by, besides the stored shapes. */
  readonly shapes?: string | undefined;
}

export interface TransactionControl extends WriteControl {
  /** Writes a transaction even when nothing changes. */
  readonly recordEmpty?: boolean | undefined;
}
