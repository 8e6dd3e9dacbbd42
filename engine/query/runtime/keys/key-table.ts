/**
 * Numbers the distinct keys of rows: 0 for the first key, 1 for the next one that is different, and so
 * on, a batch of rows at a time. The keys lie in columns by number, in kernel memory, and the work is that
 * of `kernels/as/id-table.ts`. What differs between tables is how a key that came before is found:
 * `hash-keys.ts` by hash, `RunKeys` by the row before.
 */

import { invariant } from '../../../base/errors.js';
import type { ThreadMemory } from '../../../kernels/memory.js';
import { isThreadView, keptInMemory, threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import { listColumns } from '../column-list.js';
import { KernelColumns } from '../kernel-columns.js';
import type { MemoryCounter } from '../memory.js';

const FIRST_KEYS = 16;
const BYTES_PER_ID = 8;
/** Small tables grow in few steps. */
const QUADRUPLED_KEYS_MAX = 1 << 12;
/** Larger tables grow by half, so that a budget is not left half empty. */
const DOUBLED_KEYS_MAX = 1 << 18;
/** Words of a table in front of the addresses of its columns; see the kernel. */
const HEAD_WORDS = 6;
const UNBOUNDED = 0xffffffff;

/** Numbers of the rows of a batch, where whoever asks for them has them elsewhere. */
const scratch = keptInMemory(kernelNumbers);

/** Room for the numbers of a batch in kernel memory, so that kernels find them there. */
export function kernelNumbers(memory: ThreadMemory): Int32Array {
  const words = threadWords(memory.allocate(4 * BATCH_ROWS), BATCH_ROWS);
  return new Int32Array(words.buffer, words.byteOffset, BATCH_ROWS);
}

export abstract class KeyTable {
  /** How many keys there are. */
  count = 0;
  /** The table as kernels have it; null while it has no key. */
  protected head: Uint32Array | null = null;
  private readonly held: KernelColumns;

  constructor(
    readonly width: number,
    protected readonly memory: MemoryCounter,
    /** Otherwise the keys lie nowhere but where they are looked up. */
    private readonly keepsKeys = true,
  ) {
    this.held = new KernelColumns(keepsKeys ? width : 0);
  }

  /** The keys, by number. */
  get columns(): readonly IdColumn[] {
    return this.held.columns;
  }

  /** Puts the number of the key of each of the first `rows` rows into `into`; a new key gets the next number. */
  assign(columns: readonly IdColumn[], rows: number, into: Int32Array): void {
    const numbers = this.numbersFor(into);
    this.assignRows(listColumns(columns, rows), 0, rows, numbers.byteOffset);
    if (numbers !== into) copyNumbers(numbers, rows, into);
  }

  /** The same, but the table stays as it is: -1 for a key that it does not have. */
  find(columns: readonly IdColumn[], rows: number, into: Int32Array): void {
    if (this.count === 0) {
      into.fill(-1, 0, rows);
      return;
    }
    const numbers = this.numbersFor(into);
    this.findRows(listColumns(columns, rows), 0, rows, numbers.byteOffset);
    if (numbers !== into) copyNumbers(numbers, rows, into);
  }

  /** Rows `[from, to)` of listed columns; numbers are written at the same places. */
  assignRows(columnsAt: number, from: number, to: number, numbersAt: number): void {
    const head = this.head ?? this.open();
    let row = this.tryAssign(head, columnsAt, from, to, numbersAt);
    while (row < to) {
      this.grow(head[5] as number);
      row = this.tryAssign(head, columnsAt, row, to, numbersAt);
    }
    this.count = head[1] as number;
    invariant(
      row === to && (!this.keepsKeys || this.count <= this.held.capacity),
      'each key that has a number is kept',
    );
  }

  /** Finds rows `[from, to)` of listed columns; numbers are written at the same places, -1 for a key that is not there. */
  abstract findRows(columnsAt: number, from: number, to: number, numbersAt: number): void;

  /** Gives the row before which the table has to grow, or `to`. */
  protected abstract tryAssign(
    head: Uint32Array,
    columnsAt: number,
    row: number,
    to: number,
    numbersAt: number,
  ): number;

  /** What holding so many keys would take of the budget beyond what is held. */
  bytesToHold(keys: number): number {
    return (this.capacityFor(keys) - this.held.capacity) * this.held.width * BYTES_PER_ID;
  }

  /** Gives up the keys and their memory; the table is empty then, and may be used again. */
  release(): void {
    this.memory.give(this.held.capacity * this.held.width * BYTES_PER_ID);
    this.held.release();
    if (this.head !== null) threadMemory().free(this.head.byteOffset, 4 * this.head.length);
    this.head = null;
    this.count = 0;
  }

  private numbersFor(into: Int32Array): Int32Array {
    if (isThreadView(into)) return into;
    return scratch();
  }

  protected open(): Uint32Array {
    const words = HEAD_WORDS + Math.max(1, this.width);
    const head = threadWords(threadMemory().allocate(4 * words), words);
    head.fill(0);
    head[0] = this.width;
    if (!this.keepsKeys) head[2] = UNBOUNDED;
    this.head = head;
    if (this.keepsKeys) this.growKeys();
    return head;
  }

  /** Makes room for a further key: in the columns, or in what `full` names. */
  protected grow(_full: number): void {
    this.growKeys();
  }

  /** Counts before allocating, so that a query over its budget ends without the memory. */
  protected growKeys(): void {
    const head = this.head as Uint32Array;
    const count = head[1] as number;
    const capacity = this.capacityFor(count + 1);
    this.memory.take((capacity - this.held.capacity) * this.held.width * BYTES_PER_ID);
    this.held.resize(capacity, count);
    head[2] = capacity;
    for (let key = 0; key < this.held.width; key++) {
      head[HEAD_WORDS + key] = (this.held.columns[key] as IdColumn).byteOffset;
    }
  }

  private capacityFor(keys: number): number {
    let { capacity } = this.held;
    if (keys <= capacity) return capacity;
    capacity = Math.max(capacity, FIRST_KEYS);
    while (capacity < keys) {
      if (capacity < QUADRUPLED_KEYS_MAX) capacity *= 4;
      else capacity = capacity < DOUBLED_KEYS_MAX ? 2 * capacity : Math.ceil(1.5 * capacity);
    }
    return capacity;
  }
}

function copyNumbers(numbers: Int32Array, rows: number, into: Int32Array): void {
  if (rows > 8) into.set(rows === numbers.length ? numbers : numbers.subarray(0, rows));
  else for (let row = 0; row < rows; row++) into[row] = numbers[row] as number;
}

/**
 * Keys of rows that come sorted, or at least with equal keys side by side: a row whose key is not that of
 * the row before begins a new one. Nothing is looked up.
 */
export class RunKeys extends KeyTable {
  protected tryAssign(head: Uint32Array, columnsAt: number, row: number, to: number, numbersAt: number): number {
    return threadMemory().kernels.assignRuns(head.byteOffset, columnsAt, row, to, numbersAt);
  }

  /** Only the last key may come again. */
  findRows(columnsAt: number, from: number, rows: number, numbersAt: number): void {
    invariant(from === 0, 'rows that come sorted are looked up from the first on');
    threadMemory().kernels.findRun((this.head as Uint32Array).byteOffset, columnsAt, rows, numbersAt);
  }
}
