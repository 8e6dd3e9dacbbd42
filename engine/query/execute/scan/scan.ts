/**
 * A block scan as an operator: rows of the seam become rows of variables. A position that repeats a
 * variable is tested against its first place.
 */

import { invariant } from '../../../base/errors.js';
import {
  BATCH_ROWS,
  type Batch,
  COLUMNS,
  type Column,
  type IdColumn,
  type ProbeCursor,
  type ScanCursor,
  type ScanRequest,
  type StorageSnapshot,
  type TermColumn,
} from '../../../storage/seam/scan.js';
import { BatchBuffer, copyId, type QueryBatch } from '../../runtime/batch.js';
import { sameId } from '../../runtime/ids.js';
import { countBlocks, type KeyFilter, Operator, type PackedInput, PENDING, type Step } from '../../runtime/operator.js';
import { openLookups } from './keyed-scan.js';

/** Looking a key up costs as much as to scan and join so many rows: 1.2 microseconds against 30 nanoseconds. */
const ROWS_PER_LOOKUP = 40;

/** Variables of a scan and the positions they stand in. */
export interface ScanOutput {
  readonly variable: string;
  readonly position: TermColumn;
}

export interface ScanSpec {
  /** Without columns; the operator asks for what it needs. */
  readonly request: Omit<ScanRequest, 'columns'>;
  readonly outputs: readonly ScanOutput[];
  /** Positions that hold the same variable. */
  readonly equal: readonly (readonly [TermColumn, TermColumn])[];
}

/** The columns that a scan of this spec has to read. */
export function columnsRead(spec: ScanSpec): Set<Column> {
  const wanted = new Set<Column>(spec.outputs.map((output) => output.position));
  for (const [first, second] of spec.equal) wanted.add(first).add(second);
  return wanted;
}

/** True when the positions that share a variable hold the same id. */
export function repeatsAgree(spec: ScanSpec, batch: Batch, row: number): boolean {
  for (const [first, second] of spec.equal) {
    if (!sameId(batch.columns[first] as IdColumn, row, batch.columns[second] as IdColumn, row)) return false;
  }
  return true;
}

export class ScanOperator extends Operator {
  /** Of lookups where few keys are of use. */
  private cursor: ScanCursor | ProbeCursor | null = null;
  private readonly buffer: BatchBuffer;

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly spec: ScanSpec,
    /** What the planner expects; 0 = keys are never looked up instead. */
    private readonly expectedRows = 0,
  ) {
    super(spec.outputs.map((output) => output.variable));
    this.buffer = new BatchBuffer(spec.outputs.length);
  }

  override narrow(filter: KeyFilter): void {
    if (this.cursor !== null) return;
    if (filter.rows * ROWS_PER_LOOKUP >= this.expectedRows) return;
    const { request, outputs } = this.spec;
    const position = outputs.find(({ variable }) => variable === filter.variable)?.position;
    this.cursor = openLookups(this.snapshot, request, [...columnsRead(this.spec)], position, filter);
  }

  override packed(): PackedInput | null {
    const { spec, snapshot, statistics } = this;
    if (this.cursor !== null || spec.equal.length > 0) return null;
    const cursor = snapshot.scan({ ...spec.request, columns: [...columnsRead(spec)] });
    this.cursor = cursor;
    const scan = cursor.packed?.() ?? null;
    if (scan === null) return null;
    return {
      scan: {
        memory: scan.memory,
        rows: scan.rows,
        tests: scan.tests,
        next: () => countBlocks(snapshot, statistics, () => scan.next()),
        giveBack: (part) => scan.giveBack(part),
        close: () => scan.close(),
      },
      columns: spec.outputs.map(({ position }) => COLUMNS.indexOf(position)),
      note: (rows) => {
        statistics.rows += rows;
        statistics.batches++;
      },
      end: () => {
        statistics.complete = true;
      },
    };
  }

  protected step(): Step {
    const { spec, snapshot, statistics } = this;
    this.cursor ??= snapshot.scan({ ...spec.request, columns: [...columnsRead(spec)] });
    const { cursor } = this;
    const batch = countBlocks(snapshot, statistics, () => cursor.next());
    if (batch === null) return null;
    return batch.rows === 0 ? PENDING : this.translate('selection' in batch ? batch : { ...batch, selection: null });
  }

  private translate(batch: Batch): Step {
    invariant(batch.rows <= BATCH_ROWS, 'a scan gives at most a batch');
    const { outputs, equal } = this.spec;
    if (batch.selection === null && equal.length === 0) {
      return { rows: batch.rows, columns: outputs.map((output) => batch.columns[output.position] as IdColumn) };
    }
    const picked = this.pick(batch);
    return picked.rows === 0 ? PENDING : picked;
  }

  private pick(batch: Batch): QueryBatch {
    const { buffer, spec } = this;
    buffer.clear();
    const rows = batch.selection?.length ?? batch.rows;
    for (let index = 0; index < rows; index++) {
      const row = batch.selection === null ? index : (batch.selection[index] as number);
      if (!repeatsAgree(spec, batch, row)) continue;
      for (let output = 0; output < spec.outputs.length; output++) {
        const { position } = spec.outputs[output] as ScanOutput;
        copyId(batch.columns[position] as IdColumn, row, buffer.columns[output] as IdColumn, buffer.rows);
      }
      buffer.rows++;
    }
    return buffer;
  }

  override close(): void {
    this.cursor?.close();
    this.cursor = null;
  }
}
