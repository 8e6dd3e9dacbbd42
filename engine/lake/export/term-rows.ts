/**
 * The table of terms: one row for each id, ascending. The texts of the dictionary go from its blocks into those of the
 * file without becoming strings, unless a value is to be found in them.
 */

import { invariant } from '../../base/errors.js';
import { termToString } from '../../rdf/canonical/lines.js';
import { type Quad, RDF_DIR_LANG_STRING, RDF_LANG_STRING, type Term, XSD_STRING } from '../../rdf/terms.js';
import { isNumeric, parseLexical, toDouble, type Value } from '../../rdf/values/index.js';
import { KIND, qualifierEnd, termOf } from '../../storage/dictionary/stored-term.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { inlineDatatype, inlineLexical } from '../../storage/ids/inline.js';
import { valueOfHalves } from '../../storage/ids/inline-values.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { TERM_KINDS } from '../layout.js';
import { timeOf } from '../literal-columns.js';
import { DECIMAL_BYTES, DECIMAL_PRECISION, DECIMAL_SCALE, type GroupColumn } from '../parquet/parquet-file.js';
import type { IdBatch } from './term-ids.js';

/** Ids that are read from the dictionary at once. */
export const TERMS_AT_ONCE = 16_384;
/** Rows of a row group: one is read to find the id of a text, or the text of an id. */
const TERM_GROUP_ROWS = 20_480;
/** Bytes of text from which on a row group is closed. */
const GROUP_TEXT_BYTES = 48 * 1024 * 1024;
/** Up to here a text is copied byte by byte. */
const SHORT_BYTES = 128;
const FIRST_TEXT_BYTES = 1 << 20;
const DECIMAL_LIMIT = 10n ** BigInt(DECIMAL_PRECISION);
const decoder = new TextDecoder();

/** Terms until they are enough for a row group. */
export class TermRows {
  readonly #snapshot: StorageSnapshot;
  rows = 0;
  readonly #ids = new Uint32Array(2 * TERM_GROUP_ROWS);
  readonly #kinds = new Uint32Array(TERM_GROUP_ROWS);
  #text = new Uint8Array(FIRST_TEXT_BYTES);
  #textLength = 0;
  readonly #ends = new Uint32Array(TERM_GROUP_ROWS);
  readonly #datatypes = new Coded();
  readonly #languages = new Coded();
  readonly #directions = new Coded();
  readonly #numbers = new Sparse(new Float64Array(TERM_GROUP_ROWS));
  readonly #exact = new Sparse(new Uint8Array(DECIMAL_BYTES * TERM_GROUP_ROWS));
  readonly #times = new Sparse(new Uint32Array(2 * TERM_GROUP_ROWS));
  readonly #zoned = new Sparse(new Uint8Array(TERM_GROUP_ROWS));
  readonly #booleans = new Sparse(new Uint8Array(TERM_GROUP_ROWS));
  readonly #subjects = new Sparse(new Uint32Array(2 * TERM_GROUP_ROWS));
  readonly #predicates = new Sparse(new Uint32Array(2 * TERM_GROUP_ROWS));
  readonly #objects = new Sparse(new Uint32Array(2 * TERM_GROUP_ROWS));

  constructor(snapshot: StorageSnapshot) {
    this.#snapshot = snapshot;
  }

