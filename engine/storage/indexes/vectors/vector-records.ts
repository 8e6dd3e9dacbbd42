/**
 * The database `vectors` of the file. Keys are texts that begin with the generation of the vectors, 4 hex digits, but for
 * `head`. Numbers in them have leading zeros, so that their order is that of the numbers. Values are little-endian.
 *
 * | Key                         | Value                                                                               |
 * |-----------------------------|-------------------------------------------------------------------------------------|
 * | `head`                      | sealed JSON, `VectorHead`                                                           |
 * | `<g>/rows/<block>`          | sealed rows: entity u64, hash of its text u64, transaction f64, instant f64         |
 * | `<g>/ends/<block>`          | sealed ends, in their sequence: row u32, 4 bytes, transaction f64, instant f64      |
 * | `<g>/values/<block>`        | of each row a checksum u32, then of each row its numbers f32; as many as fill pages |
 * | `<g>/of/<entity>`           | sealed u32, the row of the current vector of an entity (16 hex digits)              |
 * | `<g>/codes/<segment>/<part>`| codes of a segment: see `code-part.ts`                                              |
 * | `<g>/lists/<segment>/<part>`| the same of the centres of its lists                                                |
 *
 * Rows have dense numbers, and never change; what ends them is told beside them. So all versions of a generation are
 * beginnings of one sequence of rows and one of ends.
 */

import { invariant } from '../../../base/errors.js';
import { ThreadMemory } from '../../../kernels/memory.js';
import type { Instant, TermId, TxId } from '../../ids/layout.js';
import { seal, unseal } from '../../lmdb/sealed.js';
import type { IndexStore } from '../../seam/scan.js';
import { damagedVectors, VECTOR_DAMAGE_HINT } from './damaged-vectors.js';

export const DATABASE = 'vectors';
export const HEAD_KEY = 'head';

export interface SegmentRecord {
  readonly id: number;
  /** Rows `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Of the lists of near codes, in which the codes stand; 0 = in the order of rows. */
  readonly lists: number;
}

export interface VectorHead {
  readonly generation: number;
  /** Both null = there are no vectors, and any model may come. */
  readonly model: string | null;
  readonly dimension: number | null;
  readonly rows: number;
  readonly ends: number;
  /** Entities with a current vector. */
  readonly embedded: number;
  readonly nextSegment: number;
  /** By their rows, which follow each other from 0 on; those behind them are in none. */
  readonly segments: readonly SegmentRecord[];
  /** A write met damage: vectors whose texts were changed since then may still be current. Until a repair nothing is found by them. */
  readonly isDamaged?: true | undefined;
}

export const NO_VECTORS: VectorHead = {
  generation: 0,
  model: null,
  dimension: null,
  rows: 0,
  ends: 0,
  embedded: 0,
  nextSegment: 1,
  segments: [],
};

export interface VectorRow {
  readonly entity: TermId;
  readonly textHash: bigint;
  /** That last changed the text. */
  readonly tx: TxId;
  readonly validFrom: Instant;
}

/** What ended a row. */
export interface VectorEnd {
  readonly row: number;
  readonly tx: TxId;
  readonly validTo: Instant;
}

const ROW_BYTES = 32;
const END_BYTES = 24;
const PAGE_BYTES = 4096;
/** LMDB puts a value that is larger than half a page on pages of its own, with so many bytes before it. */
const PAGE_HEADER_BYTES = 16;
const SEAL_BYTES = 4;
/** A value of one page holds so many. */
export const BLOCK_ROWS = Math.floor((PAGE_BYTES - PAGE_HEADER_BYTES - SEAL_BYTES) / ROW_BYTES);
export const BLOCK_ENDS = Math.floor((PAGE_BYTES - PAGE_HEADER_BYTES - SEAL_BYTES) / END_BYTES);
/** Pages of a block of vectors: few enough that one vector is read fast, so many that little of them is left over. */
const VALUE_PAGES = 8;
const CHECKSUM_BYTES = 4;
/** Numbers of a vector: the products of their codes with a query are summed in 32 bits. */
export const DIMENSION_MAX = 16_384;

export function valuesOfBlock(dimension: number): number {
  const bytes = VALUE_PAGES * PAGE_BYTES - PAGE_HEADER_BYTES;
  return Math.max(1, Math.floor(bytes / (4 * dimension + CHECKSUM_BYTES)));
}

