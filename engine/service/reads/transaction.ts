/** A transaction as the library shows it. */

import type { Authenticated } from '../../base/control.js';
import type { TransactionRecord } from '../../storage/seam/engine.js';
import { showInstant } from '../options/store-options.js';

export interface Transaction {
  readonly id: number;
  readonly timestamp: string;
  readonly actor: string | null;
  readonly source: string | null;
  /** What the token of a request proved about who wrote; null: there was none. */
  readonly authenticated: Authenticated | null;
  /** Statements that it opened. */
  readonly quadsAdded: number;
  /** Statements that it closed. */
  readonly quadsRetracted: number;
}

export function toTransaction({
  timestamp,
  authenticated,
  events: _,
  validFrom: __,
  ...rest
}: TransactionRecord): Transaction {
  return { ...rest, timestamp: showInstant(timestamp), authenticated: authenticated ?? null };
}
