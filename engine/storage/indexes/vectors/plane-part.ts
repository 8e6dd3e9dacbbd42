/**
 * A part of the codes of a segment as searches look at it: its columns, and the codes as two planes
 * (`kernels/as/code-planes.ts`). It is made of a stored part when that is read.
 */

import type { ThreadMemory } from '../../../kernels/memory.js';
import type { CodePart } from './code-part.js';

/** Of each row a scale, a residual, a slack and its number. */
const COLUMNS_BYTES = 16;
/** A plane has 16 bytes for so many numbers. */
const GROUP_NUMBERS = 32;
const GROUP_BYTES = 16;
/** Rows of planes begin with lines of the cache. */
const LINE_BYTES = 64;

/** Bytes of a row of a plane. */
export function planeBytesOf(dimension: number): number {
  return GROUP_BYTES * Math.ceil(dimension / GROUP_NUMBERS);
}

/** Addresses; slacks are how far what the upper bits say is off. */
export interface PlanePart {
  readonly rows: number;
  readonly scales: number;
  readonly residuals: number;
  readonly slacks: number;
  readonly numbers: number;
  readonly upper: number;
  readonly lower: number;
}

/** Parts that lie one behind the other; the address is that of the upper plane of the first one. */
export interface PlaneRun {
  readonly upper: number;
  readonly parts: number;
}

/** Rows `[from, from + rows)` as codes: those of a segment, or those behind the last one. */
export interface CodeSegment {
  readonly rows: number;
  /** Of a segment with lists: the centres, and where each list ends. */
  readonly centres: readonly CodePart[];
  readonly listEnds: Uint32Array;
  readonly partCount: number;
  readonly from: number;
  /** Address of the place of each row, u32; 0 = they are not kept. */
  places(): number;
  /** Its rows are those that the part is to have; the part is there until the next one is asked for. */
  part(at: number): PlanePart;
  /** Parts from one on, at least that one and at most so many; they are there until others are asked for. */
  run(at: number, count: number): PlaneRun;
}

/** With what is left out so that planes begin with a line, wherever the part lies. */
export function planePartBytes(rows: number, plane: number): number {
  return LINE_BYTES * Math.ceil((rows * (COLUMNS_BYTES + 2 * plane)) / LINE_BYTES) + LINE_BYTES;
}

/** Where what belongs to so many rows lies behind an address; `room` is the rows that the part has room for. */
export function planePartAt(address: number, rows: number, room: number, plane: number): PlanePart {
  const upper = LINE_BYTES * Math.ceil(address / LINE_BYTES);
  const lower = upper + plane * room;
  const scales = lower + plane * room;
  const [residuals, slacks, numbers] = [scales + 4 * room, scales + 8 * room, scales + 12 * room];
  return { rows, scales, residuals, slacks, numbers, upper, lower };
}

/** Fills rows of a part, from one on, with codes. */
export function splitInto(
  memory: ThreadMemory,
  part: PlanePart,
  first: number,
  codes: CodePart,
  { stride, dimension, plane }: { readonly stride: number; readonly dimension: number; readonly plane: number },
): void {
  const { bytes } = memory;
  for (const column of ['scales', 'residuals', 'numbers'] as const) {
    bytes.copyWithin(part[column] + 4 * first, codes[column], codes[column] + 4 * codes.rows);
  }
  memory.kernels.splitCodes(
    codes.codes,
    codes.rows,
    stride,
    dimension,
    codes.scales,
    codes.residuals,
    part.upper + plane * first,
    part.lower + plane * first,
    plane,
    part.slacks + 4 * first,
  );
}
