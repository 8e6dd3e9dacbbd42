/**
 * A sequence of rows on disk: appended row by row, sealed, read from the first to the last. Rows lie
 * one after the other as 64-bit ids, across the borders of blocks; writer and reader hold one block.
 */

import type { IdColumn } from '../../../storage/seam/scan.js';
import { BatchBuffer, type QueryBatch } from '../batch.js';
import type { MemoryCounter } from '../memory.js';
import type { SpillFile } from './spill-file.js';

export class SpilledRows {
  rows = 0;
  private readonly blocks: number[] = [];
  private buffer: Uint32Array | null = null;
  private used = 0;

  constructor(
    readonly file: SpillFile,
    readonly width: number,
    readonly memory: MemoryCounter,
  ) {}

  appendRow(columns: readonly IdColumn[], row: number): void {
    let buffer = this.buffer ?? this.allocate();
    for (let column = 0; column < this.width; column++) {
      if (this.used === buffer.length) buffer = this.flush(buffer);
      const from = columns[column] as IdColumn;
      buffer[this.used++] = from[2 * row] as number;
      buffer[this.used++] = from[2 * row + 1] as number;
    }
    this.rows++;
  }

  appendBatch(batch: QueryBatch, from = 0): void {
    for (let row = from; row < batch.rows; row++) this.appendRow(batch.columns, row);
  }

  /** Writes what is left; to be called once, before reading. */
  seal(): void {
    if (this.buffer === null) return;
    if (this.used > 0) this.blocks.push(this.file.write(this.buffer));
    this.buffer = null;
    this.memory.give(this.file.blockBytes);
  }

  /** Number of the block at a place; `consumed` gives it back to the file. */
  blockAt(index: number): number {
    return this.blocks[index] as number;
  }

  consumed(index: number): void {
    const block = this.blocks[index] as number;
    if (block < 0) return;
    this.blocks[index] = -1;
    this.file.release(block);
  }

  release(): void {
    if (this.buffer !== null) this.memory.give(this.file.blockBytes);
    this.buffer = null;
    for (let index = 0; index < this.blocks.length; index++) this.consumed(index);
    this.blocks.length = 0;
    this.rows = 0;
  }

  private allocate(): Uint32Array {
    this.memory.take(this.file.blockBytes);
    this.buffer = new Uint32Array(this.file.blockBytes / 4);
    this.used = 0;
    return this.buffer;
  }

  private flush(buffer: Uint32Array): Uint32Array {
    this.blocks.push(this.file.write(buffer));
    this.used = 0;
    return buffer;
  }
}

export interface ReaderOptions {
  /** Gives each block back as soon as it has been read, so that the rows can be read once only. */
  readonly consume: boolean;
  /** Rows of a batch at most. */
  readonly batchRows?: number;
}

/** Reads sealed rows from the first to the last. */
export class SpilledReader {
  private readonly block: Uint32Array;
  private readonly buffer: BatchBuffer;
  private readonly consume: boolean;
  private readonly countedBytes: number;
  private at: number;
  private nextBlock = 0;
  private given = 0;
  private closed = false;

  constructor(
    private readonly source: SpilledRows,
    { consume, batchRows }: ReaderOptions,
  ) {
    const { file, memory, width } = source;
    this.consume = consume;
    const rows = batchRows ?? batchRowsFor(file.blockBytes, width);
    this.countedBytes = file.blockBytes + 8 * width * rows;
    memory.take(this.countedBytes);
    this.block = new Uint32Array(file.blockBytes / 4);
    this.buffer = new BatchBuffer(width, rows);
    this.at = this.block.length;
  }

  /** The next rows, never none; null at the end. Valid until the next call. */
  next(): QueryBatch | null {
    const { buffer, source } = this;
    const rows = Math.min(buffer.capacity, source.rows - this.given);
    if (rows <= 0) return null;
    for (let row = 0; row < rows; row++) this.readRow(row);
    buffer.rows = rows;
    this.given += rows;
    return buffer;
  }

  *batches(): Generator<QueryBatch, void, undefined> {
    for (let batch = this.next(); batch !== null; batch = this.next()) yield batch;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.source.memory.give(this.countedBytes);
  }

  private readRow(row: number): void {
    const { block, buffer } = this;
    for (let column = 0; column < buffer.columns.length; column++) {
      if (this.at === block.length) this.load();
      const to = buffer.columns[column] as IdColumn;
      to[2 * row] = block[this.at++] as number;
      to[2 * row + 1] = block[this.at++] as number;
    }
  }

  private load(): void {
    this.source.file.read(this.source.blockAt(this.nextBlock), this.block);
    if (this.consume) this.source.consumed(this.nextBlock);
    this.nextBlock++;
    this.at = 0;
  }
}

/** About as many rows as a block holds. */
function batchRowsFor(blockBytes: number, width: number): number {
  return Math.max(16, Math.min(4096, Math.floor(blockBytes / (8 * Math.max(1, width)))));
}
