/**
 * Which rows of a store have which key. Rows of equal keys make a group; groups are numbered from 0 in
 * the order of their first rows, and a probe turns columns of keys into group numbers. Keys of one column
 * whose ids lie close together are found in an array by id, others by hash (`keys/hash-keys.ts`).
 *
 * Where no key comes twice, a row is its own group (`unique`). Otherwise `rowsOf` has the rows of group g
 * at `starts[g] .. starts[g + 1]`, in the order of the store. Without keys there is one group and no list.
 * All of it lies in kernel memory, and so do the columns of the store.
 */

import { threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import type { QueryBatch } from '../../runtime/batch.js';
import { listColumns } from '../../runtime/column-list.js';
import { HashKeys } from '../../runtime/keys/hash-keys.js';
import { KeyBits } from '../../runtime/keys/key-bits.js';
import type { MemoryCounter } from '../../runtime/memory.js';
import { inSlices, type Work } from '../../runtime/operator.js';

export const NO_GROUP = -1;
const BYTES_PER_WORD = 4;
const NO_WORDS: Uint32Array = new Uint32Array(0);
/** Entries of the array by id, per row of the store: as large as other slots would be. */
const DIRECT_SPAN_PER_ROW = 6;
const DIRECT_SPAN_MIN = 256;
/** Least and greatest key. */
const RANGE_WORDS = 4;
const TWO_TO_32 = 2 ** 32;

export class RowGroups implements MemoryCounter {
  starts: Uint32Array = NO_WORDS;
  rowsOf: Uint32Array = NO_WORDS;
  /** Distinct keys. */
  groups = 0;
  /** row -> group, while the table is made */
  private groupOf: Uint32Array = NO_WORDS;
  private range: Uint32Array = NO_WORDS;
  /** The array by id, from the least key on; empty = keys are found by hash. */
  private direct: Uint32Array = NO_WORDS;
  private readonly hashed: HashKeys;
  private accountedBytes = 0;

  constructor(
    private readonly store: QueryBatch,
    private readonly keys: readonly number[],
    private readonly memory: MemoryCounter,
  ) {
    this.hashed = new HashKeys(keys.length, this, keys.length > 1, true);
  }

  /** No key comes twice: the number of a group is that of its row. */
  get unique(): boolean {
    return this.keys.length > 0 && this.groups > 0 && this.starts.length === 0;
  }

  /** Without keys: the rows of the one group; else 0. */
  get rowsOfOne(): number {
    return this.keys.length === 0 ? this.store.rows : 0;
  }

  /** How many rows a group has. */
  rowsIn(group: number): number {
    if (this.keys.length === 0) return this.store.rows;
    return this.unique ? 1 : (this.starts[group + 1] as number) - (this.starts[group] as number);
  }

  /** The row of a group that stands at `index`. */
  rowAt(group: number, index: number): number {
    if (this.keys.length === 0) return index;
    return this.unique ? group : (this.rowsOf[(this.starts[group] as number) + index] as number);
  }

  /** The most bytes that the table may take for so many rows. */
  bytesToHold(rows: number): number {
    if (this.keys.length === 0) return 0;
    const direct = this.keys.length === 1 ? Math.max(DIRECT_SPAN_MIN, DIRECT_SPAN_PER_ROW * rows) : 0;
    // Group, start and place of each row.
    const hashed = this.hashed.bytesToHold(rows) + KeyBits.bytesFor(rows);
    return Math.max(hashed, BYTES_PER_WORD * direct) + BYTES_PER_WORD * (3 * rows + 1);
  }

  /** Groups the rows, once the store has all of them. */
  *build(sliceRows: number): Work {
    const { rows } = this.store;
    if (rows === 0 || this.keys.length === 0) return;
    if (this.keys.length === 1) yield* inSlices(rows, sliceRows, (from, to) => this.widenRange(from, to));
    this.choose();
    yield* inSlices(rows, sliceRows, (from, to) => this.assign(from, to));
    if (this.groups < rows) {
      const { kernels } = threadMemory();
      const bytes = BYTES_PER_WORD * (this.groups + 1);
      this.rowsOf = this.takeWords(rows);
      this.starts = this.takeWords(this.groups + 1);
      const [groupsAt, startsAt, rowsAt] = [this.groupOf.byteOffset, this.starts.byteOffset, this.rowsOf.byteOffset];
      kernels.zero(startsAt, bytes);
      yield* inSlices(rows, sliceRows, (from, to) => kernels.countNumbers(groupsAt, from, to, startsAt));
      kernels.sumCounts(startsAt, this.groups);
      // The entry of a group moves on to the start of the next one while its rows are placed.
      yield* inSlices(rows, sliceRows, (from, to) => kernels.placeRows(groupsAt, from, to, startsAt, rowsAt));
      this.starts.copyWithin(1, 0, this.groups);
      this.starts[0] = 0;
    }
    this.groupOf = this.giveWords(this.groupOf);
  }

  private assign(from: number, to: number): void {
    const { range, direct } = this;
    const into = this.groupOf.byteOffset;
    if (direct.length === 0) {
      this.hashed.assignRows(listColumns(this.store.columns, to, this.keys), from, to, into);
      this.groups = this.hashed.count;
    } else {
      const { kernels } = threadMemory();
      const [rangeAt, directAt] = [range.byteOffset, direct.byteOffset];
      this.groups = kernels.assignDirect(this.keyAt(to), from, to, rangeAt, directAt, this.groups, into);
    }
  }

  /** Address of the one key column, of which `rows` rows are looked at. */
  private keyAt(rows: number): number {
    return threadMemory().wordsAt(listColumns(this.store.columns, rows, this.keys), 1)[0] as number;
  }

  private widenRange(from: number, to: number): void {
    if (from === 0) {
      this.range = this.takeWords(RANGE_WORDS);
      this.range.fill(0xffffffff, 0, 2);
      this.range.fill(0, 2);
    }
    threadMemory().kernels.widenRange(this.keyAt(to), from, to, this.range.byteOffset);
  }

  private choose(): void {
    const { rows } = this.store;
    this.groupOf = this.takeWords(rows);
    if (this.keys.length > 1) return;
    const [least = 0, leastHigh = 0, greatest = 0, greatestHigh = 0] = this.range;
    const span = (greatestHigh - leastHigh) * TWO_TO_32 + greatest - least + 1;
    if (span > Math.max(DIRECT_SPAN_MIN, DIRECT_SPAN_PER_ROW * rows)) return;
    this.direct = this.takeWords(span);
    threadMemory().kernels.zero(this.direct.byteOffset, BYTES_PER_WORD * span);
  }

  /** The group of each of the first `rows` rows of the columns that hold the keys; NO_GROUP where there is none. */
  probe(columns: readonly IdColumn[], keys: readonly number[], rows: number, into: Int32Array): void {
    if (this.keys.length === 0 || this.groups === 0) {
      // Without keys all rows go together.
      into.fill(this.store.rows > 0 && keys.length === 0 ? 0 : NO_GROUP, 0, rows);
      return;
    }
    const list = listColumns(columns, rows, keys);
    const { direct } = this;
    if (direct.length === 0) {
      this.hashed.findRows(list, rows, into.byteOffset);
      return;
    }
    const { kernels } = threadMemory();
    const column = threadMemory().wordsAt(list, 1)[0] as number;
    kernels.findDirect(column, rows, this.range.byteOffset, direct.byteOffset, direct.length, into.byteOffset);
  }

  release(): void {
    this.groups = 0;
    this.hashed.release();
    this.groupOf = this.giveWords(this.groupOf);
    this.starts = this.giveWords(this.starts);
    this.rowsOf = this.giveWords(this.rowsOf);
    this.range = this.giveWords(this.range);
    this.direct = this.giveWords(this.direct);
  }

  /** Counts before allocating. */
  private takeWords(count: number): Uint32Array {
    this.take(BYTES_PER_WORD * count);
    return threadWords(threadMemory().allocate(BYTES_PER_WORD * count), count);
  }

  private giveWords(words: Uint32Array): Uint32Array {
    if (words.length > 0) {
      threadMemory().free(words.byteOffset, BYTES_PER_WORD * words.length);
      this.give(BYTES_PER_WORD * words.length);
    }
    return NO_WORDS;
  }

  take(bytes: number): void {
    this.memory.take(bytes);
    this.accountedBytes += bytes;
  }

  give(bytes: number): void {
    this.memory.give(bytes);
    this.accountedBytes -= bytes;
  }
}