const digits = (number: number, count: number): string => String(number).padStart(count, '0');
export const generationPrefix = (generation: number): string =>
  `${(generation & 0xffff).toString(16).padStart(4, '0')}/`;
export const rowsKey = (generation: number, block: number): string =>
  `${generationPrefix(generation)}rows/${digits(block, 9)}`;
export const endsKey = (generation: number, block: number): string =>
  `${generationPrefix(generation)}ends/${digits(block, 9)}`;
export const valuesKey = (generation: number, block: number): string =>
  `${generationPrefix(generation)}values/${digits(block, 10)}`;
export const entityPrefix = (generation: number): string => `${generationPrefix(generation)}of/`;
export const entityKey = (generation: number, entity: TermId): string =>
  `${entityPrefix(generation)}${entity.toString(16).padStart(16, '0')}`;
export type PartKind = 'codes' | 'lists';
export const segmentPrefix = (generation: number, kind: PartKind, segment: number): string =>
  `${generationPrefix(generation)}${kind}/${digits(segment, 9)}/`;
export const partKey = (generation: number, kind: PartKind, segment: number, part: number): string =>
  `${segmentPrefix(generation, kind, segment)}${digits(part, 6)}`;

/** Throws `store_corrupt` where what it tells of may not be read any more. */
export function readHead(store: IndexStore, transaction?: object): VectorHead {
  const head = readAnyHead(store, transaction);
  if (head.isDamaged === true) {
    throw damagedVectors('the vectors are damaged: a write has met what can not be read');
  }
  return head;
}

/** Of damaged vectors, too. */
export function readAnyHead(store: IndexStore, transaction?: object): VectorHead {
  const bytes = store.readCopy(DATABASE, HEAD_KEY, transaction);
  if (bytes === undefined) return NO_VECTORS;
  return JSON.parse(unseal(bytes, 'the head of the vectors', VECTOR_DAMAGE_HINT).toString('utf8')) as VectorHead;
}

export function encodeHead(head: VectorHead): Buffer {
  return seal(Buffer.from(JSON.stringify(head)));
}

export function encodeRows(rows: readonly VectorRow[]): Buffer {
  const bytes = Buffer.alloc(ROW_BYTES * rows.length);
  for (const [at, { entity, textHash, tx, validFrom }] of rows.entries()) {
    bytes.writeBigUInt64LE(entity, ROW_BYTES * at);
    bytes.writeBigUInt64LE(textHash, ROW_BYTES * at + 8);
    bytes.writeDoubleLE(tx, ROW_BYTES * at + 16);
    bytes.writeDoubleLE(validFrom, ROW_BYTES * at + 24);
  }
  return seal(bytes);
}

/** The bytes of the rows of a block that has at least so many. */
export function unsealRows(value: Buffer | undefined, block: number, count: number): Buffer {
  const bytes = unseal(value, `block ${block} of the rows of vectors`, VECTOR_DAMAGE_HINT);
  if (bytes.length < ROW_BYTES * count || bytes.length % ROW_BYTES !== 0) {
    throw damagedVectors(`block ${block} of the rows of vectors has ${bytes.length} bytes`);
  }
  return bytes;
}

export function rowIn(bytes: Buffer, at: number): VectorRow {
  return {
    entity: bytes.readBigUInt64LE(ROW_BYTES * at),
    textHash: bytes.readBigUInt64LE(ROW_BYTES * at + 8),
    tx: bytes.readDoubleLE(ROW_BYTES * at + 16),
    validFrom: bytes.readDoubleLE(ROW_BYTES * at + 24),
  };
}

export function entityIn(bytes: Buffer, at: number): TermId {
  return bytes.readBigUInt64LE(ROW_BYTES * at);
}

export function rowsIn(bytes: Buffer): VectorRow[] {
  return Array.from({ length: bytes.length / ROW_BYTES }, (_, at) => rowIn(bytes, at));
}

export function encodeEnds(ends: readonly VectorEnd[]): Buffer {
  const bytes = Buffer.alloc(END_BYTES * ends.length);
  for (const [at, { row, tx, validTo }] of ends.entries()) {
    bytes.writeUInt32LE(row, END_BYTES * at);
    bytes.writeDoubleLE(tx, END_BYTES * at + 8);
    bytes.writeDoubleLE(validTo, END_BYTES * at + 16);
  }
  return seal(bytes);
}

