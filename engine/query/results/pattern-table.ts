/**
 * The patterns of a format where the kernels find them (`kernels/as/answer-terms.ts` has the layout): for
 * stored terms all at once, for inlined literals when one is met whose pattern is not known.
 */

import { keeping, threadMemory, whenGivenUp } from '../../kernels/thread-memory.js';
import type { CurieTable } from '../../rdf/curies.js';
import { KIND } from '../../storage/dictionary/stored-term.js';
import { TAG } from '../../storage/ids/layout.js';
import { type Pattern, type TermFormat, TermPatterns } from './term-format.js';

const KINDS = 8;
const INLINED = 8 * 256;
const TABLE_BYTES = 4 * (KINDS + INLINED);
const PLAIN_BYTES = 256;
const THROUGH_RULE = 1;
const RECORD_WORDS = 4;
const ORDER = { none: 0, first: 1, last: 2 } as const;
const GUARDED = 4;
const LOWERED = 8;
/** Of one namespace in the table of CURIEs: words. */
const CURIE_WORDS = 4;

export class PatternTable {
  readonly address: number;
  /** A byte for each byte: 1 where it is written as it is. */
  readonly plain: number;
  /** Bytes of the longest pattern so far. */
  fixedMax = 0;
  private readonly patterns: TermPatterns;
  private readonly records: { readonly address: number; readonly bytes: number }[] = [];

  /** `stays`: released never, since answers share it. */
  constructor(
    format: TermFormat,
    private readonly stays: boolean,
  ) {
    const memory = threadMemory();
    this.address = this.take(TABLE_BYTES + PLAIN_BYTES);
    this.plain = this.address + TABLE_BYTES;
    memory.bytesAt(this.address, TABLE_BYTES + PLAIN_BYTES).fill(0);
    if (format.plain !== null) memory.bytesAt(this.plain, PLAIN_BYTES).set(format.plain);
    this.patterns = format.patterns ?? new TermPatterns(format);
    for (let kind = KIND.blank; kind <= KIND.triple; kind++) this.put(kind, this.patterns.ofKind(kind));
    if (format.curies) this.putCuries(format.curies);
  }

  /** Finds the pattern of an inlined literal and of all with its datatype and auxiliary byte. */
  learn(low: number, high: number): void {
    this.put(KINDS + (high >>> 16) - (TAG.integer << 8), this.patterns.ofInlined(low, high));
  }

  release(): void {
    const memory = threadMemory();
    memory.free(this.address, TABLE_BYTES + PLAIN_BYTES);
    for (const { address, bytes } of this.records) memory.free(address, bytes);
  }

  private take(bytes: number): number {
    const memory = threadMemory();
    return this.stays ? keeping(() => memory.allocate(bytes)) : memory.allocate(bytes);
  }

  private put(place: number, pattern: Pattern | null): void {
    const memory = threadMemory();
    const at = pattern === null ? THROUGH_RULE : this.record(pattern);
    memory.words[(this.address >>> 2) + place] = at;
  }

  /** Puts the table of CURIEs where the kernels look for it. */
  private putCuries({ entries }: CurieTable): void {
    const memory = threadMemory();
    const texts = entries.flatMap(({ namespace, name }) => [Buffer.from(namespace), Buffer.from(`${name}:`)]);
    const first = 4 + 4 * CURIE_WORDS * entries.length;
    const bytes = texts.reduce((sum, { length }) => sum + length, first);
    const address = this.take(bytes);
    this.records.push({ address, bytes });
    const { words } = memory;
    words[address >>> 2] = entries.length;
    let at = address + first;
    texts.forEach((text, index) => {
      memory.bytes.set(text, at);
      words.set([at, text.length], (address >>> 2) + 1 + 2 * index);
      at += text.length;
    });
    words[this.address >>> 2] = address;
    this.fixedMax += Math.max(0, ...entries.map(({ name }) => name.length + 1));
  }

  private record({ head, middle, tail, qualifier, guarded = false, lowered = false }: Pattern): number {
    const memory = threadMemory();
    const fixed = head.length + middle.length + tail.length;
    this.fixedMax = Math.max(this.fixedMax, fixed);
    const bytes = 4 * RECORD_WORDS + fixed;
    const address = this.take(bytes);
    this.records.push({ address, bytes });
    memory.words.set(
      [ORDER[qualifier] + (guarded ? GUARDED : 0) + (lowered ? LOWERED : 0), head.length, middle.length, tail.length],
      address >>> 2,
    );
    const parts = address + 4 * RECORD_WORDS;
    const { bytes: all } = memory;
    all.set(head, parts);
    all.set(middle, parts + head.length);
    all.set(tail, parts + head.length + middle.length);
    return address;
  }
}

/** Tables of the formats whose patterns are the same in every answer; they stay as long as the memory does. */
let shared = new WeakMap<TermPatterns, PatternTable>();
whenGivenUp(() => {
  shared = new WeakMap();
});

/** The tables of one answer: those of its own are made once for all columns of a format, and released together. */
export class AnswerPatterns {
  private readonly own = new Map<TermFormat, PatternTable>();

  of(format: TermFormat): PatternTable {
    const { patterns, curies } = format;
    const stays = patterns !== undefined && !curies;
    const known = stays ? shared.get(patterns) : this.own.get(format);
    if (known !== undefined) return known;
    const table = new PatternTable(format, stays);
    if (stays) shared.set(patterns, table);
    else this.own.set(format, table);
    return table;
  }

  release(): void {
    for (const table of this.own.values()) table.release();
  }
}
