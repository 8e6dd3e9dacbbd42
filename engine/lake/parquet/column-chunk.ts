/**
 * The values of one column in one row group, and how they become pages. Ids and times are packed as differences,
 * what has few distinct values as places in a dictionary, texts and the rest as they are; every page is compressed.
 */

import {
  type ColumnChunk,
  type DrainedWriter,
  type Encoding,
  type SchemaElement,
  writeThrift,
} from '../../query/results/parquet-bytes.js';
import { ByteSink } from './byte-sink.js';
import { appendDelta } from './delta-encoding.js';
import { appendRuns, widthFor } from './run-encoding.js';

/** Of the rows that have a value, one after the other. */
export type ColumnValues =
  /** Low halves first; signed. */
  | { readonly kind: 'int64'; readonly halves: Uint32Array }
  | { readonly kind: 'double'; readonly numbers: Float64Array }
  | { readonly kind: 'boolean'; readonly bits: Uint8Array }
  /** So many bytes each, the first the highest. */
  | { readonly kind: 'fixed'; readonly bytes: Uint8Array; readonly size: number }
  /** Text `i` ends before `ends[i]`, where the next one begins. */
  | { readonly kind: 'text'; readonly bytes: Uint8Array; readonly ends: Uint32Array }
  /** Places in `entries`, which are in the plain encoding. */
  | {
      readonly kind: 'coded';
      readonly type: 'int' | 'int64' | 'text';
      readonly codes: Uint32Array;
      readonly entries: readonly Uint8Array[];
    };

export interface ChunkInput {
  readonly element: SchemaElement;
  readonly values: ColumnValues;
  /** Rows with a value. */
  readonly count: number;
  /** 1 for each row with a value; null = all have one. */
  readonly present: Uint8Array | null;
  readonly rows: number;
}

export type Compress = (bytes: Uint8Array, kind: ColumnValues['kind']) => Uint8Array;

/** Least and greatest value, as the footer and Iceberg want them. */
export interface Bounds {
  readonly least: bigint | number | Uint8Array;
  readonly greatest: bigint | number | Uint8Array;
}

/** Numbers of the format. */
const DATA_PAGE = 0;
const DICTIONARY_PAGE = 2;
const ENCODINGS = { PLAIN: 0, RLE: 3, DELTA_BINARY_PACKED: 5, RLE_DICTIONARY: 8 } as const;
/** Texts of a page, before it is compressed. */
const TEXT_PAGE_BYTES = 1 << 20;

const page = new ByteSink();

/** Writes the pages of a chunk; returns what the footer says of it. */
export function writeChunk(writer: DrainedWriter, input: ChunkInput, compress: Compress): ColumnChunk {
  const { element, values, count, rows } = input;
  const start = writer.offset;
  const pages = new PageWriter(writer, (bytes) => compress(bytes, values.kind));
  let dictionaryAt: number | null = null;
  const constant = constantOf(values, count);
  let encoding: Encoding = 'PLAIN';
  const coded = constant ?? (values.kind === 'coded' && count > 0 ? values : null);
  if (coded !== null) {
    const { codes, entries } = coded;
    dictionaryAt = writer.offset;
    page.clear();
    for (const entry of entries) page.append(entry);
    pages.dictionary(entries.length);
    encoding = 'RLE_DICTIONARY';
    beginPage(input);
    const width = widthFor(entries.length);
    page.byte(width);
    appendRuns(page, codes, count, width);
    pages.data(rows, encoding);
  } else if (values.kind === 'text') {
    writeTexts(pages, values, count);
  } else {
    beginPage(input);
    encoding = appendValues(values, count);
    pages.data(rows, encoding);
  }
  const bounds = boundsOf(values, count);
  return {
    file_offset: BigInt(start),
    meta_data: {
      type: element.type as NonNullable<SchemaElement['type']>,
      encodings: encoding === 'PLAIN' ? ['PLAIN', 'RLE'] : ['PLAIN', 'RLE', encoding],
      path_in_schema: [element.name],
      codec: 'ZSTD',
      num_values: BigInt(rows),
      total_uncompressed_size: BigInt(pages.uncompressed),
      total_compressed_size: BigInt(writer.offset - start),
      data_page_offset: BigInt(pages.firstData ?? start),
      ...(dictionaryAt === null ? {} : { dictionary_page_offset: BigInt(dictionaryAt) }),
      statistics: {
        null_count: BigInt(rows - count),
        ...(bounds === null ? {} : { min_value: bounds.least, max_value: bounds.greatest }),
      },
    },
  };
}

