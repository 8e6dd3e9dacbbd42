/**
 * The rows of a member until its answer is whole: one that fails in the middle gives none. They are held as bytes, which the
 * memory of the request is asked for, and no more of them than the whole answer may have.
 */

import type { MemoryCounter } from '../../query/runtime/memory.js';

/** Rows are gathered until they are about this long. */
const PIECE_CHARACTERS = 64 * 1024;

interface Piece {
  readonly bytes: Buffer;
  /** Where each of its rows ends. */
  readonly ends: readonly number[];
}

export class HeldRows {
  private readonly pieces: Piece[] = [];
  private rows: string[] = [];
  private characters = 0;
  private held = 0;
  private bytes = 0;

  constructor(
    private readonly rowsMax: number,
    private readonly memory: MemoryCounter,
  ) {}

  /** How many there are, whether they are held or not. */
  count = 0;

  add(row: string): void {
    this.count++;
    if (this.held === this.rowsMax) return;
    this.held++;
    this.rows.push(row);
    this.characters += row.length;
    if (this.characters >= PIECE_CHARACTERS) this.close();
  }

  /** The first so many rows as bytes, each with a comma before it. */
  *take(rowsMax: number): Generator<Buffer> {
    this.close();
    let left = rowsMax;
    for (const { bytes, ends } of this.pieces) {
      if (left === 0) return;
      const taken = Math.min(left, ends.length);
      yield bytes.subarray(0, ends[taken - 1]);
      left -= taken;
    }
  }

  release(): void {
    this.memory.give(this.bytes);
    this.bytes = 0;
    this.pieces.length = 0;
    this.rows = [];
  }

  private close(): void {
    if (this.rows.length === 0) return;
    let end = 0;
    const ends = this.rows.map((row) => {
      end += Buffer.byteLength(row) + 1;
      return end;
    });
    this.memory.take(end);
    this.bytes += end;
    this.pieces.push({ bytes: Buffer.from(`,${this.rows.join()}`), ends });
    this.rows = [];
    this.characters = 0;
  }
}
