/**
 * Whether a pack that was read from its file holds what the graph holds in the store, part by part and without a hash:
 *
 * - rows, in one sequence by subject, predicate and object: all of their ids and times are equal;
 * - the stored bytes of every term that they name;
 * - every transaction that they name, with all that is said of it.
 *
 * What is equal in all of that has equal lines, and so the content hash of the live rows. The rows are read from the file in
 * the order SPOG; that its other orders hold the same ones is the matter of `check-runs.ts`.
 *
 * Memory: 24 bytes for a distinct term, and some MiB of their bytes.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { isDictionaryTag, TAG, type TxId } from '../ids/layout.js';
import type { PackContent } from '../seam/pack.js';
import type { Column, IdColumn, StoredTerms } from '../seam/scan.js';
import { transactionLine } from './content-hash.js';
import { type ContentBatch, type ContentSource, isOpenAt } from './content-source.js';
import { IdTable } from './id-table.js';

/** Rows, or terms, between two looks at the clock. */
const STEP_ROWS = 65_536;
const STEP_TERMS = 16_384;
/** Stored bytes of one side that are held while the other is read, and at most those of a block more. */
const HELD_BYTES = 1 << 20;
const TWO_32 = 2 ** 32;
const WHAT = 'comparing the pack with the graph';

const NAMED = ['s', 'p', 'o'] as const;
const TIMES = ['txFrom', 'txTo', 'validFrom', 'validTo'] as const;
const COMPARED = [...NAMED, ...TIMES];

/** Throws `store_corrupt` unless `packed` holds what `live` holds, and `found` tells of both. */
export async function assertSameContent(
  path: string,
  {
    packed,
    live,
    found,
  }: { readonly packed: ContentSource; readonly live: ContentSource; readonly found: PackContent },
  control: Control,
): Promise<void> {
  await new Comparison(path, packed, live, control).run(found);
}

class Comparison {
  readonly #path: string;
  readonly #packed: ContentSource;
  readonly #live: ContentSource;
  readonly #control: Control;
  readonly #started = performance.now();
  readonly #ids = new IdTable();
  readonly #transactions = new Set<TxId>();
  #rows = 0;
  #open = 0;

  constructor(path: string, packed: ContentSource, live: ContentSource, control: Control) {
    this.#path = path;
    this.#packed = packed;
    this.#live = live;
    this.#control = control;
  }

