/** One transaction of a staged write in memory: what it opens and closes, netted as its changes come. */

import { type Instant, instantToColumn, OPEN, type TxId } from '../ids/layout.js';
import { changesIn } from '../seam/changes-by-graph.js';
import type { ChangeCounts, ChangesByGraph, SettledOptions, StagedTransaction } from '../seam/engine.js';
import type { StorageSnapshot } from '../seam/scan.js';
import { TimedTransaction } from '../seam/stage-of-transactions.js';
import type { BatchShape } from './cursor.js';
import { keyOf, type Row, type RowIds } from './rows.js';
import { MemorySnapshot } from './snapshot.js';
import type { State } from './state.js';
import type { TermTable } from './term-table.js';

/** What a transaction does to the store. */
export interface NetChange {
  readonly tx: TxId;
  readonly options: SettledOptions;
  readonly opened: readonly Row[];
  /** Rows of the state before -> the same rows, closed. */
  readonly closed: ReadonlyMap<Row, Row>;
  readonly counts: ChangeCounts;
}

interface Opened {
  readonly ids: RowIds;
  readonly validFrom: Instant;
}

interface Closed {
  readonly rows: readonly Row[];
  readonly validTo: Instant;
}

/** What a transaction is judged against. */
export interface Below {
  readonly state: State;
  readonly terms: TermTable;
  openRows(key: string): readonly Row[];
}

interface StageView {
  readonly below: Below;
  readonly terms: TermTable;
  readonly shape: BatchShape;
  assertOpen(): void;
}

export class MemoryTransaction extends TimedTransaction implements StagedTransaction {
  readonly #view: StageView;
  /** Quads that were not open before and are now. */
  readonly #opened = new Map<string, Opened>();
  /** Quads that were open before and are not any more, with the rows that this closes. */
  readonly #closed = new Map<string, Closed>();
  #changes: ChangesByGraph | null = null;
  /** What it leaves, once the next has begun. */
  #left: Below | null = null;
  #net: NetChange | null = null;

  constructor(view: StageView, tx: TxId, options: SettledOptions) {
    super(tx, options);
    this.#view = view;
  }

  get counts(): ChangeCounts {
    return { asserted: this.#opened.size, retracted: this.#closed.size };
  }

  wasOpen(key: string): boolean {
    return this.#view.below.openRows(key).length > 0;
  }

  opens(ids: RowIds): boolean {
    return this.#opened.has(keyOf(ids));
  }

  get openedIds(): readonly RowIds[] {
    return Array.from(this.#opened.values(), ({ ids }) => ids);
  }

  open(ids: RowIds, validFrom: Instant | undefined): boolean {
    this.#changes = null;
    const key = keyOf(ids);
    // Open before and open after is no change, whatever came between.
    if (this.#closed.delete(key)) return true;
    if (this.#opened.has(key) || this.wasOpen(key)) return false;
    this.#opened.set(key, { ids, validFrom: validFrom ?? this.validFrom });
    return true;
  }

  close(ids: RowIds, validTo: Instant = this.timestamp): boolean {
    this.#changes = null;
    const key = keyOf(ids);
    if (this.#opened.delete(key)) return true;
    if (this.#closed.has(key)) return false;
    const rows = this.#view.below.openRows(key);
    if (rows.length === 0) return false;
    this.#closed.set(key, { rows, validTo });
    return true;
  }

  changes(): ChangesByGraph {
    this.#view.assertOpen();
    const { asserted, retracted } = this.counts;
    this.#changes ??= changesIn(() => this.snapshot(), this.tx, asserted + retracted);
    return this.#changes;
  }

  before(): StorageSnapshot {
    this.#view.assertOpen();
    const { below, shape } = this.#view;
    return new MemorySnapshot(below.state, below.terms, shape);
  }

  snapshot(): StorageSnapshot {
    this.#view.assertOpen();
    const { terms, shape } = this.#view;
    return new MemorySnapshot(this.#left?.state ?? this.#stateAfter(this.net()), terms, shape, true);
  }

  #stateAfter({ opened, closed }: NetChange): State {
    const { below, terms } = this.#view;
    return below.state.after(opened, closed, { tx: this.tx, termNumberMax: terms.termNumberMax });
  }

  /** What it does in the end; the next transaction builds on its rows. */
  net(moved: (ids: RowIds) => RowIds = (ids) => ids): NetChange {
    if (this.#net !== null) return this.#net;
    const tx = BigInt(this.tx);
    const opened: Row[] = [];
    for (const { ids, validFrom } of this.#opened.values()) {
      opened.push({ ...moved(ids), txFrom: tx, txTo: OPEN, validFrom: instantToColumn(validFrom), validTo: OPEN });
    }
    const closed = new Map<Row, Row>();
    for (const { rows, validTo } of this.#closed.values()) {
      for (const row of rows) closed.set(row, { ...row, txTo: tx, validTo: instantToColumn(validTo) });
    }
    return { tx: this.tx, options: this.options, opened, closed, counts: this.counts };
  }

  /** What the next transaction is judged against; this one does not change any more. */
  above(): Below {
    this.#net = this.net();
    const { below, terms } = this.#view;
    const opened = new Map<string, readonly Row[]>();
    for (const row of this.#net.opened) opened.set(keyOf(row), [row]);
    const openRows = (key: string): readonly Row[] =>
      opened.get(key) ?? (this.#closed.has(key) ? [] : below.openRows(key));
    this.#left = { state: this.#stateAfter(this.#net), terms, openRows };
    return this.#left;
  }
}
