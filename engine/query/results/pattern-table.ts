/**
 * The patterns of a format where the kernels find them (`kernels/as/answer-terms.ts` has the layout): for
 * stored terms all at once, for inlined literals when one is met whose pattern is not known.
 */

import { threadMemory } from '../../kernels/thread-memory.js';
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

export class PatternTable {
  readonly address: number;
  /** A byte for each byte: 1 where it is written as it is. */
  readonly plain: number;
  /** Bytes of the longest pattern so far. */
  fixedMax = 0;
  private readonly patterns: TermPatterns;
  private readonly records: { readonly address: number; readonly bytes: number }[] = [];

  constructor(format: TermFormat) {
    const memory = threadMemory();
    this.address = memory.allocate(TABLE_BYTES + PLAIN_BYTES);
    this.plain = this.address + TABLE_BYTES;
    memory.bytesAt(this.address, TABLE_BYTES + PLAIN_BYTES).fill(0);
    if (format.plain !== null) memory.bytesAt(this.plain, PLAIN_BYTES).set(format.plain);
    this.patterns = format.patterns ?? new TermPatterns(format);
    for (const kind of Object.values(KIND)) this.put(kind, this.patterns.ofKind(kind));
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

  private put(place: number, pattern: Pattern | null): void {
    const memory = threadMemory();
    const at = pattern === null ? THROUGH_RULE : this.record(pattern);
    memory.words[(this.address >>> 2) + place] = at;
  }

  private record({ head, middle, tail, qualifier }: Pattern): number {
    const memory = threadMemory();
    const fixed = head.length + middle.length + tail.length;
    this.fixedMax = Math.max(this.fixedMax, fixed);
    const bytes = 4 * RECORD_WORDS + fixed;
    const address = memory.allocate(bytes);
    this.records.push({ address, bytes });
    memory.words.set([ORDER[qualifier], head.length, middle.length, tail.length], address >>> 2);
    const parts = address + 4 * RECORD_WORDS;
    const { bytes: all } = memory;
    all.set(head, parts);
    all.set(middle, parts + head.length);
    all.set(tail, parts + head.length + middle.length);
    return address;
  }
}

/** Tables of the formats whose patterns are the same in every answer; they stay. */
const shared = new WeakMap<TermPatterns, PatternTable>();

/** The table of a format, and whether its user has to release it. */
export function patternTable(format: TermFormat): { readonly table: PatternTable; readonly own: boolean } {
  if (format.patterns === undefined) return { table: new PatternTable(format), own: true };
  let table = shared.get(format.patterns);
  if (table === undefined) {
    table = new PatternTable(format);
    shared.set(format.patterns, table);
  }
  return { table, own: false };
}
