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
import { Operator, PENDING, type Step } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';

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

export class DescribeOperator extends Operator {
  /** What is to be described, in the order in which it was met, and which of it is next. */
  private readonly resources: HashKeys;
  private nextResource = 0;
  private readonly described: readonly number[];
  private readonly buffer = new BatchBuffer(3);
  private inputEnded = false;
  private subject: TermId = 0n;
  private cursor: ScanCursor | null = null;
  private batch: Batch | null = null;
  private row = 0;

  constructor(
    private readonly input: Operator,
    private readonly spec: DescribeSpec,
    private readonly snapshot: StorageSnapshot,
    terms: QueryTerms,
    budget: MemoryBudget,
  ) {
    super(['s', 'p', 'o'], [input]);
    this.resources = new HashKeys(1, budget);
    const names = new Set(spec.described.flatMap((term) => (term.kind === 'variable' ? [term.name] : [])));
    this.described = [...names].map((name) => input.variables.indexOf(name)).filter((column) => column >= 0);
    for (const term of spec.described) {
      const id = term.kind === 'term' ? terms.encodeStored(term.term) : null;
      if (id !== null) this.note(Uint32Array.of(lowOf(id), highOf(id)), 0);
    }
  }

  protected step(): Step {
    const blocksBefore = this.snapshot.counters.blocksRead;
    this.buffer.clear();
    let ended = false;
    for (let work = 0; work < SCANS_PER_STEP && !ended && !this.buffer.full; work++) {
      if (this.batch !== null) this.copyRows(this.batch);
      else if (this.cursor !== null) this.readCursor(this.cursor);
      else if (this.nextResource < this.resources.count) this.openCursor();
      else if (this.inputEnded) ended = true;
      else if (!this.readInput()) break;
    }
    this.statistics.blocksRead += this.snapshot.counters.blocksRead - blocksBefore;
    if (this.buffer.rows > 0) return this.buffer;
    return ended ? null : PENDING;
  }

  /** False when the input has nothing to give yet. */
  private readInput(): boolean {
    const blocksBefore = this.snapshot.counters.blocksRead;
    const batch = this.input.next();
    // Those are the input's own.
    this.statistics.blocksRead -= this.snapshot.counters.blocksRead - blocksBefore;
    if (batch === PENDING) return false;
    if (batch === null) this.inputEnded = true;
    else this.noteResources(batch);
    return true;
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

  private openCursor(): void {
    this.subject = idAt(this.resources.columns[0] as IdColumn, this.nextResource++);
    const { graphs, time } = this.spec;
    if (graphs === null) return;
    const pattern = { s: { kind: 'id', id: this.subject } } as const;
    this.cursor = this.snapshot.scan({ graphs, pattern, time, columns: ['p', 'o'] });
  }

  private readCursor(cursor: ScanCursor): void {
    this.batch = cursor.next();
    this.row = 0;
    if (this.batch !== null) return;
    cursor.close();
    this.cursor = null;
  }

  private copyRows(batch: Batch): void {
    const { p, o } = batch.columns;
    const [subjects, predicates, objects] = this.buffer.columns as [IdColumn, IdColumn, IdColumn];
    const [low, high] = [lowOf(this.subject), highOf(this.subject)];
    const rows = batch.selection?.length ?? batch.rows;
    for (; this.row < rows && !this.buffer.full; this.row++) {
      const row = batch.selection === null ? this.row : (batch.selection[this.row] as number);
      const to = this.buffer.rows++;
      subjects[2 * to] = low;
      subjects[2 * to + 1] = high;
      copyId(p as IdColumn, row, predicates, to);
      copyId(o as IdColumn, row, objects, to);
      if (tagAt(o as IdColumn, row) === TAG.blank) this.note(o as IdColumn, row);
    }
    if (this.row === rows) this.batch = null;
  }

  override close(): void {
    this.cursor?.close();
    this.cursor = null;
    this.batch = null;
    this.resources.release();
    super.close();
  }
}