  /** Takes a batch of at most `TERMS_AT_ONCE`; `flush` is called whenever a row group is full. */
  async take({ ids, count, inlined }: IdBatch, flush: () => Promise<void>): Promise<void> {
    const stored = inlined ? null : new StoredBatch(this.#snapshot, ids, count);
    for (let at = 0; at < count; at++) {
      if (this.rows === TERM_GROUP_ROWS || this.#textLength >= GROUP_TEXT_BYTES) await flush();
      const [low, high] = [ids[2 * at] as number, ids[2 * at + 1] as number];
      this.#ids[2 * this.rows] = low;
      this.#ids[2 * this.rows + 1] = high;
      if (stored === null) this.#takeInlined(low, high);
      else this.#takeStored(stored.bytes, stored.starts[at] as number, stored.ends[at] as number);
      this.#ends[this.rows++] = this.#textLength;
    }
  }

  /** In the order of `TERM_COLUMNS`; what was taken is given up with `clear`. */
  group(): GroupColumn[] {
    const { rows } = this;
    const kinds = Object.values(TERM_KINDS).map((kind) => new Uint8Array(Int32Array.of(kind).buffer));
    return [
      { values: { kind: 'int64', halves: this.#ids }, count: rows, present: null },
      { values: { kind: 'coded', type: 'int', codes: this.#kinds, entries: kinds }, count: rows, present: null },
      { values: { kind: 'text', bytes: this.#text, ends: this.#ends }, count: rows, present: null },
      this.#datatypes.column(),
      this.#languages.column(),
      this.#directions.column(),
      this.#numbers.column((numbers) => ({ kind: 'double', numbers })),
      this.#exact.column((bytes) => ({ kind: 'fixed', bytes, size: DECIMAL_BYTES })),
      this.#times.column((halves) => ({ kind: 'int64', halves })),
      this.#zoned.column((bits) => ({ kind: 'boolean', bits })),
      this.#booleans.column((bits) => ({ kind: 'boolean', bits })),
      this.#subjects.column((halves) => ({ kind: 'int64', halves })),
      this.#predicates.column((halves) => ({ kind: 'int64', halves })),
      this.#objects.column((halves) => ({ kind: 'int64', halves })),
    ];
  }

  clear(): void {
    this.rows = 0;
    this.#textLength = 0;
    for (const coded of [this.#datatypes, this.#languages, this.#directions]) coded.clear();
    for (const sparse of [
      this.#numbers,
      this.#exact,
      this.#times,
      this.#zoned,
      this.#booleans,
      this.#subjects,
      this.#predicates,
      this.#objects,
    ]) {
      sparse.clear();
    }
  }

  #takeInlined(low: number, high: number): void {
    this.#kinds[this.rows] = TERM_KINDS.literal;
    this.#datatypes.set(this.rows, inlineDatatype(high));
    this.#appendString(inlineLexical(low, high));
    const value = valueOfHalves(low, high);
    if (value !== null) this.#setValue(value);
  }

  #takeStored(bytes: Uint8Array, start: number, end: number): void {
    const kind = bytes[start] as number;
    switch (kind) {
      case KIND.iri:
        this.#kinds[this.rows] = TERM_KINDS.iri;
        this.#appendBytes(bytes, start + 1, end);
        return;
      case KIND.blank:
        this.#kinds[this.rows] = TERM_KINDS.blankNode;
        this.#appendBytes(bytes, start + 1, end);
        return;
      case KIND.triple:
        this.#kinds[this.rows] = TERM_KINDS.tripleTerm;
        this.#takeTriple(termOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), start, end) as Quad);
        return;
      case KIND.string:
        this.#kinds[this.rows] = TERM_KINDS.literal;
        this.#datatypes.set(this.rows, XSD_STRING);
        this.#appendBytes(bytes, start + 1, end);
        return;
      default:
        this.#kinds[this.rows] = TERM_KINDS.literal;
        this.#takeQualified(kind, bytes, start, end);
    }
  }

  #takeQualified(kind: number, bytes: Uint8Array, start: number, end: number): void {
    const mark = qualifierEnd(bytes, start, end);
    const qualifier = decoder.decode(bytes.subarray(start + 1, mark));
    this.#appendBytes(bytes, mark + 1, end);
    if (kind === KIND.typed) {
      this.#datatypes.set(this.rows, qualifier);
      this.#setValue(parseLexical(qualifier, decoder.decode(bytes.subarray(mark + 1, end))));
      return;
    }
    const cut = kind === KIND.direction ? qualifier.lastIndexOf('--') : qualifier.length;
    this.#datatypes.set(this.rows, kind === KIND.direction ? RDF_DIR_LANG_STRING : RDF_LANG_STRING);
    this.#languages.set(this.rows, qualifier.slice(0, cut));
    if (kind === KIND.direction) this.#directions.set(this.rows, qualifier.slice(cut + 2));
  }

  #takeTriple(triple: Quad): void {
    this.#appendString(termToString(triple));
    const { subject, predicate, object } = triple;
    this.#setId(this.#subjects, subject);
    this.#setId(this.#predicates, predicate);
    this.#setId(this.#objects, object);
  }

  #setId(column: Sparse<Uint32Array<ArrayBuffer>>, term: Term): void {
    const id = this.#snapshot.encode(term);
    if (id === null) return;
    const at = column.set(this.rows);
    column.values[2 * at] = lowOf(id);
    column.values[2 * at + 1] = highOf(id);
  }

  #setValue(value: Value): void {
    if (isNumeric(value)) {
      this.#numbers.values[this.#numbers.set(this.rows)] = toDouble(value);
      if (value.kind === 'integer') this.#setExact(BigInt(value.value), 0);
      else if (value.kind === 'decimal') this.#setExact(value.unscaled, value.scale);
    } else if (value.kind === 'boolean') {
      this.#booleans.values[this.#booleans.set(this.rows)] = value.value ? 1 : 0;
    } else if (value.kind === 'date' || value.kind === 'dateTime') {
      const micros = timeOf(value);
      if (micros === null) return;
      const at = 2 * this.#times.set(this.rows);
      this.#times.values[at] = Number(micros & 0xffffffffn);
      this.#times.values[at + 1] = Number((micros >> 32n) & 0xffffffffn);
      this.#zoned.values[this.#zoned.set(this.rows)] = value.zone === null ? 0 : 1;
    }
  }

  #setExact(unscaled: bigint, scale: number): void {
    if (scale > DECIMAL_SCALE) return;
    let scaled = unscaled * 10n ** BigInt(DECIMAL_SCALE - scale);
    if (scaled >= DECIMAL_LIMIT || scaled <= -DECIMAL_LIMIT) return;
    const at = this.#exact.set(this.rows) * DECIMAL_BYTES;
    for (let byte = DECIMAL_BYTES - 1; byte >= 0; byte--) {
      this.#exact.values[at + byte] = Number(scaled & 0xffn);
      scaled >>= 8n;
    }
  }

  #appendString(text: string): void {
    const bytes = Buffer.from(text);
    this.#appendBytes(bytes, 0, bytes.length);
  }

  #appendBytes(bytes: Uint8Array, start: number, end: number): void {
    const length = this.#textLength + (end - start);
    if (length > this.#text.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#text.length));
      grown.set(this.#text.subarray(0, this.#textLength));
      this.#text = grown;
    }
    copyBytes(this.#text, this.#textLength, bytes, start, end);
    this.#textLength = length;
  }
}

/** A view costs more than the copy of a short text. */
function copyBytes(to: Uint8Array, at: number, from: Uint8Array, start: number, end: number): void {
  if (end - start > SHORT_BYTES) {
    to.set(from.subarray(start, end), at);
    return;
  }
  for (let byte = start; byte < end; byte++) to[at + byte - start] = from[byte] as number;
}

/** The stored bytes of some terms, in the order of their ids. */
class StoredBatch {
  bytes = new Uint8Array(FIRST_TEXT_BYTES);
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;

  constructor(snapshot: StorageSnapshot, ids: Uint32Array, count: number) {
    this.starts = new Uint32Array(count);
    this.ends = new Uint32Array(count);
    let length = 0;
    snapshot.stored(ids, count, (part) => {
      for (let i = 0; i < part.count; i++) {
        const [start, end] = [part.starts[i] as number, part.ends[i] as number];
        if (length + end - start > this.bytes.length) {
          const grown = new Uint8Array(Math.max(length + end - start, 2 * this.bytes.length));
          grown.set(this.bytes.subarray(0, length));
          this.bytes = grown;
        }
        copyBytes(this.bytes, length, part.bytes, start, end);
        const place = part.places[i] as number;
        this.starts[place] = length;
        length += end - start;
        this.ends[place] = length;
      }
    });
    invariant(count === 0 || length > 0, 'terms of the dictionary have bytes');
  }
}

/** Values of the rows that have one. */
class Sparse<Values> {
  readonly values: Values;
  readonly #present = new Uint8Array(TERM_GROUP_ROWS);
  #count = 0;

  constructor(values: Values) {
    this.values = values;
  }

  /** Says that a row has a value; returns its place. */
  set(row: number): number {
    this.#present[row] = 1;
    return this.#count++;
  }

  column(valuesOf: (values: Values) => GroupColumn['values']): GroupColumn {
    return { values: valuesOf(this.values), count: this.#count, present: this.#present };
  }

  clear(): void {
    this.#present.fill(0);
    this.#count = 0;
  }
}

/** Texts that come again and again. */
class Coded {
  readonly #codes = new Map<string, number>();
  readonly #rows = new Sparse(new Uint32Array(TERM_GROUP_ROWS));

  set(row: number, text: string): void {
    let code = this.#codes.get(text);
    if (code === undefined) {
      code = this.#codes.size;
      this.#codes.set(text, code);
    }
    this.#rows.values[this.#rows.set(row)] = code;
  }

  column(): GroupColumn {
    const entries = [...this.#codes.keys()].map(plainText);
    return this.#rows.column((codes) => ({ kind: 'coded', type: 'text', codes, entries }));
  }

  clear(): void {
    this.#codes.clear();
    this.#rows.clear();
  }
}

function plainText(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const entry = Buffer.allocUnsafe(4 + bytes.length);
  entry.writeUInt32LE(bytes.length);
  bytes.copy(entry, 4);
  return entry;
}
