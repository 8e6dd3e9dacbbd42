/**
 * Keeps the rows whose subject is an instance of one of a set of classes: each subject's types are looked
 * up in the order of subjects, and the first one in the set settles it, so that a row stays one row
 * however many of its types count. Rows keep their order. For inputs that are few beside the instances.
 */

import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn, type ScanRequest, type StorageSnapshot } from '../../storage/scan.js';
import { BatchBuffer, gather, type QueryBatch } from './batch.js';
import { compareIds, idAt, sameId } from './ids.js';
import { Operator, PENDING, type Step } from './operator.js';

export interface InstanceSpec {
  /** Everything but the subject and the columns: graph, predicate, time. */
  readonly request: Omit<ScanRequest, 'columns'>;
  readonly subject: string;
  /** Classes, ascending. */
  readonly classes: readonly TermId[];
}

/** Subjects that one call looks up: a scan each. */
const LOOKUPS_PER_CALL = 256;

export class InstanceFilterOperator extends Operator {
  private readonly column: number;
  private readonly classes: IdColumn;
  private readonly buffer: BatchBuffer;
  private readonly kept = new Uint32Array(BATCH_ROWS);
  private batch: QueryBatch | null = null;
  /** Rows of the batch, by subject. */
  private order: Uint32Array = new Uint32Array(0);
  private answers = new Uint8Array(BATCH_ROWS);
  private place = 0;

  constructor(
    private readonly input: Operator,
    private readonly snapshot: StorageSnapshot,
    private readonly spec: InstanceSpec,
  ) {
    super(input.variables, [input]);
    this.column = input.variables.indexOf(spec.subject);
    this.classes = columnOf(spec.classes);
    this.buffer = new BatchBuffer(input.variables.length);
  }

  protected step(): Step {
    if (this.batch === null) {
      const step = this.input.next();
      if (step === null || step === PENDING) return step;
      this.begin(step);
    }
    const blocksBefore = this.snapshot.counters.blocksRead;
    const batch = this.batch as QueryBatch;
    const done = this.lookUpSome(batch);
    this.statistics.blocksRead += this.snapshot.counters.blocksRead - blocksBefore;
    if (!done) return PENDING;
    this.batch = null;
    return this.keepAnswered(batch);
  }

  private begin(batch: QueryBatch): void {
    this.batch = batch;
    this.place = 0;
    if (batch.rows > this.answers.length) this.answers = new Uint8Array(batch.rows);
    const subjects = batch.columns[this.column] as IdColumn;
    this.order = Uint32Array.from({ length: batch.rows }, (_, row) => row).sort((a, b) =>
      compareIds(subjects, a, subjects, b),
    );
  }

  /** Answers runs of equal subjects; true when the batch is through. */
  private lookUpSome(batch: QueryBatch): boolean {
    const subjects = batch.columns[this.column] as IdColumn;
    for (let lookups = 0; this.place < batch.rows; lookups++) {
      if (lookups === LOOKUPS_PER_CALL) return false;
      const first = this.order[this.place] as number;
      const answer = this.isInstance(idAt(subjects, first)) ? 1 : 0;
      do {
        this.answers[this.order[this.place++] as number] = answer;
      } while (this.place < batch.rows && sameId(subjects, first, subjects, this.order[this.place] as number));
    }
    return true;
  }

  private isInstance(subject: TermId): boolean {
    const { request } = this.spec;
    const cursor = this.snapshot.scan({
      ...request,
      pattern: { ...request.pattern, s: { kind: 'id', id: subject } },
      columns: ['o'],
    });
    try {
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
        const rows = batch.selection?.length ?? batch.rows;
        for (let at = 0; at < rows; at++) {
          if (this.isWanted(batch.columns.o as IdColumn, batch.selection?.[at] ?? at)) return true;
        }
      }
      return false;
    } finally {
      cursor.close();
    }
  }

  private isWanted(types: IdColumn, row: number): boolean {
    let low = 0;
    let high = this.spec.classes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareIds(this.classes, middle, types, row);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return false;
  }

  private keepAnswered(batch: QueryBatch): Step {
    let count = 0;
    for (let row = 0; row < batch.rows; row++) if (this.answers[row] === 1) this.kept[count++] = row;
    if (count === 0) return PENDING;
    if (count === batch.rows) return batch;
    this.buffer.reserve(count);
    for (let column = 0; column < this.buffer.columns.length; column++) {
      gather(batch.columns[column] as IdColumn, this.kept, count, this.buffer.columns[column] as IdColumn);
    }
    this.buffer.rows = count;
    return this.buffer;
  }
}

function columnOf(ids: readonly TermId[]): IdColumn {
  const column = new Uint32Array(2 * ids.length);
  ids.forEach((id, at) => {
    column[2 * at] = lowOf(id);
    column[2 * at + 1] = highOf(id);
  });
  return column;
}
