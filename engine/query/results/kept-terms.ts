/**
 * The bytes of the terms of an answer, one behind the other, for all its columns. Terms of the dictionary are copied
 * from its own bytes and inlined literals written from their ids, by kernels (`kernels/as/answer-terms.ts`); what has
 * to be escaped, and what the query computed, becomes a term and a text.
 */

import { threadMemory } from '../../kernels/thread-memory.js';
import type { Term } from '../../rdf/terms.js';
import type { StoredTerms } from '../../storage/seam/scan.js';
import { ByteArea } from '../terms/byte-area.js';
import type { ResultBatch } from './result.js';

/** Words of the record that kernels know. */
const RECORD = { address: 0, end: 1, ruled: 2, stored: 4, inlined: 6, ids: 8 } as const;
const RECORD_BYTES = 36;
/** Of an entry in all three lists, with its id. */
const LISTED_BYTES = 32;
/** No inlined literal is longer. */
const INLINED_BYTES_MAX = 64;
const UTF8_BYTES_MAX = 3;

/** What a column does for its entries. */
export interface AnswerColumn {
  /** What kernels know of it. */
  readonly record: number;
  keyOf(entry: number): [low: number, high: number];
  /** Finds how inlined literals like this one are written; returns what is around a term at most. */
  learnPattern(entry: number): number;
  /** Writes a term by the rule of the format. */
  writeTerm(entry: number, term: Term): void;
}

export class KeptTerms {
  readonly record = threadMemory().allocate(RECORD_BYTES);
  private readonly bytes = new ByteArea();
  private readonly lists = new ByteArea();
  private readonly ids = new ByteArea();
  private readonly text = new ByteArea();
  private readonly places = new ByteArea();

  constructor() {
    threadMemory()
      .wordsAt(this.record, RECORD_BYTES / 4)
      .fill(0);
  }

  /** Bytes in use. */
  get end(): number {
    return this.word(RECORD.end);
  }

  set end(bytes: number) {
    this.setWord(RECORD.end, bytes);
  }

  /** Empty lists with room for so many new entries. */
  startLists(entries: number): void {
    const lists = this.lists.reserve(LISTED_BYTES * entries);
    this.setWord(RECORD.ruled, lists);
    this.setWord(RECORD.ruled + 1, 0);
    this.setWord(RECORD.stored, lists + 8 * entries);
    this.setWord(RECORD.stored + 1, 0);
    this.setWord(RECORD.inlined, lists + 16 * entries);
    this.setWord(RECORD.inlined + 1, 0);
    this.setWord(RECORD.ids, lists + 24 * entries);
  }

  /** Where kernels find a column of ids. */
  placeIds(ids: Uint32Array): number {
    const address = this.ids.reserve(4 * ids.length);
    threadMemory().words.set(ids, address >>> 2);
    return address;
  }

  /** Makes the bytes of the entries in the lists; `fixedMax` is what is around a term at most. */
  fill(batch: ResultBatch, columns: readonly AnswerColumn[], fixedMax: number): void {
    const stored = this.word(RECORD.stored + 1);
    if (stored > 0) {
      const from = this.word(RECORD.ids) >>> 2;
      const ids = threadMemory().words.subarray(from, from + 2 * stored);
      batch.stored(ids, stored, (terms) => this.writeStored(terms, fixedMax));
    }
    if (this.word(RECORD.inlined + 1) > 0) this.writeInlined(columns, fixedMax);
    if (this.word(RECORD.ruled + 1) > 0) this.writeRuled(batch, columns);
  }

  /** Appends a text behind some bytes; returns where both begin. */
  append(prefix: Uint8Array, text: string): number {
    const start = this.end;
    this.reserve(prefix.length + UTF8_BYTES_MAX * text.length);
    const { bytes } = threadMemory();
    const at = this.bytes.address + start;
    bytes.set(prefix, at);
    const room = Buffer.from(bytes.buffer, at + prefix.length, UTF8_BYTES_MAX * text.length);
    this.end = start + prefix.length + room.write(text, 'utf8');
    return start;
  }

  release(): void {
    threadMemory().free(this.record, RECORD_BYTES);
    for (const area of [this.bytes, this.lists, this.ids, this.text, this.places]) area.release();
  }

  private word(at: number): number {
    return threadMemory().words[(this.record >>> 2) + at] as number;
  }

  private setWord(at: number, value: number): void {
    threadMemory().words[(this.record >>> 2) + at] = value;
  }

  /** Room for so many bytes more. */
  private reserve(more: number): void {
    const { end } = this;
    this.setWord(RECORD.address, this.bytes.reserve(end + more, end));
  }

  private writeStored({ count, bytes, places, starts, ends }: StoredTerms, fixedMax: number): void {
    const from = starts[0] as number;
    const to = ends[count - 1] as number;
    const text = this.text.reserve(to - from);
    const numbers = this.places.reserve(12 * count);
    const memory = threadMemory();
    memory.bytes.set(bytes.subarray(from, to), text);
    const { words } = memory;
    const at = numbers >>> 2;
    // A term that several columns have is written for each of them.
    let written = 0;
    for (let index = 0; index < count; index++) {
      const start = (starts[index] as number) - from;
      const end = (ends[index] as number) - from;
      words[at + index] = places[index] as number;
      words[at + count + index] = start;
      words[at + 2 * count + index] = end;
      written += end - start;
    }
    this.reserve(written + count * fixedMax);
    memory.kernels.writeStoredTerms(this.record, numbers, text, numbers + 4 * count, numbers + 8 * count, count);
  }

  private writeInlined(columns: readonly AnswerColumn[], fixedMax: number): void {
    const count = this.word(RECORD.inlined + 1);
    let fixed = fixedMax;
    for (let from = 0; ; ) {
      this.reserve((count - from) * (fixed + INLINED_BYTES_MAX));
      from = threadMemory().kernels.writeInlinedTerms(this.record, from);
      if (from === count) return;
      const column = this.columnAt(columns, RECORD.inlined, from);
      fixed = Math.max(fixed, column.learnPattern(this.entryAt(RECORD.inlined, from)));
    }
  }

  private writeRuled(batch: ResultBatch, columns: readonly AnswerColumn[]): void {
    const count = this.word(RECORD.ruled + 1);
    const ids = new Uint32Array(2 * count);
    for (let index = 0; index < count; index++) {
      const [low, high] = this.columnAt(columns, RECORD.ruled, index).keyOf(this.entryAt(RECORD.ruled, index));
      ids[2 * index] = low;
      ids[2 * index + 1] = high;
    }
    const terms = batch.decode(ids, count);
    for (let index = 0; index < count; index++) {
      const column = this.columnAt(columns, RECORD.ruled, index);
      column.writeTerm(this.entryAt(RECORD.ruled, index), terms[index] as NonNullable<(typeof terms)[number]>);
    }
  }

  private columnAt(columns: readonly AnswerColumn[], list: number, index: number): AnswerColumn {
    const record = threadMemory().words[(this.word(list) >>> 2) + 2 * index] as number;
    return columns.find((column) => column.record === record) as AnswerColumn;
  }

  private entryAt(list: number, index: number): number {
    return threadMemory().words[(this.word(list) >>> 2) + 2 * index + 1] as number;
  }
}