class PageWriter {
  uncompressed = 0;
  firstData: number | null = null;
  readonly #writer: DrainedWriter;
  readonly #compress: (bytes: Uint8Array) => Uint8Array;

  constructor(writer: DrainedWriter, compress: (bytes: Uint8Array) => Uint8Array) {
    this.#writer = writer;
    this.#compress = compress;
  }

  dictionary(entries: number): void {
    this.#write(DICTIONARY_PAGE, { field_7: { field_1: entries, field_2: ENCODINGS.PLAIN } });
  }

  data(values: number, encoding: Encoding): void {
    this.firstData ??= this.#writer.offset;
    const code = ENCODINGS[encoding as keyof typeof ENCODINGS];
    this.#write(DATA_PAGE, {
      field_5: { field_1: values, field_2: code, field_3: ENCODINGS.RLE, field_4: ENCODINGS.RLE },
    });
  }

  #write(type: number, header: object): void {
    const packed = this.#compress(page.written());
    const before = this.#writer.offset;
    writeThrift(this.#writer, {
      field_1: type,
      field_2: page.length,
      field_3: packed.length,
      ...header,
    });
    this.uncompressed += page.length + (this.#writer.offset - before);
    this.#writer.appendBytes(packed);
  }
}

/** Begins a page of all rows with which of them have a value, if they may lack one. */
function beginPage({ element, present, count, rows }: ChunkInput): void {
  page.clear();
  if (element.repetition_type === 'REQUIRED') return;
  page.uint32(0);
  if (present !== null && count > 0 && count < rows) {
    appendRuns(page, present, rows, 1);
  } else {
    page.varint(rows * 2);
    page.byte(count > 0 ? 1 : 0);
  }
  new DataView(page.bytes.buffer).setUint32(0, page.length - 4, true);
}

function appendValues(values: ColumnValues, count: number): Encoding {
  switch (values.kind) {
    case 'int64':
      if (count === 0) return 'PLAIN';
      appendDelta(page, values.halves, count);
      return 'DELTA_BINARY_PACKED';
    case 'double':
      page.append(new Uint8Array(values.numbers.buffer, values.numbers.byteOffset, 8 * count));
      return 'PLAIN';
    case 'fixed':
      page.append(values.bytes.subarray(0, values.size * count));
      return 'PLAIN';
    case 'boolean':
      for (let at = 0; at < count; at += 8) {
        let byte = 0;
        for (let bit = 0; bit < 8 && at + bit < count; bit++) byte |= (values.bits[at + bit] as number) << bit;
        page.byte(byte);
      }
      return 'PLAIN';
    default:
      return 'PLAIN';
  }
}

function writeTexts(pages: PageWriter, { bytes, ends }: ColumnValues & { readonly kind: 'text' }, count: number): void {
  let [from, start] = [0, 0];
  page.clear();
  for (let at = 0; at < count; at++) {
    const end = ends[at] as number;
    page.uint32(end - start);
    page.append(bytes.subarray(start, end));
    start = end;
    if (page.length < TEXT_PAGE_BYTES && at + 1 < count) continue;
    pages.data(at + 1 - from, 'PLAIN');
    page.clear();
    from = at + 1;
  }
}

