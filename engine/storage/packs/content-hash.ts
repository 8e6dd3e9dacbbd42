/**
 * The content hash of a graph (semantics text 4.2): SHA-256 over its lines, sorted by code point, which is the order of
 * their bytes. Lines are neither sorted as texts nor kept:
 *
 * 1. The rows are read once: distinct terms get places, and lines are counted by subject.
 * 2. The text of each distinct term is made once (`canonical-text.ts`), and all are ranked by their bytes.
 * 3. Lines are sorted by the ranks of their terms and by the text of their transaction, as numbers. Where there are more
 *    than `LINES_MAX`, the rows are read again for so many subjects at a time, in the order of their ranks, as have so many.
 * 4. They are put together from the texts in a buffer, and hashed.
 *
 * Memory: 24 bytes and its text for a distinct term, of which `TEXT_BYTES_MAX` may come together; 60 bytes for each of
 * `LINES_MAX` lines, however many rows there are.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { formatInstant } from '../../base/instant.js';
import { ThreadMemory } from '../../kernels/memory.js';
import { sortByCodePoint } from '../../rdf/canonical/lines.js';
import { allocatePairs, freePairArrays, type PairArrays, sortPairArrays } from '../dictionary/hash-run.js';
import { idOfHalves } from '../ids/halves.js';
import { inlineTerm } from '../ids/inline.js';
import { isDictionaryTag, type TxId } from '../ids/layout.js';
import type { PackContent, PackTransaction } from '../seam/pack.js';
import { textOf } from './canonical-text.js';
import { type ContentBatch, type ContentSource, isOpenAt } from './content-source.js';
import { IdTable } from './id-table.js';
import { LineHash } from './line-hash.js';
import { type LineOrder, LineSorter, NONE, rankTransactions } from './line-sorter.js';
import { TEXT_BYTES_MAX, TermTexts } from './term-texts.js';

/** Lines that are sorted at once. */
const LINES_MAX = 4 * 1024 * 1024;
/** Terms that are read, or batches of rows, between two looks at the clock. */
const STEP_TERMS = 32_768;
const STEP_BATCHES = 32;
const STEP_HASHES = 4;
const STEP_TRANSACTIONS = 1024;
const TWO_32 = 2 ** 32;
const WHAT = 'hashing the graph';

/** Bounds that tests make small; results never depend on them. */
export interface HashBounds {
  readonly linesMax?: number | undefined;
  readonly textBytesMax?: number | undefined;
}

/** A line of the hash besides those of rows and transactions: its letter, what it names, and the hash of that. */
export type DocumentLine = readonly ['q' | 's' | 'v', ...string[]];

export async function hashContent(
  source: ContentSource,
  documents: readonly DocumentLine[],
  control: Control,
  bounds: HashBounds = {},
): Promise<PackContent> {
  const hashing = new ContentHash(source, control, bounds);
  try {
    return await hashing.run(documents);
  } finally {
    await hashing.close();
  }
}

class ContentHash {
  readonly #source: ContentSource;
  readonly #control: Control;
  readonly #started = performance.now();
  readonly #linesMax: number;
  readonly #ids = new IdTable();
  readonly #memory = new ThreadMemory();
  readonly #texts: TermTexts;
  readonly #transactions = new Set<TxId>();
  readonly #hash = new LineHash(this.#memory);
  readonly #lines = new LineSorter(this.#memory, this.#hash);
  /** All lines were taken while the rows were counted, and no more than are sorted at once. */
  #holdsLines = true;
  /** Lines of each subject, by place. */
  #linesOf = new Uint32Array(1024);
  #facts = 0;
  #open = 0;

  constructor(source: ContentSource, control: Control, { linesMax = LINES_MAX, textBytesMax }: HashBounds) {
    this.#source = source;
    this.#control = control;
    this.#linesMax = linesMax;
    this.#texts = new TermTexts(this.#memory, textBytesMax ?? TEXT_BYTES_MAX);
  }