  async run(found: PackContent): Promise<void> {
    await this.#compareRows();
    this.#compareTransactions();
    await this.#compareTerms();
    const transactions = [...this.#transactions].sort((a, b) => a - b);
    const [closed, open] = [this.#rows - this.#open, this.#open];
    const counts = { facts: open + 2 * closed, open, transactions: transactions.length, terms: this.#ids.count };
    const [minTx, maxTx] = [transactions[0] ?? null, transactions.at(-1) ?? null];
    for (const name of ['facts', 'open', 'transactions', 'terms'] as const) {
      if (counts[name] !== found.counts[name]) throw this.#other(`${counts[name]} ${name}, not ${found.counts[name]}`);
    }
    if (minTx !== found.minTx || maxTx !== found.maxTx) throw this.#other(`rows of transactions ${minTx} to ${maxTx}`);
  }

  #other(what: string): SvcError {
    return new SvcError('store_corrupt', `${this.#path} does not hold what the store holds: ${what}`, {
      hint: 'look the disk and the store over (svc verify), and try again',
    });
  }

  async #turn(phase: string, done: number): Promise<void> {
    this.#control.onProgress?.({ phase, done, elapsedMs: performance.now() - this.#started });
    await breathe();
    throwIfStopped(this.#control, WHAT);
  }

  async #compareRows(): Promise<void> {
    const [packed, live] = [new Rows(this.#packed), new Rows(this.#live)];
    try {
      let turned = 0;
      while (packed.isThere() && live.isThere()) {
        const before = packed.taken;
        if (!this.#compareBatches(packed, live)) this.#compareVersions(packed, live);
        turned += packed.taken - before;
        if (turned < STEP_ROWS) continue;
        turned = 0;
        await this.#turn('compare rows', packed.taken);
      }
      if (packed.isThere() || live.isThere()) throw this.#other(`the one ends after row ${packed.taken}`);
      this.#rows = packed.taken;
    } finally {
      packed.close();
      live.close();
    }
  }

  /** Goes over rows that are at hand on both sides; false at the first that differ. */
  #compareBatches(packed: Rows, live: Rows): boolean {
    const count = Math.min(packed.left, live.left);
    let same = count;
    for (const name of COMPARED) {
      same = firstDifference(packed, live, packed.batch.columns[name], live.batch.columns[name], same);
    }
    this.#note(packed, same);
    packed.pass(same);
    live.pass(same);
    return same === count;
  }

  /** Rows of one triple come in one sequence but for those that differ in their times alone. */
  #compareVersions(packed: Rows, live: Rows): void {
    const triple = packed.triple();
    const of = `row ${packed.taken} is another one`;
    const [ours, theirs]: [string[], string[]] = [[], []];
    for (; packed.isThere() && packed.triple() === triple; packed.pass(1)) {
      ours.push(packed.times());
      this.#note(packed, 1);
    }
    for (; live.isThere() && live.triple() === triple; live.pass(1)) theirs.push(live.times());
    if (ours.sort().join(' ') !== theirs.sort().join(' ')) throw this.#other(of);
  }

  /** Notes what the next rows name. */
  #note(rows: Rows, count: number): void {
    const { s, p, o, txFrom, txTo } = rows.batch.columns;
    const ids = this.#ids;
    let [lastFrom, lastTo] = [-1, -1];
    for (let i = 0; i < count; i++) {
      const at = rows.at(i);
      const before = i === 0 ? -1 : rows.at(i - 1);
      if (before < 0 || s[at] !== s[before] || s[at + 1] !== s[before + 1]) {
        ids.place(s[at] as number, s[at + 1] as number);
      }
      if (before < 0 || p[at] !== p[before] || p[at + 1] !== p[before + 1]) {
        ids.place(p[at] as number, p[at + 1] as number);
      }
      ids.place(o[at] as number, o[at + 1] as number);
      const from = (txFrom[at] as number) + (txFrom[at + 1] as number) * TWO_32;
      if (from !== lastFrom) this.#transactions.add(from);
      lastFrom = from;
      if (isOpenAt(txTo, at)) {
        this.#open++;
        continue;
      }
      const to = (txTo[at] as number) + (txTo[at + 1] as number) * TWO_32;
      if (to !== lastTo) this.#transactions.add(to);
      lastTo = to;
    }
  }

  #compareTransactions(): void {
    for (const tx of this.#transactions) {
      if (transactionLine(this.#packed.transaction(tx)) === transactionLine(this.#live.transaction(tx))) continue;
      throw this.#other(`transaction ${tx} is another one`);
    }
  }

  async #compareTerms(): Promise<void> {
    const ids = this.#ids;
    const numbers = new Float64Array(ids.count);
    let count = 0;
    for (let place = 0; place < ids.count; place++) {
      const high = ids.high(place);
      if (isDictionaryTag(high >>> 24)) numbers[count++] = ids.low(place) + (high & 0xffff) * TWO_32;
    }
    const sorted = numbers.subarray(0, count).sort();
    for (let from = 0; from < count; from += STEP_TERMS) {
      this.#compareSome(sorted.subarray(from, from + STEP_TERMS));
      await this.#turn('compare terms', from);
    }
  }

  #compareSome(numbers: Float64Array): void {
    let compared = 0;
    const held = new HeldTerms();
    const compareHeld = (): void => {
      if (held.count === 0) return;
      compared += held.count;
      this.#compareHeld(held);
      held.clear();
    };
    this.#live.stored(idsOf(numbers), numbers.length, (terms) => {
      held.add(terms, numbers);
      if (held.bytes >= HELD_BYTES) compareHeld();
    });
    compareHeld();
    if (compared !== numbers.length) throw this.#other('terms are missing');
  }

  #compareHeld(held: HeldTerms): void {
    const numbers = held.numbers.subarray(0, held.count);
    let met = 0;
    this.#packed.stored(idsOf(numbers), held.count, ({ count, bytes, places, starts, ends }) => {
      met += count;
      for (let i = 0; i < count; i++) {
        const place = places[i] as number;
        if (held.isSame(place, bytes, starts[i] as number, ends[i] as number)) continue;
        throw this.#other(`term ${numbers[place]} is another one`);
      }
    });
    if (met !== held.count) throw this.#other('terms are missing');
  }
}

