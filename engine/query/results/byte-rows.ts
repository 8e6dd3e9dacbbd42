/**
 * Rows as chunks of UTF-8, each ending with a row. The bytes of a cell come from its column's
 * `Fragments`; a row is copies of them with what the format puts around and between. A batch is written
 * in stretches of rows, fewer where terms are long, and what is kept from one to the next is bounded.
 */

import { ByteArea } from './byte-area.js';
import { Fragments, UNBOUND_ENTRY } from './fragments.js';
import type { ResultBatch } from './result.js';
import type { TermFormat } from './term-format.js';

/** A chunk is handed on at about this size. */
const CHUNK_BYTES = 32 * 1024;
/** What is kept of terms at most, but for those of one stretch. */
const KEPT_BYTES_MAX = 8 * 2 ** 20;
const ENTRIES_MAX = 1 << 17;
/** New bytes that a stretch of rows may bring, by what the one before brought. */
const STRETCH_BYTES = 2 ** 20;
const FIRST_STRETCH_ROWS = 512;
const STRETCH_ROWS_MAX = 4096;

export type ResultBytes = AsyncGenerator<Uint8Array, void, undefined>;

export interface RowLayout {
  /** How the terms of each column are written; asked once. */
  formatOf(column: number): TermFormat;
  /** What stands before the terms of a column. */
  prefixOf?(column: number): string;
  /** Before the first row. */
  readonly head: string;
  readonly rowStart: string;
  readonly between: string;
  readonly rowEnd: string;
  /** Whether the first row leaves out the first character of `rowStart`. */
  readonly commaFirst?: boolean;
  /** What stands for an unbound variable; absent = the cell is left out, and what is between cells with it. */
  readonly unbound?: string;
  /** After the last row. */
  tail(rows: number): string;
}

const NO_BYTES = Buffer.alloc(0);

/** The document, head and tail included. */
export async function* byteRows(
  batches: AsyncIterable<ResultBatch>,
  layout: RowLayout,
): AsyncGenerator<Buffer, void, undefined> {
  const writer = new RowWriter(layout);
  try {
    for await (const batch of batches) {
      for (let row = 0; row < batch.rows; ) {
        const to = Math.min(batch.rows, row + writer.stretchRows);
        writer.begin(batch, row, to);
        for (; row < to; row++) {
          writer.writeRow();
          if (writer.chunkBytes >= CHUNK_BYTES) yield writer.take();
        }
      }
    }
    writer.finish();
    yield writer.take();
  } finally {
    writer.release();
  }
}

class RowWriter {
  /** Rows of the next stretch. */
  stretchRows = FIRST_STRETCH_ROWS;
  private readonly area = new ByteArea();
  private columns: readonly Fragments[] | null = null;
  private entries: readonly Uint32Array[] = [];
  /** Where fragments end, and the chunk begins. */
  private chunkStart = 0;
  /** The next row of the stretch. */
  private row = 0;
  private rows = 0;
  private readonly rowStart: Uint8Array;
  private readonly between: Uint8Array;
  private readonly rowEnd: Uint8Array;

  constructor(private readonly layout: RowLayout) {
    this.rowStart = Buffer.from(layout.rowStart);
    this.between = Buffer.from(layout.between);
    this.rowEnd = Buffer.from(layout.rowEnd);
    this.area.putText(layout.head);
  }

  get chunkBytes(): number {
    return this.area.end - this.chunkStart;
  }

  /** Makes the bytes of all cells of the rows; the chunk in the making comes to lie behind them. */
  begin(batch: ResultBatch, from: number, to: number): void {
    const { area } = this;
    const chunk = area.end === this.chunkStart ? NO_BYTES : this.take();
    const columns = this.columnsFor(batch);
    const before = area.end;
    this.reserveEntries(columns.length, to - from);
    columns.forEach((column, at) => {
      column.resolve(
        batch,
        batch.columns[at] as ResultBatch['columns'][number],
        from,
        to,
        this.entries[at] as Uint32Array,
      );
    });
    const perRow = (area.end - before) / (to - from);
    this.stretchRows = Math.max(1, Math.min(STRETCH_ROWS_MAX, Math.floor(STRETCH_BYTES / Math.max(1, perRow))));
    this.chunkStart = area.end;
    area.reserve(chunk.length);
    area.bytes.set(chunk, area.end);
    area.end += chunk.length;
    this.row = 0;
  }

  writeRow(): void {
    const { area, between, rowStart, rowEnd, entries } = this;
    const columns = this.columns as readonly Fragments[];
    const row = this.row++;
    let bytes = rowStart.length + rowEnd.length + columns.length * between.length;
    for (let at = 0; at < columns.length; at++) {
      bytes += (columns[at] as Fragments).lengths[(entries[at] as Uint32Array)[row] as number] as number;
    }
    area.reserve(bytes);
    if (this.rows++ === 0 && this.layout.commaFirst) area.put(rowStart.subarray(1));
    else area.put(rowStart);
    const leaveOut = this.layout.unbound === undefined;
    let first = true;
    for (let at = 0; at < columns.length; at++) {
      const { offsets, lengths } = columns[at] as Fragments;
      const entry = (entries[at] as Uint32Array)[row] as number;
      if (leaveOut && entry === UNBOUND_ENTRY) continue;
      if (!first) area.put(between);
      first = false;
      area.copy(offsets[entry] as number, lengths[entry] as number);
    }
    area.put(rowEnd);
  }

  finish(): void {
    this.area.putText(this.layout.tail(this.rows));
  }

  release(): void {
    this.area.release();
  }

  /** The chunk, in memory of its own; the next one is empty. */
  take(): Buffer {
    const { area } = this;
    const { buffer, byteOffset } = area.bytes;
    const chunk = buffer.slice(byteOffset + this.chunkStart, byteOffset + area.end);
    area.end = this.chunkStart;
    return Buffer.from(chunk as ArrayBuffer);
  }

  private columnsFor(batch: ResultBatch): readonly Fragments[] {
    const { area, layout } = this;
    if (this.columns === null) {
      area.end = 0;
      const unbound = layout.unbound ?? '';
      const prefix = (at: number) => Buffer.from(layout.prefixOf?.(at) ?? '');
      this.columns = batch.columns.map((_, at) => new Fragments(layout.formatOf(at), area, unbound, prefix(at)));
    } else if (area.end > KEPT_BYTES_MAX || this.columns.some(({ count }) => count > ENTRIES_MAX)) {
      area.end = 0;
      for (const column of this.columns) column.clear();
    }
    return this.columns;
  }

  private reserveEntries(columns: number, rows: number): void {
    if (this.entries.length === columns && (this.entries[0]?.length ?? rows) >= rows) return;
    this.entries = Array.from({ length: columns }, () => new Uint32Array(rows));
  }
}
