/**
 * Which rows of a store have which key. Rows of equal keys make a group; groups are numbered from 0 in
 * the order of their first rows, and a probe turns columns of keys into group numbers. Keys of one column
 * whose ids lie close together are found in an array by id, others by hash (`keys/hash-keys.ts`). Of many keys by hash the rows
 * are taken in part by part (`keys/split-keys.ts`), and groups are numbered in that sequence.
 *
 * Where no key comes twice, a row is its own group (`unique`). Otherwise `rowsOf` has the rows of group g
 * at `starts[g] .. starts[g + 1]`, in the order of the store. Without keys there is one group and no list.
 * All of it lies in kernel memory, and so do the columns of the store.
 */

import { invariant } from '../../../base/errors.js';
import { threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import type { QueryBatch } from '../../runtime/batch.js';
import { listColumns } from '../../runtime/column-list.js';
import { HashKeys } from '../../runtime/keys/hash-keys.js';
import { KeyBits } from '../../runtime/keys/key-bits.js';
import { partBitsFor, SplitKeys } from '../../runtime/keys/split-keys.js';
import type { MemoryCounter } from '../../runtime/memory.js';
import { inSlices, type Work } from '../../runtime/operator.js';

export const NO_GROUP = -1;

/** A counter that can be asked first. */
export interface RoomCounter extends MemoryCounter {
  fits(bytes: number): boolean;
}

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
  /** The bits of the hash by which the table was made part by part; 0 = it was made at once. */
  partBits = 0;
  /** row -> group, while the table is made */
  private groupOf: Uint32Array = NO_WORDS;
  /** group -> row, where no key comes twice and groups are numbered part by part. */
  private rowOfGroup: Uint32Array = NO_WORDS;
  /** Groups of the rows that are asked for next, where they are known already. */
  private foreseen: Int32Array | null = null;
  private range: Uint32Array = NO_WORDS;
  /** The array by id, from the least key on; empty = keys are found by hash. */
  private direct: Uint32Array = NO_WORDS;
  private readonly hashed: HashKeys;
  private accountedBytes = 0;

  constructor(
    private readonly store: QueryBatch,
    private readonly keys: readonly number[],
    private readonly memory: RoomCounter,
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

  /** Groups the rows, once the store has all of them; so many or more part by part, where there is memory for that. */
  *build(sliceRows: number, partsKeysMin = Number.POSITIVE_INFINITY): Work {
    const { rows } = this.store;
    if (rows === 0 || this.keys.length === 0) return;
    if (this.keys.length === 1) yield* inSlices(rows, sliceRows, (from, to) => this.widenRange(from, to));
    this.choose();
    if (this.direct.length === 0 && rows >= partsKeysMin) {
      const bits = partBitsFor(rows);
      const split = new SplitKeys(this.keys.length, bits, this);
      // Names of the groups take as much as the lists of rows, which are counted in `bytesToHold`.
      if (this.memory.fits(SplitKeys.bytesFor(rows, this.keys.length) + this.bytesToHold(rows))) {
        return yield* this.buildParts(split, bits, sliceRows);
      }
    }
    this.groupOf = this.takeWords(rows);
    yield* inSlices(rows, sliceRows, (from, to) => this.assign(from, to));
    if (this.groups < rows) yield* this.listRows(this.groupOf.byteOffset, 0, sliceRows);
    this.groupOf = this.giveWords(this.groupOf);
  }

  /** Part by part. */
  private *buildParts(split: SplitKeys, bits: number, sliceRows: number): Work {
    const { hashed, store } = this;
    const { rows } = store;
    try {
      split.reserve(rows);
      yield* split.split(store.columns, this.keys, rows, sliceRows);
      hashed.cut(bits);
      hashed.inParts = true;
      const numbersAt = split.numbers.byteOffset;
      yield* inSlices(rows, sliceRows, (from, to) => hashed.assignRows(split.listAt, from, to, numbersAt));
      this.groups = hashed.count;
      this.partBits = bits;
      if (this.groups < rows) yield* this.listRows(numbersAt, split.rowsOf.byteOffset, sliceRows);
      else {
        this.rowOfGroup = this.takeWords(rows);
        this.rowOfGroup.set(split.rowsOf);
      }
    } finally {
      hashed.inParts = false;
      split.release();
    }
  }

  /** Lists the rows of each group: of groups row by row, or of those of the rows that are listed at `ofRowsAt`. */
  private *listRows(groupsAt: number, ofRowsAt: number, sliceRows: number): Work {
    const { rows } = this.store;
    const { kernels } = threadMemory();
    this.rowsOf = this.takeWords(rows);
    this.starts = this.takeWords(this.groups + 1);
    const [startsAt, rowsAt] = [this.starts.byteOffset, this.rowsOf.byteOffset];
    kernels.zero(startsAt, BYTES_PER_WORD * (this.groups + 1));
    yield* inSlices(rows, sliceRows, (from, to) => kernels.countNumbers(groupsAt, from, to, startsAt));
    kernels.sumCounts(startsAt, this.groups);
    // The entry of a group moves on to the start of the next one while its rows are placed.
    yield* inSlices(rows, sliceRows, (from, to) => kernels.placeRows(groupsAt, ofRowsAt, from, to, startsAt, rowsAt));
    this.starts.copyWithin(1, 0, this.groups);
    this.starts[0] = 0;
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
    if (this.keys.length > 1) return;
    const [least = 0, leastHigh = 0, greatest = 0, greatestHigh = 0] = this.range;
    const span = (greatestHigh - leastHigh) * TWO_TO_32 + greatest - least + 1;
    if (span > Math.max(DIRECT_SPAN_MIN, DIRECT_SPAN_PER_ROW * rows)) return;
    this.direct = this.takeWords(span);
    threadMemory().kernels.zero(this.direct.byteOffset, BYTES_PER_WORD * span);
  }

  /** The group of each of the first `rows` rows of the columns that hold the keys; NO_GROUP where there is none. */
  probe(columns: readonly IdColumn[], keys: readonly number[], rows: number, into: Int32Array): void {
    const { foreseen } = this;
    if (foreseen !== null) {
      invariant(foreseen.length === rows, 'the groups that are known are those of the rows that are asked for');
      into.set(foreseen);
      this.foreseen = null;
      return;
    }
    if (this.keys.length === 0 || this.groups === 0) {
      // Without keys all rows go together.
      into.fill(this.store.rows > 0 && keys.length === 0 ? 0 : NO_GROUP, 0, rows);
      return;
    }
    const list = listColumns(columns, rows, keys);
    const { direct } = this;
    if (direct.length === 0) {
      this.hashed.findRows(list, 0, rows, into.byteOffset);
      if (this.rowOfGroup.length > 0) this.nameGroups(into.byteOffset, 0, 0, rows, into.byteOffset);
      return;
    }
    const { kernels } = threadMemory();
    const column = threadMemory().wordsAt(list, 1)[0] as number;
    kernels.findDirect(column, rows, this.range.byteOffset, direct.byteOffset, direct.length, into.byteOffset);
  }

  /**
   * Finds the groups of many rows, part by part: they are written by row. Of a table that was made part by part, the keys
   * split by the same bits.
   */
  *find(split: SplitKeys, rows: number, sliceRows: number, into: Int32Array): Work {
    const numbersAt = split.numbers.byteOffset;
    yield* inSlices(rows, sliceRows, (from, to) => {
      this.hashed.inParts = true;
      this.hashed.findRows(split.listAt, from, to, numbersAt);
      this.hashed.inParts = false;
    });
    yield* inSlices(rows, sliceRows, (from, to) => {
      this.nameGroups(numbersAt, split.rowsOf.byteOffset, from, to, into.byteOffset);
    });
  }

  /** Says what the next `probe` finds. */
  foresee(groups: Int32Array): void {
    this.foreseen = groups;
  }

  /** Writes groups to the rows that they are of (0: as they come) by the names by which others know them. */
  private nameGroups(numbersAt: number, rowsAt: number, from: number, to: number, intoAt: number): void {
    const { rowOfGroup } = this;
    const namesAt = rowOfGroup.length === 0 ? 0 : rowOfGroup.byteOffset;
    threadMemory().kernels.placeNumbers(numbersAt, rowsAt, from, to, namesAt, intoAt);
  }

  release(): void {
    this.groups = 0;
    this.partBits = 0;
    this.foreseen = null;
    this.rowOfGroup = this.giveWords(this.rowOfGroup);
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
