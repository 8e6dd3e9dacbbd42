/**
 * The distinct ids of one column of an answer, each with the place of its bytes among the kept terms; until these
 * are cleared an id is written once.
 */

import { threadMemory } from '../../kernels/thread-memory.js';
import type { Term } from '../../rdf/terms.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { AnswerColumn, KeptTerms } from './kept-terms.js';
import type { PatternTable } from './pattern-table.js';
import type { TermFormat } from './term-format.js';

/** Words of the record of a column, as the kernels know it. */
const RECORD = {
  slots: 0,
  mask: 1,
  keys: 2,
  count: 3,
  offsets: 4,
  lengths: 5,
  entries: 6,
  prefix: 7,
  prefixLength: 8,
  patterns: 9,
  plain: 10,
} as const;
const RECORD_BYTES = 48;
const FIRST_ENTRIES = 16;
/** Of one entry: its key, where it begins, its length, two slots. */
const ENTRY_BYTES = 24;
const UNBOUND = 0;

export class Fragments implements AnswerColumn {
  /** What kernels know of the column. */
  readonly record: number;
  private readonly recordBytes: number;
  /** Keys, offsets, lengths and slots of so many entries. */
  private tables = 0;
  private capacity = 0;

  constructor(
    private readonly format: TermFormat,
    private readonly patterns: PatternTable,
    private readonly kept: KeptTerms,
    /** Written for unbound variables. */
    private readonly unbound: string,
    /** Before every term. */
    private readonly prefix: Uint8Array,
  ) {
    const memory = threadMemory();
    this.recordBytes = RECORD_BYTES + prefix.length;
    this.record = memory.allocate(this.recordBytes);
    memory.bytes.set(prefix, this.record + RECORD_BYTES);
    const { words } = memory;
    const at = this.record >>> 2;
    words[at + RECORD.count] = 1;
    words[at + RECORD.prefix] = this.record + RECORD_BYTES;
    words[at + RECORD.prefixLength] = prefix.length;
    words[at + RECORD.patterns] = patterns.address;
    words[at + RECORD.plain] = patterns.plain;
    this.reserve(FIRST_ENTRIES);
    this.writeUnbound();
  }

  /** Entries in use. */
  get count(): number {
    return this.word(RECORD.count);
  }

  /** Bytes around a term at most. */
  get fixedMax(): number {
    return this.prefix.length + this.patterns.fixedMax;
  }

  /** Forgets everything; what was kept has been cleared. */
  clear(): void {
    const { words } = threadMemory();
    const slots = this.word(RECORD.slots) >>> 2;
    words.fill(0, slots, slots + 2 * this.capacity);
    words[(this.record >>> 2) + RECORD.count] = 1;
    this.writeUnbound();
  }

  /** Puts the entries of so many ids at `entries`; new ones get into the lists of the kept terms. */
  resolve(ids: IdColumn, rows: number, entries: number): void {
    this.reserve(this.count + rows);
    const column = this.kept.placeIds(ids);
    const { words, kernels } = threadMemory();
    words[(this.record >>> 2) + RECORD.entries] = entries;
    kernels.findEntries(this.record, this.kept.record, column, rows);
  }

  keyOf(entry: number): [low: number, high: number] {
    const { words } = threadMemory();
    const key = (this.word(RECORD.keys) >>> 2) + 2 * entry;
    return [words[key] as number, words[key + 1] as number];
  }

  lengthOf(entry: number): number {
    return threadMemory().words[(this.word(RECORD.lengths) >>> 2) + entry] as number;
  }

  /** Finds how inlined literals like this one are written; returns what is around a term at most. */
  learnPattern(entry: number): number {
    const [low, high] = this.keyOf(entry);
    this.patterns.learn(low, high);
    return this.fixedMax;
  }

  /** Writes a term by the rule of the format. */
  writeTerm(entry: number, term: Term): void {
    this.place(entry, this.kept.append(this.prefix, this.format.text(term)));
  }

  release(): void {
    const memory = threadMemory();
    memory.free(this.record, this.recordBytes);
    memory.free(this.tables, ENTRY_BYTES * this.capacity);
  }

  private word(at: number): number {
    return threadMemory().words[(this.record >>> 2) + at] as number;
  }

  /** Room for so many entries; slots are at most half full. */
  private reserve(entries: number): void {
    if (entries <= this.capacity) return;
    let capacity = Math.max(FIRST_ENTRIES, this.capacity);
    while (capacity < entries) capacity *= 2;
    const memory = threadMemory();
    const tables = memory.allocate(ENTRY_BYTES * capacity);
    const { words } = memory;
    const now = tables >>> 2;
    words.fill(0, now + 4 * capacity, now + 6 * capacity);
    if (this.capacity > 0) this.move(now, capacity);
    const record = this.record >>> 2;
    words[record + RECORD.keys] = tables;
    words[record + RECORD.offsets] = tables + 8 * capacity;
    words[record + RECORD.lengths] = tables + 12 * capacity;
    words[record + RECORD.slots] = tables + 16 * capacity;
    words[record + RECORD.mask] = 2 * capacity - 1;
    this.tables = tables;
    this.capacity = capacity;
    if (this.count > 1) memory.kernels.placeEntries(this.record);
  }

  /** Moves keys, offsets and lengths to larger tables. */
  private move(now: number, capacity: number): void {
    const memory = threadMemory();
    const { words } = memory;
    const old = this.tables >>> 2;
    const { count } = this;
    words.copyWithin(now, old, old + 2 * count);
    words.copyWithin(now + 2 * capacity, old + 2 * this.capacity, old + 2 * this.capacity + count);
    words.copyWithin(now + 3 * capacity, old + 3 * this.capacity, old + 3 * this.capacity + count);
    memory.free(this.tables, ENTRY_BYTES * this.capacity);
  }

  private writeUnbound(): void {
    this.place(UNBOUND, this.unbound === '' ? this.kept.end : this.kept.append(NOTHING, this.unbound));
  }

  /** The bytes of an entry are those behind `start`. */
  private place(entry: number, start: number): void {
    const { words } = threadMemory();
    words[(this.word(RECORD.offsets) >>> 2) + entry] = start;
    words[(this.word(RECORD.lengths) >>> 2) + entry] = this.kept.end - start;
  }
}

const NOTHING = new Uint8Array(0);
