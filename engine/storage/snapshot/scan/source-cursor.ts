/** A source of rows in kernel memory as the seam shows it: columns are views, valid until the next call. */

import { invariant } from '../../../base/errors.js';
import type { ThreadMemory } from '../../../kernels/memory.js';
import type { TermId } from '../../ids/layout.js';
import type { PackedScan } from '../../seam/packed-scan.js';
import {
  BATCH_ROWS,
  type Batch,
  COLUMNS,
  type Column,
  NO_COLUMNS,
  type Order,
  type ScanCursor,
  type ScanRequest,
} from '../../seam/scan.js';
import type { RowSource } from '../../sources/row-source.js';
import type { ScanView } from '../view.js';
import { openSource } from './open-source.js';
import { chooseOrder } from './parts.js';

export class SourceCursor implements ScanCursor {
  readonly order: Order;
  readonly #memory: ThreadMemory;
  readonly #source: RowSource;
  readonly #columns: readonly Column[];
  readonly #onClose: () => void;
  #packed: PackedScan | null = null;
  #closed = false;

  constructor(memory: ThreadMemory, source: RowSource, order: Order, columns: readonly Column[], onClose: () => void) {
    this.#memory = memory;
    this.#source = source;
    this.order = order;
    this.#columns = columns;
    this.#onClose = onClose;
  }

  next(): Batch | null {
    if (this.#closed) return null;
    const batch = this.#source.next();
    if (batch === null) return null;
    const memory = this.#memory;
    invariant(batch.rows > 0 && batch.rows <= BATCH_ROWS, 'a source gives rows, at most a batch of them');
    invariant(batch.selection === 0 || batch.selected <= batch.rows, 'a selection is of the rows of its batch');
    const columns = { ...NO_COLUMNS };
    for (const column of this.#columns) {
      columns[column] = memory.wordsAt(batch.columns[COLUMNS.indexOf(column)] as number, 2 * batch.rows);
    }
    const selection = batch.selection === 0 ? null : memory.wordsAt(batch.selection, batch.selected);
    return { rows: batch.rows, columns, selection };
  }

  seek(prefix: readonly TermId[]): void {
    if (!this.#closed && prefix.length > 0) this.#source.seek(prefix);
  }

  packed(): PackedScan | null {
    if (this.#closed) return null;
    this.#packed = this.#source.packed?.() ?? null;
    return this.#packed;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#packed?.close();
    this.#source.close();
    this.#onClose();
  }
}

/** A scan of a snapshot as its users see it. `held`: cursors that hold memory, this one among them until it is closed. */
export function openCursor(view: ScanView, request: ScanRequest, held = new Set<{ close(): void }>()): SourceCursor {
  const { graphs, pattern, time, columns, unordered } = request;
  const order = chooseOrder(pattern, request.order);
  const wanted = columns.map((column) => COLUMNS.indexOf(column));
  const source = openSource(view, { graphs, pattern, order, time, wanted, unordered });
  const cursor: SourceCursor = new SourceCursor(view.context.memory, source, order, columns, () => held.delete(cursor));
  held.add(cursor);
  return cursor;
}
