/**
 * The delta: what transactions after the last fold have changed, as one thread holds it in memory. It
 * is made from the log records of transactions `(base, applied]` and nothing else, so every thread
 * comes to the same. Rows carry their transactions: a snapshot at an earlier one reads it correctly.
 *
 * `rows`: rows that were asserted; those that were closed again have their ends set. `tombstones`: rows
 * of runs that were closed, whole, with their ends.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { TxId } from '../ids/layout.js';
import { PACKED_KEY_DEPTH } from '../runs/orders.js';
import type { RowColumns } from '../runs/writer.js';
import type { TransactionTime } from '../seam/transaction-times.js';
import { DeltaTerms } from './delta-terms.js';
import { Layer } from './layer.js';
import { Memtable, writeKey } from './memtable.js';

const TX_TO = 5;
const VALID_TO = 7;

/** The changes of one transaction, as its log record holds them. */
export interface Changes {
  readonly tx: TxId;
  readonly source: string | null;
  /** Number of the first new term. */
  readonly firstTerm: number;
  readonly terms: readonly Buffer[];
  /** Rows in kernel memory, and how many; null for none. */
  readonly rows: RowColumns | null;
  readonly rowCount: number;
  readonly tombstones: RowColumns | null;
  readonly closeCount: number;
}

export class Delta extends Layer {
  readonly base: TxId;
  readonly memory: ThreadMemory;
  /** Sources of the transactions, in their sequence. */
  readonly sources: { readonly tx: TxId; readonly source: string }[] = [];
  /** Time labels of the transactions that were noted, in their sequence. */
  readonly times: TransactionTime[] = [];
  #applied: TxId;

  /** An empty one, or one of rows, tombstones and terms that are there already, which it releases. */
  constructor(
    memory: ThreadMemory,
    base: TxId,
    firstTerm: number,
    parts?: Pick<Layer, 'rows' | 'tombstones' | 'terms'>,
  ) {
    super(
      parts?.rows ?? new Memtable(memory),
      parts?.tombstones ?? new Memtable(memory),
      parts?.terms ?? new DeltaTerms(firstTerm),
    );
    this.memory = memory;
    this.base = base;
    this.#applied = base;
  }

  /** The newest transaction that it holds. */
  get applied(): TxId {
    return this.#applied;
  }

  get size(): number {
    return this.rows.count + this.tombstones.count;
  }

  get bytes(): number {
    return this.rows.bytes + this.tombstones.bytes + this.terms.bytes;
  }

  apply(changes: Changes): void {
    for (const stored of changes.terms) this.terms.add(stored);
    if (changes.rows !== null) this.rows.append(changes.rows, 0, changes.rowCount);
    if (changes.tombstones !== null) this.#close(changes.tombstones, changes.closeCount);
    if (changes.source !== null) this.sources.push({ tx: changes.tx, source: changes.source });
    this.#applied = changes.tx;
  }

  /** What the index of times is to know of a transaction once it is folded. */
  note(time: TransactionTime): void {
    this.times.push(time);
  }

  /** A transaction whose rows stand in runs. */
  skip(tx: TxId): void {
    this.#applied = tx;
  }

  #close(tombstones: RowColumns, count: number): void {
    const { memory } = this;
    const key = memory.allocate(8 * PACKED_KEY_DEPTH);
    const words = memory.words;
    for (let i = 0; i < count; i++) {
      writeKey(memory, 'SPOG', tombstones.addresses, i, key);
      const row = this.rows.find(key, PACKED_KEY_DEPTH);
      if (row < 0) {
        this.tombstones.append(tombstones, i, 1);
        continue;
      }
      for (const column of [TX_TO, VALID_TO]) {
        const at = ((tombstones.addresses[column] as number) >>> 2) + 2 * i;
        this.rows.set(column, row, words[at] as number, words[at + 1] as number);
      }
    }
    memory.free(key, 8 * PACKED_KEY_DEPTH);
  }
}
