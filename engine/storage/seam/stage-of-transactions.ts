/** What the stages of both storage engines have in common: the transaction at hand answers for the stage. */

import { SvcError } from '../../base/errors.js';
import type { Instant, TxId } from '../ids/layout.js';
import type {
  ChangeCounts,
  ChangesByGraph,
  LoadSummary,
  SettledOptions,
  StagedTransaction,
  TransactionOptions,
} from './engine.js';
import type { StorageSnapshot } from './scan.js';

/** A transaction with the times that its options say. */
export abstract class TimedTransaction {
  constructor(
    readonly tx: TxId,
    readonly options: SettledOptions,
  ) {}

  get timestamp(): Instant {
    return this.options.timestamp;
  }

  get validFrom(): Instant {
    return this.options.validFrom ?? this.options.timestamp;
  }
}

export abstract class StageOfTransactions<Transaction extends StagedTransaction> implements StagedTransaction {
  abstract readonly loaded: LoadSummary | null;
  /** The one at hand is the last. */
  readonly transactions: Transaction[] = [];
  protected state: 'open' | 'committed' | 'discarded' = 'open';

  protected get current(): Transaction {
    return this.transactions[this.transactions.length - 1] as Transaction;
  }

  /** Options of a transaction that follows the one at hand: it is of the same time unless they say otherwise. */
  protected settled(options: TransactionOptions): SettledOptions {
    return { ...options, timestamp: options.timestamp ?? this.timestamp };
  }

  protected assertOpen(): void {
    if (this.state === 'open') return;
    const what = this.loaded === null ? 'transaction' : 'load';
    throw new SvcError('invalid_request', `the ${what} was ${this.state} already`);
  }

  get tx(): TxId {
    return this.current.tx;
  }

  get timestamp(): Instant {
    return this.current.timestamp;
  }

  get validFrom(): Instant {
    return this.current.validFrom;
  }

  get options(): TransactionOptions {
    return this.current.options;
  }

  get counts(): ChangeCounts {
    return this.current.counts;
  }

  changes(): ChangesByGraph {
    return this.current.changes();
  }

  before(): StorageSnapshot {
    return this.current.before();
  }

  snapshot(): StorageSnapshot {
    return this.current.snapshot();
  }
}
