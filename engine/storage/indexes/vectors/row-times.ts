/**
 * Transactions and beginnings of validity of rows, for questions about the past. Vectors are mostly made of texts that one load
 * brought, so rows of a word of bits that all have the same are kept as one.
 */

import type { ThreadMemory } from '../../../kernels/memory.js';

const WORD_ROWS = 64;
const COLUMN_BYTES = 8 * WORD_ROWS;
/** Of words that memory is asked for at once: what it rounds sizes up to is then hardly more. */
const SLAB_WORDS = 47;

export type TimeColumn = 'tx' | 'validFrom';

export class RowTimes {
  /** By word, of its first row. */
  readonly #first: Readonly<Record<TimeColumn, number[]>> = { tx: [], validFrom: [] };
  /** By word, the address of the numbers of its rows, transactions before the others; 0 = all have those of the first. */
  readonly #own: number[] = [];
  /** Of the last rows, which do not fill a word yet. */
  readonly #open: Readonly<Record<TimeColumn, Float64Array>> = {
    tx: new Float64Array(WORD_ROWS),
    validFrom: new Float64Array(WORD_ROWS),
  };
  #count = 0;
  #slab = 0;
  /** Words that the slab has room for. */
  #room = 0;

  constructor(private readonly memory: ThreadMemory) {}

  /** Rows that were added. */
  get count(): number {
    return this.#count;
  }

  add(row: Readonly<Record<TimeColumn, number>>): void {
    const at = this.#count % WORD_ROWS;
    this.#open.tx[at] = row.tx;
    this.#open.validFrom[at] = row.validFrom;
    this.#count++;
    if (at === WORD_ROWS - 1) this.#close();
  }

  #close(): void {
    const { tx, validFrom } = this.#open;
    const [firstTx, firstFrom] = [tx[0] as number, validFrom[0] as number];
    this.#first.tx.push(firstTx);
    this.#first.validFrom.push(firstFrom);
    if (tx.every((one) => one === firstTx) && validFrom.every((one) => one === firstFrom)) {
      this.#own.push(0);
      return;
    }
    if (this.#room === 0) {
      this.#slab = this.memory.allocate(SLAB_WORDS * 2 * COLUMN_BYTES);
      this.#room = SLAB_WORDS;
    }
    const address = this.#slab + (SLAB_WORDS - this.#room) * 2 * COLUMN_BYTES;
    this.#room--;
    this.memory.doublesAt(address, WORD_ROWS).set(tx);
    this.memory.doublesAt(address + COLUMN_BYTES, WORD_ROWS).set(validFrom);
    this.#own.push(address);
  }

  /** Takes the bits of those rows away, in so many words of 64, that have more than `most`. All rows of the words were added. */
  keepAtMost(column: TimeColumn, words: number, most: number, bits: number): void {
    const { memory } = this;
    const first = this.#first[column];
    const offset = column === 'tx' ? 0 : COLUMN_BYTES;
    const closed = Math.min(words, this.#own.length);
    for (let word = 0; word < closed; word++) {
      const own = this.#own[word] as number;
      const at = bits + 8 * word;
      if (own !== 0) memory.kernels.keepAtMost(own + offset, 1, most, at);
      else if ((first[word] as number) > most) memory.bytes.fill(0, at, at + 8);
    }
    if (closed === words) return;
    const { bytes } = memory;
    for (let row = 0; row < this.#count % WORD_ROWS; row++) {
      if ((this.#open[column][row] as number) <= most) continue;
      const byte = bits + 8 * closed + (row >>> 3);
      bytes[byte] = (bytes[byte] as number) & ~(1 << (row & 7));
    }
  }
}
