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
import type { GraphPacks } from '../../storage/seam/pack.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export class SupposedEngine implements StorageEngine {
  readonly #engine: StorageEngine;
  readonly #stage: Stage;
  readonly readOnly = true;

  constructor(engine: StorageEngine, stage: Stage) {
    this.#engine = engine;
    this.#stage = stage;
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
    return this.#stage.snapshot();
  }

  /** The store that the stage stands over. */
  before(): StorageSnapshot {
    const [first = this.#stage] = this.#stage.transactions;
    return first.before();
  }

  transactions(range?: TransactionRange): readonly TransactionRecord[] {
    return this.#engine.transactions(range);
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
