/**
 * Rows as chunks of UTF-8, each ending with a row. The bytes of a cell come from its column's
 * `Fragments`; a row is copies of them with what the format puts around and between. A batch is written
 * in stretches of rows, fewer where terms are long, and what is kept from one to the next is bounded.
 */

import { threadMemory, useThreadMemory } from '../../kernels/thread-memory.js';
import { ByteArea } from '../terms/byte-area.js';
import { Fragments } from './fragments.js';
import { KeptTerms } from './kept-terms.js';
import { AnswerPatterns } from './pattern-table.js';
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
  /** How many columns are written; absent = all. */
  readonly columns?: number;
  /** Rows at most; absent = all. */
  readonly rowsMax?: number;
  /** After the last row; `cut` says whether there were more. */
  tail(rows: number, cut: boolean): string;
}

/** Words of the record of the layout, as the kernel knows it. */
const RECORD = {
  rowStart: 0,
  rowStartLength: 1,
  between: 2,
  betweenLength: 3,
  rowEnd: 4,
  rowEndLength: 5,
  leaveOut: 6,
  chunk: 7,
  used: 8,
  capacity: 9,
} as const;
const RECORD_BYTES = 64;

/** The document, head and tail included. */
export async function* byteRows(
  batches: AsyncIterable<ResultBatch>,
  layout: RowLayout,
): AsyncGenerator<Buffer, void, undefined> {
  const { rowsMax = Number.POSITIVE_INFINITY } = layout;
  const leave = useThreadMemory();
  const writer = new RowWriter(layout);
  let cut = false;
  try {
    for await (const batch of batches) {
      const rows = Math.min(batch.rows, rowsMax - writer.rows);
      for (let row = 0; row < rows; ) {
        const to = Math.min(rows, row + writer.stretchRows);
        writer.begin(batch, row, to);
        while (!writer.writeRows()) yield writer.take();
        row = to;
      }
      cut = rows < batch.rows;
      if (cut) break;
    }
    yield writer.finish(cut);
  } finally {
    writer.release();
    leave();
  }
}

/** A document that is there at once. */
export async function* oneChunk(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}

class RowWriter {
  /** Rows of the next stretch. */
  stretchRows = FIRST_STRETCH_ROWS;
  /** Rows that are written. */
  rows = 0;
  private readonly kept = new KeptTerms();
  private readonly patterns = new AnswerPatterns();
  private columns: readonly Fragments[] | null = null;
  /** The record of the layout, its texts, and the addresses of the columns' records. */
  private readonly record: number;
  private readonly recordBytes: number;
  private columnList = 0;
  private readonly entries = new ByteArea();
  private readonly chunk = new ByteArea();
  /** The next row of the stretch, and how many it has. */
  private row = 0;
  private rowsOfStretch = 0;

  constructor(private readonly layout: RowLayout) {
    const memory = threadMemory();
    const texts = [layout.rowStart, layout.between, layout.rowEnd].map((text) => Buffer.from(text));
    this.recordBytes = RECORD_BYTES + texts.reduce((bytes, text) => bytes + text.length, 0);
    this.record = memory.allocate(this.recordBytes);
    const words = memory.wordsAt(this.record, RECORD_BYTES / 4);
    words.fill(0);
    let at = this.record + RECORD_BYTES;
    texts.forEach((text, index) => {
      memory.bytes.set(text, at);
      words.set([at, text.length], 2 * index);
      at += text.length;
    });
    words[RECORD.leaveOut] = layout.unbound === undefined ? 1 : 0;
    this.append(layout.head);
  }

  /** Makes the bytes of all cells of the rows. */
  begin(batch: ResultBatch, from: number, to: number): void {
    const { kept } = this;
    const columns = this.columnsFor(batch);
    const rows = to - from;
    const before = kept.end;
    const entries = this.entries.reserve(4 * rows * columns.length);
    kept.startLists(rows * columns.length);
    let fixedMax = 0;
    for (let at = 0; at < columns.length; at++) {
      const ids = (batch.columns[at] as ResultBatch['columns'][number]).subarray(2 * from, 2 * to);
      const column = columns[at] as Fragments;
      column.resolve(ids, rows, entries + 4 * rows * at);
      fixedMax = Math.max(fixedMax, column.fixedMax);
    }
    kept.fill(batch, columns, fixedMax);
    const perRow = (kept.end - before) / rows;
    this.stretchRows = Math.max(1, Math.min(STRETCH_ROWS_MAX, Math.floor(STRETCH_BYTES / Math.max(1, perRow))));
    this.row = 0;
    this.rowsOfStretch = rows;
  }

