/**
 * Twin of `as/block.ts`: reads and writes blocks of rows by the table at its head. Where the kernel
 * chooses an encoding for each column, the twin writes the one it is told, so that every encoding
 * can be read back at will.
 */

import { bitLength, joinBytes, packBits, readBits, wordsOf } from './bits.js';
import { checksum } from './hash.js';

const HEADER_BYTES = 208;
const DESCRIPTOR_BYTES = 24;
const PADDING_BYTES = 8;
const VERSION = 1;
const ENTRIES_MAX = 256;
/** Widths above this are stored as 64. */
const WIDTH_MAX = 57;
const HEAD_SHIFT = 48n;

export const ENCODING = { constant: 0, frame: 1, list: 2, heads: 3 } as const;
export type Encoding = (typeof ENCODING)[keyof typeof ENCODING];

function least(values: readonly bigint[]): bigint {
  let found = values[0] as bigint;
  for (const value of values) if (value < found) found = value;
  return found;
}

function greatest(values: readonly bigint[]): bigint {
  let found = values[0] as bigint;
  for (const value of values) if (value > found) found = value;
  return found;
}

function widthOf(value: bigint): number {
  const width = bitLength(value);
  return width > WIDTH_MAX ? 64 : width;
}

/** Least and greatest value of a column. */
export function extremes(values: readonly bigint[]): readonly [bigint, bigint] {
  return [least(values), greatest(values)];
}

/** The encodings that can hold a column. */
export function encodingsFor(values: readonly bigint[]): Encoding[] {
  const fitting: Encoding[] = [ENCODING.frame];
  if (new Set(values).size === 1) fitting.push(ENCODING.constant);
  if (new Set(values).size <= ENTRIES_MAX) fitting.push(ENCODING.list);
  if (new Set(values.map((value) => value >> HEAD_SHIFT)).size <= ENTRIES_MAX) fitting.push(ENCODING.heads);
  return fitting;
}

/** Descriptor and data of a column whose data begins at `at`. */
interface EncodedColumn {
  readonly descriptor: Uint8Array;
  readonly data: Uint8Array;
}

function padded(bytes: Uint8Array): Uint8Array {
  return joinBytes([bytes, new Uint8Array((8 - (bytes.length % 8)) % 8)]);
}

function wordBytes(values: readonly bigint[]): Uint8Array {
  return packBits(values, 64);
}

function encodeColumn(values: readonly bigint[], encoding: Encoding, at: number): EncodedColumn {
  const descriptor = Buffer.alloc(DESCRIPTOR_BYTES);
  const low = least(values);
  descriptor.writeUInt8(encoding, 0);
  descriptor.writeUInt32LE(at, 4);
  descriptor.writeBigUInt64LE(low, 8);
  if (encoding === ENCODING.constant) return { descriptor, data: new Uint8Array(0) };
  if (encoding === ENCODING.frame) {
    const width = widthOf(greatest(values) - low);
    descriptor.writeUInt8(width, 1);
    const offsets = values.map((value) => value - low);
    return { descriptor, data: padded(packBits(offsets, width)) };
  }
  const groupOf = encoding === ENCODING.list ? (value: bigint) => value : (value: bigint) => value >> HEAD_SHIFT;
  const groups = [...new Set(values.map(groupOf))];
  const entries = groups.map((group) => least(values.filter((value) => groupOf(value) === group)));
  const indexes = values.map((value) => groups.indexOf(groupOf(value)));
  const indexWidth = widthOf(BigInt(groups.length - 1));
  descriptor.writeUInt8(entries.length - 1, 2);
  descriptor.writeUInt8(indexWidth, 3);
  descriptor.writeUInt32LE(at + 8 * entries.length, 16);
  const front = joinBytes([wordBytes(entries), padded(packBits(indexes.map(BigInt), indexWidth))]);
  if (encoding === ENCODING.list) return { descriptor, data: front };
  const rests = values.map((value, i) => value - (entries[indexes[i] as number] as bigint));
  const width = widthOf(greatest(rests));
  descriptor.writeUInt8(width, 1);
  descriptor.writeUInt32LE(at + front.length, 20);
  return { descriptor, data: joinBytes([front, padded(packBits(rests, width))]) };
}

/** A block of eight columns in the given encodings. */
export function encodeBlock(columns: readonly (readonly bigint[])[], encodings: readonly Encoding[]): Uint8Array {
  const parts: EncodedColumn[] = [];
  let at = HEADER_BYTES;
  columns.forEach((values, c) => {
    const part = encodeColumn(values, encodings[c] as Encoding, at);
    parts.push(part);
    at += part.data.length;
  });
  const head = Buffer.alloc(16);
  head.writeUInt16LE((columns[0] as readonly bigint[]).length, 4);
  head.writeUInt16LE(VERSION, 6);
  head.writeUInt32LE(at + PADDING_BYTES, 8);
  const descriptors = parts.map((part) => part.descriptor);
  const data = parts.map((part) => part.data);
  const block = joinBytes([head, ...descriptors, ...data, new Uint8Array(PADDING_BYTES)]);
  new DataView(block.buffer).setUint32(0, checksum(block.subarray(4)), true);
  return block;
}

/** All columns of a sound block. */
export function decodeBlock(block: Uint8Array): bigint[][] {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const rows = view.getUint16(4, true);
  return Array.from({ length: 8 }, (_, c) => {
    const at = 16 + DESCRIPTOR_BYTES * c;
    const width = view.getUint8(at + 1);
    const entries = view.getUint8(at + 2) + 1;
    const indexWidth = view.getUint8(at + 3);
    const data = view.getUint32(at + 4, true);
    const base = view.getBigUint64(at + 8, true);
    const indexesAt = view.getUint32(at + 16, true);
    const restsAt = view.getUint32(at + 20, true);
    const packed = (from: number, bits: number, row: number) => readBits(block, 8 * from + bits * row, bits);
    const heads = () => wordsOf(block.subarray(data, data + 8 * entries));
    const indexed = (list: readonly bigint[], row: number) =>
      list[Number(packed(indexesAt, indexWidth, row))] as bigint;
    const encoding = view.getUint8(at);
    const list = encoding === ENCODING.list || encoding === ENCODING.heads ? heads() : [];
    return Array.from({ length: rows }, (_, row) => {
      if (encoding === ENCODING.constant) return base;
      if (encoding === ENCODING.frame) return base + packed(data, width, row);
      if (encoding === ENCODING.list) return indexed(list, row);
      return indexed(list, row) + packed(restsAt, width, row);
    });
  });
}

/** 0 = sound, 1 = wrong checksum, 2 = the header does not fit the length. */
export function checkBlock(block: Uint8Array): number {
  if (block.length < HEADER_BYTES + PADDING_BYTES) return 2;
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const length = view.getUint32(8, true);
  if (length < HEADER_BYTES + PADDING_BYTES || length > block.length || view.getUint16(6, true) !== VERSION) return 2;
  return checksum(block.subarray(4, length)) === view.getUint32(0, true) ? 0 : 1;
}

/** The first row of `[from, to)` that is not less than the key in the given columns, or `to`. */
export function lowerBound(
  columns: readonly (readonly bigint[])[],
  order: readonly number[],
  key: readonly bigint[],
  from: number,
  to: number,
): number {
  for (let row = from; row < to; row++) {
    const d = order.findIndex((c, i) => columns[c]?.[row] !== key[i]);
    if (d < 0 || (columns[order[d] as number]?.[row] as bigint) > (key[d] as bigint)) return row;
  }
  return to;
}
