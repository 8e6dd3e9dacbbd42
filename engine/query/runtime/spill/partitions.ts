/**
 * Rows on disk, split by the hash of their keys, so that rows of equal keys land in the same part. A
 * part that is still too large is split again with another seed (`level`).
 */

import type { IdColumn } from '../../../storage/seam/scan.js';
import { hashRow, mixHalves } from '../ids.js';
import type { MemoryAccount, MemoryCounter } from '../memory.js';
import type { SpillFile } from './spill-file.js';
import { SpilledRows } from './spilled-rows.js';

/** Each part holds one block while it is written. */
export const PARTS = 16;
const PART_BITS = 4;
/** Beyond this the hash is used up: keys that are equal can't be told apart by any. */
export const LEVELS_MAX = 7;

/** What writing the parts will take, expected as long as everything is in memory. */
export class PartitionsDeposit {
  private bytes = 0;

  constructor(
    private readonly file: SpillFile,
    private readonly account: MemoryAccount,
  ) {
    this.lay();
  }

  lay(): void {
    this.release();
    this.bytes = PARTS * this.file.blockBytes;
    this.account.expectExit(this.bytes);
  }

  release(): void {
    this.account.forgoExit(this.bytes);
    this.bytes = 0;
  }
}

export class Partitions {
  readonly parts: readonly SpilledRows[];

  constructor(
    file: SpillFile,
    width: number,
    /** Columns that make the key. */
    private readonly keys: readonly number[],
    private readonly level: number,
    memory: MemoryCounter,
  ) {
    this.parts = Array.from({ length: PARTS }, () => new SpilledRows(file, width, memory));
  }

  appendRow(columns: readonly IdColumn[], row: number): void {
    const part = partOf(columns, this.keys, row, this.level);
    (this.parts[part] as SpilledRows).appendRow(columns, row);
  }

  seal(): void {
    for (const part of this.parts) part.seal();
  }

  release(): void {
    for (const part of this.parts) part.release();
  }
}

/** Mixed once more, since hash tables and the other levels use the same hash. */
function partOf(columns: readonly IdColumn[], keys: readonly number[], row: number, level: number): number {
  return mixHalves(level + 1, hashRow(columns, keys, row), 0) >>> (32 - PART_BITS);
}