  /** Writes rows of the stretch; false when the chunk has to be taken before more of them fit. */
  writeRows(): boolean {
    const { layout } = this;
    if (this.rows === 0 && layout.commaFirst && this.rowsOfStretch > 0) {
      this.shiftRowStart(1);
      const fits = this.writeUpTo(1);
      this.shiftRowStart(-1);
      if (!fits) return false;
    }
    return this.writeUpTo(this.rowsOfStretch);
  }

  /** The last chunk. */
  finish(cut: boolean): Buffer {
    this.append(this.layout.tail(this.rows, cut));
    return this.take();
  }

  release(): void {
    const memory = threadMemory();
    for (const column of this.columns ?? []) column.release();
    if (this.columns !== null) memory.free(this.columnList, 4 * this.columns.length);
    this.patterns.release();
    memory.free(this.record, this.recordBytes);
    for (const area of [this.kept, this.entries, this.chunk]) area.release();
  }

  /** The chunk, in memory of its own; the next one is empty. */
  take(): Buffer {
    const { used } = this;
    const taken = Buffer.allocUnsafeSlow(used);
    taken.set(threadMemory().bytesAt(this.chunk.address, used));
    this.used = 0;
    return taken;
  }

  private get used(): number {
    return threadMemory().words[(this.record >>> 2) + RECORD.used] as number;
  }

  private set used(bytes: number) {
    threadMemory().words[(this.record >>> 2) + RECORD.used] = bytes;
  }

  /** Room for so many bytes more in the chunk. */
  private reserve(more: number): void {
    const { used } = this;
    const address = this.chunk.reserve(used + more, used);
    const { words } = threadMemory();
    words[(this.record >>> 2) + RECORD.chunk] = address;
    words[(this.record >>> 2) + RECORD.capacity] = this.chunk.capacity;
  }

  private append(text: string): void {
    const bytes = Buffer.from(text);
    this.reserve(bytes.length);
    const { used } = this;
    threadMemory().bytes.set(bytes, this.chunk.address + used);
    this.used = used + bytes.length;
  }

  private shiftRowStart(by: number): void {
    const { words } = threadMemory();
    const at = this.record >>> 2;
    words[at + RECORD.rowStart] = (words[at + RECORD.rowStart] as number) + by;
    words[at + RECORD.rowStartLength] = (words[at + RECORD.rowStartLength] as number) - by;
  }

  /** Writes the rows before `to`; false when the chunk is full. */
  private writeUpTo(to: number): boolean {
    const width = (this.columns as readonly Fragments[]).length;
    while (this.row < to) {
      const { kernels } = threadMemory();
      const { columnList, record, row } = this;
      this.row = kernels.writeAnswerRows(columnList, width, row, to, record, this.kept.record, CHUNK_BYTES);
      this.rows += this.row - row;
      if (this.used >= CHUNK_BYTES) return false;
      if (this.row < to) this.reserve(this.bytesOfRow(this.row));
    }
    return true;
  }

  private bytesOfRow(row: number): number {
    const { words } = threadMemory();
    const record = this.record >>> 2;
    const columns = this.columns as readonly Fragments[];
    let bytes = (words[record + RECORD.rowStartLength] as number) + (words[record + RECORD.rowEndLength] as number);
    bytes += columns.length * (words[record + RECORD.betweenLength] as number);
    columns.forEach((column, at) => {
      bytes += column.lengthOf(words[(this.entries.address >>> 2) + at * this.rowsOfStretch + row] as number);
    });
    return Math.max(bytes, CHUNK_BYTES / 8);
  }

  private columnsFor(batch: ResultBatch): readonly Fragments[] {
    const { kept, layout } = this;
    if (this.columns === null) {
      const unbound = layout.unbound ?? '';
      const prefix = (at: number) => Buffer.from(layout.prefixOf?.(at) ?? '');
      const columns = batch.columns.slice(0, layout.columns).map((_, at) => {
        const format = layout.formatOf(at);
        return new Fragments(format, this.patterns.of(format), kept, unbound, prefix(at));
      });
      this.columnList = threadMemory().allocate(4 * columns.length);
      const { words } = threadMemory();
      columns.forEach(({ record }, at) => {
        words[(this.columnList >>> 2) + at] = record;
      });
      this.columns = columns;
    } else if (kept.end > KEPT_BYTES_MAX || this.columns.some(({ count }) => count > ENTRIES_MAX)) {
      kept.end = 0;
      for (const column of this.columns) column.clear();
    }
    return this.columns;
  }
}