/** A column of one and the same number as a dictionary of one entry. */
function constantOf(values: ColumnValues, count: number): Omit<ColumnValues & { kind: 'coded' }, 'kind'> | null {
  if (count < 2) return null;
  if (values.kind === 'int64') {
    const { halves } = values;
    for (let at = 2; at < 2 * count; at += 2) {
      if (halves[at] !== halves[0] || halves[at + 1] !== halves[1]) return null;
    }
    return { type: 'int64', codes: new Uint32Array(count), entries: [new Uint8Array(halves.slice(0, 2).buffer)] };
  }
  return null;
}

function boundsOf(values: ColumnValues, count: number): Bounds | null {
  if (count === 0) return null;
  switch (values.kind) {
    case 'int64':
      return int64Bounds(values.halves, count);
    case 'double':
      return doubleBounds(values.numbers, count);
    case 'text':
      return textBounds(values.bytes, values.ends, count);
    case 'coded':
      return values.type === 'int' ? intBounds(values.codes, values.entries, count) : null;
    default:
      return null;
  }
}

function int64Bounds(halves: Uint32Array, count: number): Bounds {
  let [least, greatest] = [0, 0];
  for (let at = 1; at < count; at++) {
    if (compare(halves, at, least) < 0) least = at;
    else if (compare(halves, at, greatest) > 0) greatest = at;
  }
  const valueAt = (at: number): bigint =>
    BigInt.asIntN(64, (BigInt(halves[2 * at + 1] as number) << 32n) | BigInt(halves[2 * at] as number));
  return { least: valueAt(least), greatest: valueAt(greatest) };
}

/** Of entries that ascend. */
function intBounds(codes: Uint32Array, entries: readonly Uint8Array[], count: number): Bounds {
  let [least, greatest] = [entries.length, 0];
  for (let at = 0; at < count; at++) {
    const code = codes[at] as number;
    if (code < least) least = code;
    if (code > greatest) greatest = code;
  }
  const valueAt = (code: number): number => Buffer.from(entries[code] as Uint8Array).readInt32LE(0);
  return { least: valueAt(least), greatest: valueAt(greatest) };
}

function compare(halves: Uint32Array, one: number, other: number): number {
  const high = ((halves[2 * one + 1] as number) | 0) - ((halves[2 * other + 1] as number) | 0);
  return high === 0 ? (halves[2 * one] as number) - (halves[2 * other] as number) : high;
}

/** Null where a NaN is among them: no bound says anything of it. */
function doubleBounds(numbers: Float64Array, count: number): Bounds | null {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < count; at++) {
    const number = numbers[at] as number;
    if (Number.isNaN(number)) return null;
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  // Zero has two signs, which readers may tell apart.
  return { least: least === 0 ? -0 : least, greatest: greatest === 0 ? 0 : greatest };
}

function textBounds(bytes: Uint8Array, ends: Uint32Array, count: number): Bounds {
  let [least, greatest] = [0, 0];
  for (let at = 1; at < count; at++) {
    if (compareTexts(bytes, ends, at, least) < 0) least = at;
    else if (compareTexts(bytes, ends, at, greatest) > 0) greatest = at;
  }
  const textAt = (at: number): Uint8Array => bytes.slice(startOf(ends, at), ends[at]);
  return { least: textAt(least), greatest: textAt(greatest) };
}

function startOf(ends: Uint32Array, at: number): number {
  return at === 0 ? 0 : (ends[at - 1] as number);
}

function compareTexts(bytes: Uint8Array, ends: Uint32Array, one: number, other: number): number {
  let [a, b] = [startOf(ends, one), startOf(ends, other)];
  const [aEnd, bEnd] = [ends[one] as number, ends[other] as number];
  for (; a < aEnd && b < bEnd; a++, b++) {
    const difference = (bytes[a] as number) - (bytes[b] as number);
    if (difference !== 0) return difference;
  }
  return aEnd - a - (bEnd - b);
}