/** Stored bytes of terms of one side, until those of the other are read. */
class HeldTerms {
  readonly numbers = new Float64Array(STEP_TERMS);
  readonly #starts = new Uint32Array(STEP_TERMS);
  readonly #ends = new Uint32Array(STEP_TERMS);
  #bytes = Buffer.alloc(2 * HELD_BYTES);
  count = 0;
  bytes = 0;

  /** Their places are among `numbers`. */
  add({ count, bytes, places, starts, ends }: StoredTerms, numbers: Float64Array): void {
    const [from, to] = [starts[0] as number, ends[count - 1] as number];
    if (this.bytes + to - from > this.#bytes.length) {
      const larger = Buffer.alloc(2 * (this.bytes + to - from));
      this.#bytes.copy(larger, 0, 0, this.bytes);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.bytes, from, to);
    for (let i = 0; i < count; i++) {
      this.numbers[this.count] = numbers[places[i] as number] as number;
      this.#starts[this.count] = this.bytes + (starts[i] as number) - from;
      this.#ends[this.count++] = this.bytes + (ends[i] as number) - from;
    }
    this.bytes += to - from;
  }

  isSame(place: number, bytes: Buffer, from: number, to: number): boolean {
    const [start, end] = [this.#starts[place] as number, this.#ends[place] as number];
    return end - start === to - from && this.#bytes.compare(bytes, from, to, start, end) === 0;
  }

  clear(): void {
    this.count = 0;
    this.bytes = 0;
  }
}

/** The rows of a source by subject, predicate and object, from where they were passed on. */
class Rows {
  readonly #batches: Iterator<ContentBatch>;
  #batch: ContentBatch | null = null;
  #from = 0;
  taken = 0;

  constructor(source: ContentSource) {
    this.#batches = source.batches('SPOG')[Symbol.iterator]();
    this.#fetch();
  }

  #fetch(): void {
    this.#from = 0;
    do {
      const { done, value } = this.#batches.next();
      this.#batch = done === true ? null : value;
    } while (this.#batch !== null && this.left === 0);
  }

  isThere(): boolean {
    return this.#batch !== null;
  }

  get batch(): ContentBatch {
    return this.#batch as ContentBatch;
  }

  /** Rows that are left of the batch. */
  get left(): number {
    const { rows, selection } = this.batch;
    return (selection?.length ?? rows) - this.#from;
  }

  /** Rows follow each other in the columns. */
  get isWhole(): boolean {
    return this.batch.selection === null;
  }

  /** Where a row stands in the columns, in halves; 0 = the next one. */
  at(row: number): number {
    const { selection } = this.batch;
    return 2 * (selection === null ? this.#from + row : (selection[this.#from + row] as number));
  }

  pass(rows: number): void {
    this.#from += rows;
    this.taken += rows;
    if (this.left === 0) this.#fetch();
  }

  triple(): string {
    return this.#text(NAMED);
  }

  times(): string {
    return this.#text(TIMES);
  }

  #text(names: readonly Column[]): string {
    const { columns } = this.batch;
    const at = this.at(0);
    return names.map((name) => `${columns[name][at + 1]}:${columns[name][at]}`).join(',');
  }

  close(): void {
    this.#batches.return?.();
  }
}

/** The first of the next `count` rows that has another value in a column, or `count`. */
function firstDifference(ours: Rows, theirs: Rows, one: IdColumn, other: IdColumn, count: number): number {
  if (count === 0) return 0;
  if (ours.isWhole && theirs.isWhole) {
    const [a, b] = [ours.at(0), theirs.at(0)];
    for (let i = 0; i < 2 * count; i++) if (one[a + i] !== other[b + i]) return i >>> 1;
    return count;
  }
  for (let i = 0; i < count; i++) {
    const [a, b] = [ours.at(i), theirs.at(i)];
    if (one[a] !== other[b] || one[a + 1] !== other[b + 1]) return i;
  }
  return count;
}

/** Ids of term numbers. The tag does not matter, since stored bytes say what they are. */
function idsOf(numbers: Float64Array): Uint32Array {
  const ids = new Uint32Array(2 * numbers.length);
  for (const [i, number] of numbers.entries()) {
    ids[2 * i] = number % TWO_32;
    ids[2 * i + 1] = ((TAG.iri << 24) | Math.floor(number / TWO_32)) >>> 0;
  }
  return ids;
}
