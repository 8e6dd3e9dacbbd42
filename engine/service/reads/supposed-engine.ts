/**
 * The storage of a store with a stage that is never written: its snapshots show the store as the stage would leave it. The log
 * is as it is without the stage; every write is refused, and what is about files and events.
 */

import { SvcError } from '../../base/errors.js';
import type { TxId } from '../../storage/ids/layout.js';
import type {
  Stage,
  StorageEngine,
  StorageStats,
  TransactionRange,
  TransactionRecord,
} from '../../storage/seam/engine.js';
import type { EventLog } from '../../storage/seam/event-log.js';
import { ExpiringSnapshot, snapshotExpired } from '../../storage/seam/expiring-snapshot.js';
import type { GraphPacks } from '../../storage/seam/pack.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { TimesPart, TransactionTime } from '../../storage/seam/transaction-times.js';

export class SupposedEngine implements StorageEngine {
  readonly #engine: StorageEngine;
  readonly #stage: Stage;
  readonly #ageMaxMs: number;
  readonly #open = new Set<ExpiringSnapshot>();
  #expired = false;
  readonly readOnly = true;
  readonly replication = null;

  /** `ageMaxMs`: what errors name when it has expired. */
  constructor(engine: StorageEngine, stage: Stage, ageMaxMs: number) {
    this.#engine = engine;
    this.#stage = stage;
    this.#ageMaxMs = ageMaxMs;
  }

  /** Drops the stage under those who read it: it holds a view of the file. */
  expire(): void {
    this.#expired = true;
    for (const snapshot of [...this.#open]) snapshot.expire();
    this.#stage.discard();
  }

  get path(): string {
    return this.#engine.path;
  }

  get events(): EventLog {
    return refuse('events tell of what was written');
  }

  get packs(): GraphPacks {
    return refuse('packs are files of what was written');
  }

  snapshot(): StorageSnapshot {
    return this.#opened(() => this.#stage.snapshot());
  }

  /** The store that the stage stands over. */
  before(): StorageSnapshot {
    const [first = this.#stage] = this.#stage.transactions;
    return this.#opened(() => first.before());
  }

  #opened(open: () => StorageSnapshot): StorageSnapshot {
    if (this.#expired) throw snapshotExpired('the speculation', this.#ageMaxMs);
    const onClose = (closed: ExpiringSnapshot): boolean => this.#open.delete(closed);
    const snapshot = new ExpiringSnapshot(open(), { ageMaxMs: this.#ageMaxMs, onClose });
    this.#open.add(snapshot);
    return snapshot;
  }

  transactions(range?: TransactionRange): readonly TransactionRecord[] {
    return this.#engine.transactions(range);
  }

  transactionsWith(ids: readonly TxId[]): readonly TransactionRecord[] {
    return this.#engine.transactionsWith(ids);
  }

  timesOfGroup(group: number): readonly TimesPart[] {
    return this.#engine.timesOfGroup(group);
  }

  timesBetween(from: TxId, to: TxId): readonly TransactionTime[] {
    return this.#engine.timesBetween(from, to);
  }

  transactionsOf(source: string): readonly TxId[] {
    return this.#engine.transactionsOf(source);
  }

  baseNamespace(fallback: string): string {
    return this.#engine.baseNamespace(fallback);
  }

  stats(): StorageStats {
    return this.#engine.stats();
  }

  readonly suppose = (): never => refuse('what is supposed already is no ground for another change');
  readonly stage = (): never => refuse('nothing is written here');
  readonly stageLoad = async (): Promise<never> => refuse('nothing is loaded here');
  readonly indexTexts = (): never => refuse('nothing is indexed here');
  readonly changeIndexes = (): never => refuse('nothing is written here');
  readonly fold = async (): Promise<never> => refuse('nothing is folded here');
  readonly verify = async (): Promise<never> => refuse('there is no file to verify here');
  readonly backup = async (): Promise<never> => refuse('there is no file to copy here');
  readonly attach = (): never => refuse('no file is attached here');
  readonly detach = async (): Promise<never> => refuse('no file is attached here');

  async close(): Promise<void> {
    // The store behind it is another's to close, and the stage is dropped by who has made it.
  }
}

function refuse(what: string): never {
  throw new SvcError('invalid_request', `${what}: the store is shown as a change would leave it`, {
    hint: 'use the store itself',
  });
}
