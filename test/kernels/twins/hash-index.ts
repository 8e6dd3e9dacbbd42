/** Twin of `as/hash-index.ts`: blocks of a hash index by the table at its head. */

import { joinBytes, packBits, readBits } from './bits.js';

const HEADER_BYTES = 16;
const TAG_BITS = 20;
const PADDING_BYTES = 8;

export interface HashEntry {
  readonly hash: bigint;
  readonly number: number;
}

export interface TagEntry {
  readonly tag: number;
  readonly number: number;
}

function scaled(hash: bigint, blocks: number): bigint {
  return (hash >> 32n) * BigInt(blocks);
}

/** The block of a hash. */
export function hashBlock(hash: bigint, blocks: number): number {
  return Number(scaled(hash, blocks) >> 32n);
}

/** The 20 bits that tell the entries of a block apart. */
export function tagOf(hash: bigint, blocks: number): number {
  return Number((scaled(hash, blocks) & 0xffffffffn) >> 12n);
}

function numbersOffset(entries: number): number {
  return 8 * Math.ceil((HEADER_BYTES + Math.ceil((entries * TAG_BITS) / 8)) / 8);
}

/** The block of entries that all belong into it, in the order of their hashes. */
export function encodeHashBlock(entries: readonly HashEntry[], blocks: number, width: number): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(entries.length, 4);
  header.writeUInt32LE(width, 8);
  const tags = packBits(
    entries.map(({ hash }) => BigInt(tagOf(hash, blocks))),
    TAG_BITS,
  );
  const numbers = packBits(
    entries.map(({ number }) => BigInt(number)),
    width,
  );
  const gap = new Uint8Array(numbersOffset(entries.length) - HEADER_BYTES - tags.length);
  return joinBytes([header, tags, gap, numbers, new Uint8Array(PADDING_BYTES)]);
}

export function listHashBlock(block: Uint8Array): TagEntry[] {
  const header = Buffer.from(block.subarray(0, HEADER_BYTES));
  const entries = header.readUInt32LE(4);
  const width = header.readUInt32LE(8);
  return Array.from({ length: entries }, (_, i) => ({
    tag: Number(readBits(block, 8 * HEADER_BYTES + TAG_BITS * i, TAG_BITS)),
    number: Number(readBits(block, 8 * numbersOffset(entries) + width * i, width)),
  }));
}

/** Numbers that a hash may stand for. */
export function findInHashBlock(block: Uint8Array, hash: bigint, blocks: number): number[] {
  const wanted = tagOf(hash, blocks);
  return listHashBlock(block)
    .filter(({ tag }) => tag === wanted)
    .map(({ number }) => number);
}
