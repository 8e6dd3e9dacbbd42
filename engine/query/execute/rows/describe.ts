/**
 * DESCRIBE: the concise bounded description of each resource. That is every triple of the default
 * graph with the resource as subject and, for each blank node among the objects, its description in
 * turn. Each resource is described once, so that circles of blank nodes end and no triple comes
 * twice. The resources wait in a table that counts against the memory of the query.
 */

import { highOf, lowOf } from '../../../storage/ids/halves.js';
import { TAG, type TermId } from '../../../storage/ids/layout.js';
import type { Batch, GraphSet, IdColumn, ScanCursor, StorageSnapshot, TimeSlice } from '../../../storage/seam/scan.js';
import type { PatternTerm } from '../../algebra/algebra.js';
import { BatchBuffer, copyId, newColumn, type QueryBatch } from '../../runtime/batch.js';
import { idAt, tagAt } from '../../runtime/ids.js';
import { HashKeys } from '../../runtime/keys/hash-keys.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { countBlocks, type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';

/** Scans that one step opens at most; a scan that finds a few rows takes some tens of microseconds. */
const SCANS_PER_STEP = 32;
/** A resource, and its number, while it is noted. */
const noted = newColumn(1);
const number = new Int32Array(1);

export interface DescribeSpec {
  readonly described: readonly PatternTerm[];
  /** Null = an empty default graph. */
  readonly graphs: GraphSet | null;
  readonly time: TimeSlice;
}

export class DescribeOperator extends WorkOperator {
  /** What is to be described, in the order in which it was met, and which of it is next. */
  private readonly resources: HashKeys;
  private nextResource = 0;
  private readonly described: readonly number[];
  private readonly buffer = new BatchBuffer(3);
  private cursor: ScanCursor | null = null;
  /** Scans of the step at hand. */
  private spent = 0;

  constructor(
    private readonly input: Operator,
    private readonly spec: DescribeSpec,
    private readonly snapshot: StorageSnapshot,
    budget: MemoryBudget,
  ) {
    super(['s', 'p', 'o'], [input]);
    this.resources = new HashKeys(1, budget);
    const names = new Set(spec.described.flatMap((term) => (term.kind === 'variable' ? [term.name] : [])));
    this.described = [...names].map((name) => input.variables.indexOf(name)).filter((column) => column >= 0);
    for (const term of spec.described) {
      const id = term.kind === 'term' ? snapshot.encode(term.term) : null;
      if (id !== null) this.note(Uint32Array.of(lowOf(id), highOf(id)), 0);
    }
  }

  protected *work(): Work<void, QueryBatch> {
    yield* this.describeNoted();
    for (const step of this.input.batches()) {
      if (step === PENDING) yield* this.flush();
      else {
        this.noteResources(step);
        yield* this.describeNoted();
        yield* this.spend();
      }
    }
    if (this.buffer.rows > 0) yield this.buffer;
  }

  /** Describes what has been noted, and what that leads to. */
  private *describeNoted(): Work<void, QueryBatch> {
    const { resources, snapshot, statistics, spec } = this;
    const { graphs, time } = spec;
    while (graphs !== null && this.nextResource < resources.count) {
      const id = idAt(resources.columns[0] as IdColumn, this.nextResource++);
      const pattern = { s: { kind: 'id', id } } as const;
      const cursor = snapshot.scan({ graphs, pattern, time, columns: ['p', 'o'] });
      this.cursor = cursor;
      for (;;) {
        const batch = countBlocks(snapshot, statistics, () => cursor.next());
        if (batch === null) break;
        yield* this.copyRows(id, batch);
      }
      cursor.close();
      this.cursor = null;
      yield* this.spend();
    }
  }

  private *spend(): Work<void, QueryBatch> {
    if (++this.spent >= SCANS_PER_STEP) yield* this.flush();
  }

  private *flush(): Work<void, QueryBatch> {
    this.spent = 0;
    yield this.buffer.rows > 0 ? this.buffer : PENDING;
    this.buffer.clear();
  }

  private noteResources(batch: QueryBatch): void {
    for (const column of this.described) {
      for (let row = 0; row < batch.rows; row++) this.note(batch.columns[column] as IdColumn, row);
    }
  }

  /** Literals, and what the store does not know, are the subject of nothing. */
  private note(column: IdColumn, row: number): void {
    const tag = tagAt(column, row);
    if (tag !== TAG.iri && tag !== TAG.blank) return;
    copyId(column, row, noted, 0);
    this.resources.assign([noted], 1, number);
  }

  private *copyRows(subject: TermId, batch: Batch): Work<void, QueryBatch> {
    const { p, o } = batch.columns;
    const [subjects, predicates, objects] = this.buffer.columns as [IdColumn, IdColumn, IdColumn];
    const [low, high] = [lowOf(subject), highOf(subject)];
    const rows = batch.selection?.length ?? batch.rows;
    for (let index = 0; index < rows; index++) {
      if (this.buffer.full) yield* this.flush();
      const row = batch.selection === null ? index : (batch.selection[index] as number);
      const to = this.buffer.rows++;
      subjects[2 * to] = low;
      subjects[2 * to + 1] = high;
      copyId(p as IdColumn, row, predicates, to);
      copyId(o as IdColumn, row, objects, to);
      if (tagAt(o as IdColumn, row) === TAG.blank) this.note(o as IdColumn, row);
    }
  }

  override close(): void {
    super.close();
    this.cursor?.close();
    this.cursor = null;
    this.resources.release();
  }
}
