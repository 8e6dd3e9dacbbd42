/**
 * Rows of facts as files: one, or several, for each predicate with many rows, and shared ones for the others; in each
 * sorted by predicate, subject, object and graph.
 *
 * Storage gives rows by subject. One pass over them hands each row to its predicate's buffer, which is sorted then, and
 * holds no more than a row group; rows of small predicates are kept until the end of the pass. Where there are too many of either,
 * there are several passes, each for some predicates, so that memory is bounded whatever the store.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { makeId, TAG } from '../../storage/ids/layout.js';
import {
  type Batch,
  COLUMNS,
  type Column,
  type GraphSet,
  type IdColumn,
  type ScanPattern,
  type StorageSnapshot,
  type TimeSlice,
} from '../../storage/seam/scan.js';
import type { StoredFile } from '../lake-file.js';
import { FACT_COLUMNS } from '../layout.js';
import type { LakeTarget } from '../target/target.js';
import { RowBuffer, type RowColumns } from './row-buffer.js';
import { TableFile } from './table-file.js';

/** Rows from which on a predicate has files of its own. */
export const LARGE_ROWS = 65_536;
/** Predicates with many rows in one pass: so many row groups stand in memory, 8 MiB each. */
const LARGE_AT_ONCE = 24;
/** Rows of the others in one pass, 64 bytes each. */
const SMALL_ROWS_AT_ONCE = 1 << 20;
/** A longer file is followed by another, so that readers can share the work. */
const FILE_ROWS = 32 * 1024 * 1024;
const STEP_BATCHES = 32;

export interface RowSource {
  readonly snapshot: StorageSnapshot;
  readonly graphs: GraphSet;
  readonly time: TimeSlice;
  /** Whether a row that the scan gives is wanted; absent = all are. */
  readonly wanted?: ((columns: RowColumns, row: number) => boolean) | undefined;
}

export interface FactFilesOptions {
  readonly target: LakeTarget;
  /** Folder of the table. */
  readonly folder: string;
  /** Begins the name of each file. */
  readonly prefix: string;
  readonly tx: number;
  readonly control: Control;
  readonly onRows: (rows: number) => void;
  /** Told of every row group before it is written. */
  readonly onGroup: (columns: RowColumns, rows: number) => void;
  /** All files of a predicate, or the shared ones (null), are there. */
  readonly onFiles: (predicate: number | null, files: readonly StoredFile[]) => Promise<void> | void;
  /** Whether a predicate has files of its own; absent = those with many rows. */
  readonly isApart?: ((predicate: number, rows: number) => boolean) | undefined;
  /** The source has rows of other predicates, too. */
  readonly isPart?: boolean | undefined;
  /** Predicates whose files are there already: their rows are shown to `onGroup` only. */
  readonly done?: ReadonlySet<number | null> | undefined;
}

/** Rows by number of the predicate. */
export type RowCounts = ReadonlyMap<number, number>;

/** Counts rows as the files will have them. */
export async function countRows(source: RowSource, control: Control): Promise<RowCounts> {
  const counts = new Map<number, number>();
  // What decides whether a row is wanted may be any of its columns.
  const columns: readonly Column[] = source.wanted === undefined ? ['p', 'txFrom'] : COLUMNS;
  for await (const { columns: found, rows, selection } of batches(source, {}, columns, control)) {
    const p = found.p as IdColumn;
    let [last, count] = [-1, 0];
    for (let at = 0; at < (selection?.length ?? rows); at++) {
      const row = selection === null ? at : (selection[at] as number);
      if (source.wanted?.(found as RowColumns, row) === false) continue;
      const number = numberAt(p, row);
      if (number !== last) {
        if (count > 0) counts.set(last, (counts.get(last) ?? 0) + count);
        [last, count] = [number, 0];
      }
      count++;
    }
    if (count > 0) counts.set(last, (counts.get(last) ?? 0) + count);
  }
  return counts;
}

export async function writeFactFiles(source: RowSource, counts: RowCounts, options: FactFilesOptions): Promise<number> {
  const shared = new Output(source, options, null);
  let rows = 0;
  const { isApart = (_, count) => count >= LARGE_ROWS, isPart = false } = options;
  const passes = passesOf(counts, isApart);
  const outputs: Output[] = [shared];
  try {
    for (const pass of passes) {
      const larges = new Map(
        pass.large.map((number) => [number, new Output(source, options, number, counts.get(number))]),
      );
      outputs.push(...larges.values());
      rows += await writePass(source, passes.length === 1 && !isPart ? null : pass, larges, shared, options);
    }
    await shared.finish();
  } catch (error) {
    for (const output of outputs) await output.abandon();
    throw error;
  }
  return rows;
}

interface Pass {
  readonly large: readonly number[];
  readonly small: readonly number[];
}

function passesOf(counts: RowCounts, isApart: (predicate: number, rows: number) => boolean): Pass[] {
  const numbers = [...counts.keys()].sort((a, b) => a - b);
  const apart = new Set(numbers.filter((number) => isApart(number, counts.get(number) as number)));
  const large = [...apart];
  const passes: { large: number[]; small: number[] }[] = [];
  for (let from = 0; from < large.length; from += LARGE_AT_ONCE) {
    passes.push({ large: large.slice(from, from + LARGE_AT_ONCE), small: [] });
  }
  let [at, rows] = [0, 0];
  for (const number of numbers) {
    const own = counts.get(number) as number;
    if (apart.has(number)) continue;
    if (rows + own > SMALL_ROWS_AT_ONCE) {
      at++;
      rows = 0;
    }
    passes[at] ??= { large: [], small: [] };
    passes[at]?.small.push(number);
    rows += own;
  }
  return passes;
}

