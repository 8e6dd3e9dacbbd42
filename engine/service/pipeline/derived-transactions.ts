/**
 * The transactions that have written facts which follow from others, by their source. The index of sources is asked once;
 * later ones are noted as they are staged. What was noted and did not come to be goes when its number is given again.
 */

import type { TxId } from '../../storage/ids/layout.js';
import type { StorageEngine } from '../../storage/seam/engine.js';

/** More than ever wait for the disk at once. */
const NOTED_MAX = 65_536;

export { OWL_SOURCE } from '../reasoning/transaction-sources.js';

export class DerivedTransactions {
  readonly #engine: StorageEngine;
  readonly #source: string;
  #known: Set<TxId> | null = null;
  /** Ascending. */
  readonly #noted: TxId[] = [];

  constructor(engine: StorageEngine, source: string) {
    this.#engine = engine;
    this.#source = source;
  }

  /** To be told of each stage before anything is asked about it: its transactions have numbers from here on. */
  begin(first: TxId): void {
    this.#known ??= new Set(this.#engine.transactionsOf(this.#source).filter((tx) => tx < first));
    for (let last = this.#noted.at(-1); last !== undefined && last >= first; last = this.#noted.at(-1)) {
      this.#noted.pop();
      this.#known.delete(last);
    }
  }

  note(tx: TxId): void {
    this.#noted.push(tx);
    if (this.#noted.length > NOTED_MAX) this.#noted.splice(0, NOTED_MAX / 2);
    this.#all.add(tx);
  }

  has(tx: TxId): boolean {
    return this.#all.has(tx);
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Without `begin` every derived fact would pass for one that somebody asserts. */
  get #all(): Set<TxId> {
    if (this.#known === null) throw new Error('derived transactions were asked about before a stage had begun');
    return this.#known;
  }
}