export function decodeEnds(value: Buffer | undefined, block: number, count: number): VectorEnd[] {
  const bytes = unseal(value, `block ${block} of the ends of vectors`, VECTOR_DAMAGE_HINT);
  if (bytes.length < END_BYTES * count || bytes.length % END_BYTES !== 0) {
    throw damagedVectors(`block ${block} of the ends of vectors has ${bytes.length} bytes`);
  }
  return Array.from({ length: bytes.length / END_BYTES }, (_, at) => ({
    row: bytes.readUInt32LE(END_BYTES * at),
    tx: bytes.readDoubleLE(END_BYTES * at + 8),
    validTo: bytes.readDoubleLE(END_BYTES * at + 16),
  }));
}

export function encodeNumber(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return seal(bytes);
}

export function decodeNumber(value: Buffer, what: string): number {
  const bytes = unseal(value, what, VECTOR_DAMAGE_HINT);
  if (bytes.length !== 4) throw damagedVectors(`${what} is damaged`);
  return bytes.readUInt32LE();
}

let scratch: { readonly memory: ThreadMemory; readonly address: number; readonly bytes: number } | null = null;

/** Scratch memory of this thread, for the time of one call. */
export function scratchMemory(bytes: number): { readonly memory: ThreadMemory; readonly address: number } {
  if (scratch === null || scratch.bytes < bytes) {
    const memory = scratch?.memory ?? new ThreadMemory();
    if (scratch !== null) memory.free(scratch.address, scratch.bytes);
    const room = Math.max(bytes, 64 * 1024);
    scratch = { memory, address: memory.allocate(room), bytes: room };
  }
  return scratch;
}

/** Of all bytes. */
export function checksumOf(bytes: Uint8Array): number {
  const { memory, address } = scratchMemory(bytes.length + 16);
  memory.bytes.set(bytes, address);
  return memory.kernels.checksum(address, bytes.length) >>> 0;
}

/** The numbers of a vector as bytes, whatever the order of bytes of this machine; those that run the kernels have this one. */
export function bytesOfVector(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** The numbers of a vector that was read, as a copy. */
export function floatsOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/** A block of vectors of one dimension, as long as there are rows for it. */
export class ValueBlock {
  readonly #bytes: Buffer;
  readonly #room: number;
  readonly #vectorBytes: number;

  private constructor(bytes: Buffer, dimension: number) {
    this.#bytes = bytes;
    this.#room = valuesOfBlock(dimension);
    this.#vectorBytes = 4 * dimension;
  }

  /** Empty, or as it was stored; it may end anywhere. */
  static of(value: Buffer | undefined, dimension: number): ValueBlock {
    const room = valuesOfBlock(dimension) * (4 * dimension + CHECKSUM_BYTES);
    const bytes = Buffer.alloc(room);
    value?.copy(bytes);
    return new ValueBlock(bytes, dimension);
  }

  put(at: number, vector: Float32Array): void {
    invariant(vector.byteLength === this.#vectorBytes && at < this.#room, 'a block holds vectors of one dimension');
    const bytes = bytesOfVector(vector);
    this.#bytes.set(bytes, this.#begin(at));
    this.#bytes.writeUInt32LE(checksumOf(bytes), CHECKSUM_BYTES * at);
  }

  /** With so many vectors. */
  bytes(count: number): Buffer {
    return this.#bytes.subarray(0, this.#begin(count));
  }

  #begin(at: number): number {
    return CHECKSUM_BYTES * this.#room + this.#vectorBytes * at;
  }
}

/** The bytes of one vector of a stored block; throws `store_corrupt` where they are not what was written. */
export function vectorBytesIn(value: Buffer | undefined, dimension: number, row: number): Buffer {
  const bytes = storedVectorBytes(value, dimension, row);
  if (bytes === null) throw damagedVectors(`vector ${row} is missing`);
  const at = row % valuesOfBlock(dimension);
  if (checksumOf(bytes) !== (value as Buffer).readUInt32LE(CHECKSUM_BYTES * at)) {
    throw damagedVectors(`vector ${row} is damaged`);
  }
  return bytes;
}

/** Unchecked; null = the block ends before. */
function storedVectorBytes(value: Buffer | undefined, dimension: number, row: number): Buffer | null {
  const room = valuesOfBlock(dimension);
  const begin = CHECKSUM_BYTES * room + 4 * dimension * (row % room);
  const end = begin + 4 * dimension;
  return value === undefined || value.length < end ? null : value.subarray(begin, end);
}