/** Null as the pass: it takes every row. */
async function writePass(
  source: RowSource,
  pass: Pass | null,
  larges: ReadonlyMap<number, Output>,
  shared: Output,
  options: FactFilesOptions,
): Promise<number> {
  const smalls = new Map<number, RowBuffer[]>();
  let rows = 0;
  const pattern = pass === null ? {} : patternOf([...pass.large, ...pass.small]);
  for await (const batch of batches(source, pattern, COLUMNS, options.control)) {
    const columns = batch.columns as RowColumns;
    const count = batch.selection?.length ?? batch.rows;
    for (let at = 0; at < count; at++) {
      const row = batch.selection === null ? at : (batch.selection[at] as number);
      if (source.wanted?.(columns, row) === false) continue;
      rows++;
      const number = numberAt(columns.p, row);
      const large = larges.get(number);
      if (large === undefined) appendSmall(smalls, number, columns, row);
      else if (large.append(columns, row)) await large.flush();
    }
    options.onRows(count);
  }
  for (const number of [...smalls.keys()].sort((a, b) => a - b)) {
    for (const buffer of smalls.get(number) as RowBuffer[]) await shared.appendAll(buffer);
    smalls.delete(number);
  }
  for (const large of larges.values()) await large.finish();
  return rows;
}

function appendSmall(smalls: Map<number, RowBuffer[]>, number: number, columns: RowColumns, row: number): void {
  let buffers = smalls.get(number);
  if (buffers === undefined) {
    buffers = [new RowBuffer()];
    smalls.set(number, buffers);
  }
  let buffer = buffers.at(-1) as RowBuffer;
  if (buffer.isFull) {
    buffer = new RowBuffer();
    buffers.push(buffer);
  }
  buffer.append(columns, row);
}

/** The files of one predicate, or the shared ones. */
class Output {
  readonly #source: RowSource;
  readonly #options: FactFilesOptions;
  readonly #predicate: number | null;
  readonly #buffer: RowBuffer;
  #file: TableFile | null = null;
  #files: StoredFile[] = [];
  #names = 0;
  readonly #isDone: boolean;

  constructor(source: RowSource, options: FactFilesOptions, predicate: number | null, expected?: number) {
    this.#source = source;
    this.#options = options;
    this.#predicate = predicate;
    this.#buffer = new RowBuffer(expected);
    this.#isDone = options.done?.has(predicate) ?? false;
  }

  /** True when the buffer is full. */
  append(columns: RowColumns, row: number): boolean {
    this.#buffer.append(columns, row);
    return this.#buffer.isFull;
  }

  async appendAll({ columns, rows }: RowBuffer): Promise<void> {
    for (let row = 0; row < rows; row++) if (this.append(columns, row)) await this.flush();
  }

  async flush(): Promise<void> {
    const { rows, columns } = this.#buffer;
    if (rows === 0) return;
    const { target, onGroup } = this.#options;
    onGroup(columns, rows);
    if (this.#isDone) {
      this.#buffer.clear();
      return;
    }
    this.#file ??= await TableFile.begin(target, this.#name(), FACT_COLUMNS);
    await this.#file.group(rows, this.#buffer.group(this.#source.snapshot));
    this.#buffer.clear();
    if (this.#file.rows >= FILE_ROWS) await this.#end();
  }

  async finish(): Promise<void> {
    await this.flush();
    await this.#end();
    if (!this.#isDone) await this.#options.onFiles(this.#predicate, this.#files);
  }

  async abandon(): Promise<void> {
    await this.#file?.abandon();
    this.#file = null;
  }

  async #end(): Promise<void> {
    if (this.#file === null) return;
    const { tx } = this.#options;
    const file = await this.#file.finish(
      tx,
      this.#predicate === null ? undefined : String(predicateId(this.#predicate)),
    );
    this.#file = null;
    this.#files.push(file);
  }

  #name(): string {
    const { folder, prefix } = this.#options;
    const what = this.#predicate === null ? 'shared' : `p${this.#predicate}`;
    return `${folder}/data/${prefix}-${what}-${++this.#names}.parquet`;
  }
}

function predicateId(number: number): bigint {
  return makeId(TAG.iri, 0, BigInt(number));
}

function numberAt(column: IdColumn, row: number): number {
  return ((column[2 * row + 1] as number) & 0xffff) * 2 ** 32 + (column[2 * row] as number);
}

function patternOf(numbers: readonly number[]): ScanPattern {
  const ids = numbers.map(predicateId).sort((a, b) => (a < b ? -1 : 1));
  return { p: { kind: 'ranges', ranges: ids.map((id) => ({ from: id, to: id + 1n })) } };
}

async function* batches(
  { snapshot, graphs, time }: RowSource,
  pattern: ScanPattern,
  columns: readonly Column[],
  control: Control,
): AsyncGenerator<Batch> {
  const cursor = snapshot.scan({ graphs, pattern, time, order: columns.includes('s') ? 'SPOG' : 'POSG', columns });
  try {
    let count = 0;
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      yield batch;
      if (++count % STEP_BATCHES !== 0) continue;
      await breathe();
      throwIfStopped(control, 'the export');
    }
  } finally {
    cursor.close();
  }
}

/** Rows of the predicates from the statistics of the store, which cost nothing. */
export function knownCounts(snapshot: StorageSnapshot, graphs: GraphSet): RowCounts {
  return new Map(snapshot.predicates(graphs).map(({ predicate, rows }) => [Number(predicate & 0xffffffffffffn), rows]));
}
