/**
 * A part of the codes of a segment, as it is stored and as kernels read it:
 *
 * | Bytes             | What                                                                        |
 * |-------------------|-----------------------------------------------------------------------------|
 * | 4                 | checksum of all that follows                                                |
 * | 4                 | rows                                                                        |
 * | 8                 | nothing                                                                     |
 * | 4 a row           | scales, f32                                                                 |
 * | 4 a row           | residuals, f32                                                              |
 * | 4 a row           | of a code: its row; of a centre: the place behind the last code of its list |
 * | `stride` each row | codes                                                                       |
 */

import type { ThreadMemory } from '../../../kernels/memory.js';
import { damagedVectors } from './damaged-vectors.js';

const HEADER_BYTES = 16;
const CHECKSUM_BYTES = 4;
const WORD_BYTES = 4;
/** Codes are read 16 bytes at a time. */
const STRIDE_STEP = 16;
/** Of a part of a segment that is not its last. */
export const PART_ROWS = 512;

export function strideOf(dimension: number): number {
  return STRIDE_STEP * Math.ceil(dimension / STRIDE_STEP);
}

export function partBytes(rows: number, stride: number): number {
  return HEADER_BYTES + rows * (3 * WORD_BYTES + stride);
}

/** A part in kernel memory; addresses. */
export interface CodePart {
  readonly rows: number;
  readonly scales: number;
  readonly residuals: number;
  readonly numbers: number;
  readonly codes: number;
}

/** Where what belongs to so many rows lies behind an address. */
export function partAt(address: number, rows: number): CodePart {
  const scales = address + HEADER_BYTES;
  const residuals = scales + WORD_BYTES * rows;
  const numbers = residuals + WORD_BYTES * rows;
  return { rows, scales, residuals, numbers, codes: numbers + WORD_BYTES * rows };
}

/** Writes header and checksum of a part that was filled; returns its bytes. */
export function sealPart(memory: ThreadMemory, address: number, rows: number, stride: number): Buffer {
  const bytes = partBytes(rows, stride);
  const words = memory.words;
  words[address / WORD_BYTES + 1] = rows;
  words[address / WORD_BYTES + 2] = 0;
  words[address / WORD_BYTES + 3] = 0;
  words[address / WORD_BYTES] = memory.kernels.checksum(address + CHECKSUM_BYTES, bytes - CHECKSUM_BYTES);
  return Buffer.from(memory.bytesAt(address, bytes));
}

/** Copies a stored part to an address that has room for it, and checks it. */
export function openPart(
  memory: ThreadMemory,
  address: number,
  value: Buffer | undefined,
  rows: number,
  stride: number,
  what: string,
): CodePart {
  if (value === undefined) throw damagedVectors(`${what} is missing`);
  const bytes = partBytes(rows, stride);
  if (value.length !== bytes) throw damagedVectors(`${what} has ${value.length} bytes instead of ${bytes}`);
  memory.bytes.set(value, address);
  const checksum = memory.kernels.checksum(address + CHECKSUM_BYTES, bytes - CHECKSUM_BYTES) >>> 0;
  if (checksum !== value.readUInt32LE(0) || value.readUInt32LE(CHECKSUM_BYTES) !== rows) {
    throw damagedVectors(`${what} is damaged`);
  }
  return partAt(address, rows);
}