  async run(documents: readonly DocumentLine[]): Promise<PackContent> {
    await this.#count();
    this.#hash.expect(this.#facts);
    await this.#readTexts();
    const transactions = [...this.#transactions].sort((a, b) => a - b);
    const order: LineOrder = { ranks: this.#texts.ranks(), txRanks: rankTransactions(transactions) };
    if (this.#holdsLines) await this.#hashLines(order);
    else for (const [from, to] of this.#parts(order.ranks)) await this.#hashPart(order, from, to);
    for (const text of rest(documents, transactions, this.#source)) await this.#hash.text(text);
    const counts = {
      facts: this.#facts,
      open: this.#open,
      transactions: transactions.length,
      terms: this.#ids.count,
    };
    const [minTx, maxTx] = [transactions[0] ?? null, transactions.at(-1) ?? null];
    return { contentHash: `sha256:${await this.#hash.digest()}`, counts, minTx, maxTx };
  }

  close(): Promise<void> {
    return this.#hash.close();
  }

  async #turn(phase: string, done: number, total?: number): Promise<void> {
    const elapsedMs = performance.now() - this.#started;
    this.#control.onProgress?.({ phase, done, ...(total === undefined ? {} : { total }), elapsedMs });
    await breathe();
    throwIfStopped(this.#control, WHAT);
  }

  async #eachBatch(phase: string, take: (batch: ContentBatch) => void): Promise<void> {
    let [batches, rows] = [0, 0];
    for (const batch of this.#source.batches()) {
      take(batch);
      rows += batch.selection?.length ?? batch.rows;
      if (++batches % STEP_BATCHES === 0) await this.#turn(phase, rows);
    }
  }

  async #count(): Promise<void> {
    await this.#eachBatch('read rows', (batch) => this.#countBatch(batch));
  }

  #countBatch({ rows, columns, selection }: ContentBatch): void {
    const { s, p, o, txFrom, txTo } = columns;
    const ids = this.#ids;
    const count = selection?.length ?? rows;
    if (this.#holdsLines && this.#facts + 2 * count > this.#linesMax) {
      this.#holdsLines = false;
      this.#lines.clear();
    }
    const lines = this.#holdsLines ? this.#lines : null;
    lines?.reserve(2 * count);
    // A subject that is met for the first time adds one place at the most.
    const places = ids.count + 3 * count;
    if (places > this.#linesOf.length) this.#linesOf = grown(this.#linesOf, places);
    const linesOf = this.#linesOf;
    let [lastFrom, lastTo, before] = [NONE, NONE, NONE];
    let [subject, predicate, open] = [0, 0, 0];
    for (let i = 0; i < count; i++) {
      const at = 2 * (selection === null ? i : (selection[i] as number));
      if (!isSame(s, at, before)) subject = ids.place(s[at] as number, s[at + 1] as number);
      if (!isSame(p, at, before)) predicate = ids.place(p[at] as number, p[at + 1] as number);
      before = at;
      const object = ids.place(o[at] as number, o[at + 1] as number);
      const from = numberAt(txFrom, at);
      if (from !== lastFrom) this.#transactions.add(from);
      lastFrom = from;
      const isOpen = isOpenAt(txTo, at);
      if (isOpen) open++;
      else {
        const to = numberAt(txTo, at);
        if (to !== lastTo) this.#transactions.add(to);
        lastTo = to;
      }
      linesOf[subject] = (linesOf[subject] as number) + (isOpen ? 1 : 2);
      if (lines !== null) addLines(lines, columns, at, subject, predicate, object);
    }
    this.#open += open;
    this.#facts += open + 2 * (count - open);
  }

  /** Makes the texts of all terms: inlined ones from their ids, those of the dictionary in the order of their numbers. */
  async #readTexts(): Promise<void> {
    const { count } = this.#ids;
    this.#texts.begin(count);
    const pairs = allocatePairs(this.#memory, count);
    const keys = this.#memory.wordsAt(pairs.keys, 2 * count);
    const places = this.#memory.wordsAt(pairs.values, count);
    let inDictionary = 0;
    for (let place = 0; place < count; place++) {
      const [low, high] = [this.#ids.low(place), this.#ids.high(place)];
      if (!isDictionaryTag(high >>> 24)) {
        this.#texts.add(place, textOf(inlineTerm(idOfHalves(low, high))));
        continue;
      }
      // The number of the term: its payload.
      keys[2 * inDictionary] = low;
      keys[2 * inDictionary + 1] = high & 0xffff;
      places[inDictionary++] = place;
    }
    sortPairArrays(this.#memory, pairs, inDictionary);
    try {
      for (let from = 0; from < inDictionary; from += STEP_TERMS) {
        this.#readSome(pairs, from, Math.min(inDictionary, from + STEP_TERMS));
        await this.#turn('read terms', from, inDictionary);
      }
    } finally {
      freePairArrays(this.#memory, pairs, count);
    }
  }

  #readSome({ values }: PairArrays, from: number, to: number): void {
    const places = this.#memory.wordsAt(values + 4 * from, to - from).slice();
    const ids = new Uint32Array(2 * places.length);
    for (let i = 0; i < places.length; i++) {
      ids[2 * i] = this.#ids.low(places[i] as number);
      ids[2 * i + 1] = this.#ids.high(places[i] as number);
    }
    this.#source.stored(ids, places.length, (terms) => this.#texts.addStored(terms, places));
  }

  /** Half-open ranges of ranks of subjects that together have no more lines than are sorted at once, or one subject. */
  *#parts(ranks: Uint32Array): Generator<readonly [number, number, number]> {
    const byRank = new Uint32Array(ranks.length);
    const known = Math.min(ranks.length, this.#linesOf.length);
    for (let place = 0; place < known; place++) {
      byRank[ranks[place] as number] = this.#linesOf[place] as number;
    }
    let [from, lines] = [0, 0];
    for (let rank = 0; rank < byRank.length; rank++) {
      const more = byRank[rank] as number;
      if (lines > 0 && lines + more > this.#linesMax) {
        yield [from, rank, lines];
        from = rank;
        lines = 0;
      }
      lines += more;
    }
    if (lines > 0) yield [from, byRank.length, lines];
  }

  async #hashPart(order: LineOrder, from: number, to: number): Promise<void> {
    const { ranks } = order;
    const lines = this.#lines;
    lines.begin();
    const ids = this.#ids;
    await this.#eachBatch('read rows again', ({ rows, columns, selection }) => {
      const { s, p, o } = columns;
      const count = selection?.length ?? rows;
      lines.reserve(2 * count);
      for (let i = 0; i < count; i++) {
        const at = 2 * (selection === null ? i : (selection[i] as number));
        const subject = ids.place(s[at] as number, s[at + 1] as number);
        const rank = ranks[subject] as number;
        if (rank < from || rank >= to) continue;
        const predicate = ids.place(p[at] as number, p[at + 1] as number);
        const object = ids.place(o[at] as number, o[at + 1] as number);
        addLines(lines, columns, at, subject, predicate, object);
      }
    });
    await this.#hashLines(order);
  }

  async #hashLines(order: LineOrder): Promise<void> {
    this.#lines.sort(order);
    let steps = 0;
    for await (const _ of this.#lines.hashAll(this.#texts))
      if (++steps % STEP_HASHES === 0) await this.#turn('hash', steps);
  }
}

/** The lines of a row: its assertion and, where it was closed, its retraction. */
function addLines(
  lines: LineSorter,
  { txFrom, txTo, validFrom, validTo }: ContentBatch['columns'],
  at: number,
  subject: number,
  predicate: number,
  object: number,
): void {
  const [opened, begins] = [numberAt(txFrom, at), numberAt(validFrom, at)];
  if (isOpenAt(txTo, at)) {
    lines.add(subject, predicate, object, opened, begins, NONE, NONE);
    return;
  }
  const closed = numberAt(txTo, at);
  lines.add(subject, predicate, object, opened, begins, numberAt(validTo, at), closed);
  lines.addRetraction(subject, predicate, object, closed, begins);
}

/** The lines behind those of facts: documents, then transactions, by code point; some at a time. */
function* rest(
  documents: readonly DocumentLine[],
  transactions: readonly TxId[],
  source: ContentSource,
): Generator<string> {
  const lines = sortByCodePoint(documents.map((line) => `${JSON.stringify(line)}\n`));
  yield lines.filter((line) => !line.startsWith('["v"')).join('');
  const sorted = [...rankTransactions(transactions).keys()];
  for (let from = 0; from < sorted.length; from += STEP_TRANSACTIONS) {
    const some = sorted.slice(from, from + STEP_TRANSACTIONS);
    yield some.map((tx) => `${transactionLine(source.transaction(tx))}\n`).join('');
  }
  yield lines.filter((line) => line.startsWith('["v"')).join('');
}

/** The line of a transaction, without its line feed. */
export function transactionLine({ id, timestamp, actor, source, authenticated }: PackTransaction): string {
  return JSON.stringify(['t', id, formatInstant(timestamp), actor, source, byKey(authenticated ?? null)]);
}

/** The same value with the members of objects in the order of their keys. */
function byKey(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(byKey);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, byKey(member)]));
}

/** Whether a column has the same value at two places; the second may be -1. */
function isSame(column: Uint32Array, at: number, other: number): boolean {
  return other >= 0 && column[at] === column[other] && column[at + 1] === column[other + 1];
}

function numberAt(column: Uint32Array, at: number): number {
  return (column[at] as number) + (column[at + 1] as number) * TWO_32;
}

function grown(values: Uint32Array, least: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(least, 2 * values.length));
  larger.set(values);
  return larger;
}
