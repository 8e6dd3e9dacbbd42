/**
 * What is done with the rows of a morsel, a few packed blocks, as plain data that any thread can follow: tests and columns of a
 * scan, how its rows are grouped, what is gathered of each group. And how the groups of a morsel lie in memory, in a slot:
 *
 * | words            | meaning                                                        |
 * |------------------|----------------------------------------------------------------|
 * | 0                | parts of blocks                                                 |
 * | 1                | groups that were found                                         |
 * | 2                | rows that passed                                               |
 * | 8 + 8 * n ...    | of each part: address, rows of the block, from, to, open tests, address and number of dead rows |
 *
 * Behind them stand the keys of the groups, a column after the other, and the records of each aggregate.
 */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import type { ScanTest } from '../../../storage/seam/scan-tests.js';

/** More groups than that make a morsel no shorter; it is then taken row by row. */
export const MORSEL_GROUPS_MAX = BATCH_ROWS;
/** Blocks of a morsel at most. */
export const MORSEL_PARTS_MAX = 16;

export const SLOT_GROUPS = 1;
export const SLOT_ROWS = 2;
const HEAD_WORDS = 8;
export const PART_WORDS = 8;
const BYTES_PER_ID = 8;

/** Bytes of the record of a group, as kernels and accumulators have it. */
const RECORD_BYTES = { count: 8, sum: 24, least: 16, greatest: 16, sample: 8 } as const;

export interface MorselAggregate {
  readonly kind: keyof typeof RECORD_BYTES;
  /** The place of its column among those that are decoded; -1 = whole rows are counted. */
  readonly column: number;
}

export interface MorselProgram {
  readonly tests: readonly ScanTest[];
  /** Numbers of the columns that are decoded. */
  readonly columns: readonly number[];
  /** Places of the columns of the key among them. */
  readonly keys: readonly number[];
  /** Rows of one group come side by side. */
  readonly sorted: boolean;
  readonly aggregates: readonly MorselAggregate[];
}

export function recordBytes({ kind }: MorselAggregate): number {
  return RECORD_BYTES[kind];
}

/** Groups for which a slot has room: without keys there is one. */
export function slotGroups({ keys }: MorselProgram): number {
  return keys.length === 0 ? 1 : MORSEL_GROUPS_MAX;
}

export function partAt(slot: number, part: number): number {
  return slot + 4 * (HEAD_WORDS + PART_WORDS * part);
}

/** Where the keys of the groups are, a column after the other. */
export function keysAt(program: MorselProgram, slot: number, key: number): number {
  return partAt(slot, MORSEL_PARTS_MAX) + BYTES_PER_ID * slotGroups(program) * key;
}

/** Where the records of an aggregate are. */
export function recordsAt(program: MorselProgram, slot: number, aggregate: number): number {
  let address = keysAt(program, slot, program.keys.length);
  for (const before of program.aggregates.slice(0, aggregate)) address += recordBytes(before) * slotGroups(program);
  return address;
}

export function slotBytes(program: MorselProgram): number {
  return recordsAt(program, 0, program.aggregates.length);
}
