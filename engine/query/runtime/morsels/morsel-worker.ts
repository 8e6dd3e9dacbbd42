/**
 * Follows a program (`program.ts`) over one morsel after another, with kernels only: in the thread of the query and in its
 * helpers alike. What kernels can't decide, and a morsel of too many groups, it leaves to the thread of the query.
 */

import type { KernelExports } from '../../../kernels/exports.js';
import type { ThreadMemory } from '../../../kernels/memory.js';
import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { PackedReader, type PackedRows } from '../../../storage/sources/packed-reader.js';
import {
  keysAt,
  MORSEL_GROUPS_MAX,
  MORSEL_PARTS_MAX,
  type MorselAggregate,
  type MorselProgram,
  partAt,
  recordBytes,
  recordsAt,
  SLOT_GROUPS,
  SLOT_ROWS,
} from './program.js';

/** At most half of the slots of the table have a key. */
const TABLE_SLOTS = 2 * MORSEL_GROUPS_MAX;
const SLOT_BYTES_OF_ONE = 12;
const SLOT_BYTES_OF_MANY = 8;
/** Words of a table of keys in front of the addresses of its columns; see `kernels/as/id-table.ts`. */
const TABLE_HEAD_WORDS = 6;
const SEGMENT_WORDS = 4;
/** What is not handed out of a range: paddings of allocations. */
const SLACK_BYTES = 65_536;

interface Range {
  readonly address: number;
  readonly bytes: number;
}

/** Bytes of memory that a worker takes for itself. */
export function workerBytes(program: MorselProgram): number {
  const columns = program.columns.length + program.tests.length;
  return 2 * (16 * BATCH_ROWS + 8 * BATCH_ROWS * (columns + 1) + TABLE_SLOTS * SLOT_BYTES_OF_ONE) + SLACK_BYTES;
}

export class MorselWorker {
  readonly reader: PackedReader;
  private readonly kernels: KernelExports;
  private readonly ranges: Range[] = [];
  private readonly numbersAt: number;
  private readonly keyListAt: number;
  private readonly tableAt: number;
  private readonly segmentAt: number;
  private readonly slotsAt: number;
  private readonly slotsBytes: number;

  constructor(
    private readonly memory: ThreadMemory,
    private readonly program: MorselProgram,
  ) {
    const { tests, columns, keys } = program;
    this.kernels = memory.kernels;
    this.reader = new PackedReader(memory, tests, columns);
    this.numbersAt = this.take(4 * BATCH_ROWS);
    this.kernels.zero(this.numbersAt, 4 * BATCH_ROWS);
    this.slotsBytes = TABLE_SLOTS * (keys.length === 1 ? SLOT_BYTES_OF_ONE : SLOT_BYTES_OF_MANY);
    this.slotsAt = keys.length === 0 || program.sorted ? 0 : this.take(this.slotsBytes);
    this.keyListAt = this.take(4 * Math.max(1, keys.length));
    this.tableAt = this.take(4 * (TABLE_HEAD_WORDS + Math.max(1, keys.length)));
    this.segmentAt = this.take(4 * SEGMENT_WORDS);
    keys.forEach((column, at) => {
      memory.words[this.keyListAt / 4 + at] = this.reader.addresses[column] as number;
    });
  }

  private take(bytes: number): number {
    const address = this.memory.allocate(bytes);
    this.ranges.push({ address, bytes });
    return address;
  }

  /** False when the rows of the morsel are to be taken one by one, or it was stopped. */
  run(slot: number, isStopped: () => boolean): boolean {
    const { memory, program } = this;
    const parts = memory.words[slot / 4] as number;
    let groups = this.begin(slot);
    let passed = 0;
    for (let part = 0; part < Math.min(parts, MORSEL_PARTS_MAX); part++) {
      if (isStopped()) return false;
      const rows = this.reader.read(this.partOf(slot, part));
      if (rows === 0) continue;
      passed += rows;
      if (program.keys.length > 0) {
        if (this.assign(rows) < rows) return false;
        groups = this.widen(slot, groups);
      }
      for (let at = 0; at < program.aggregates.length; at++) {
        const records = recordsAt(program, slot, at);
        if (this.gather(program.aggregates[at] as MorselAggregate, rows, records) < rows) return false;
      }
    }
    memory.words[slot / 4 + SLOT_GROUPS] = groups;
    memory.words[slot / 4 + SLOT_ROWS] = passed;
    return true;
  }

  partOf(slot: number, part: number): PackedRows {
    const { words } = this.memory;
    const at = partAt(slot, part) / 4;
    return {
      address: words[at] as number,
      rows: words[at + 1] as number,
      from: words[at + 2] as number,
      to: words[at + 3] as number,
      open: words[at + 4] as number,
      deadAt: words[at + 5] as number,
      dead: words[at + 6] as number,
    };
  }

  /** Empties the table, whose keys are to lie in the slot; gives the groups there are without keys. */
  private begin(slot: number): number {
    const { memory, program, tableAt, segmentAt } = this;
    const { keys } = program;
    if (keys.length === 0) {
      this.zeroRecords(slot, 0, 1);
      return 1;
    }
    const { words } = memory;
    const table = tableAt / 4;
    words.fill(0, table, table + TABLE_HEAD_WORDS);
    words[table] = keys.length;
    words[table + 2] = MORSEL_GROUPS_MAX;
    words[table + 4] = segmentAt;
    for (let key = 0; key < keys.length; key++) words[table + TABLE_HEAD_WORDS + key] = keysAt(program, slot, key);
    if (!program.sorted) {
      words.set([this.slotsAt, TABLE_SLOTS - 1, 0, MORSEL_GROUPS_MAX + 1], segmentAt / 4);
      this.kernels.zero(this.slotsAt, this.slotsBytes);
    }
    return 0;
  }

  private assign(rows: number): number {
    const { kernels, program, tableAt, keyListAt, numbersAt } = this;
    return program.sorted
      ? kernels.assignRuns(tableAt, keyListAt, 0, rows, numbersAt)
      : kernels.assignIds(tableAt, keyListAt, 0, rows, numbersAt);
  }

  /** Records of groups that are new begin empty. */
  private widen(slot: number, before: number): number {
    const groups = this.memory.words[this.tableAt / 4 + 1] as number;
    if (groups > before) this.zeroRecords(slot, before, groups);
    return groups;
  }

  private zeroRecords(slot: number, from: number, to: number): void {
    const { program, kernels } = this;
    for (let at = 0; at < program.aggregates.length; at++) {
      const bytes = recordBytes(program.aggregates[at] as MorselAggregate);
      kernels.zero(recordsAt(program, slot, at) + bytes * from, bytes * (to - from));
    }
  }

  /** Gives the row at which kernels can't go on, or the number of rows. */
  private gather({ kind, column }: MorselAggregate, rows: number, records: number): number {
    const { kernels, numbersAt } = this;
    const ids = column < 0 ? 0 : (this.reader.addresses[column] as number);
    switch (kind) {
      case 'count':
        kernels.countRows(ids, numbersAt, rows, records);
        return rows;
      case 'sum':
        return kernels.sumGroups(ids, numbersAt, 0, rows, records);
      case 'sample':
        kernels.sampleGroups(ids, numbersAt, rows, records);
        return rows;
      default:
        return kernels.extremeGroups(ids, numbersAt, 0, rows, records, kind === 'greatest' ? 1 : 0);
    }
  }

  release(): void {
    this.reader.release();
    for (const { address, bytes } of this.ranges.splice(0)) this.memory.free(address, bytes);
  }
}
