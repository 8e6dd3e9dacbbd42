/**
 * Joins an input with a path by searching from the end that the input binds: once for each distinct
 * key of a batch, with answers remembered from batch to batch. An input that binds both ends keeps the
 * rows that the path relates; one that binds a single end gets the other one as a new column.
 *
 * A term that comes from the input and is no node of the graph is related to nothing, not even to
 * itself, unless the other end is that very term in the query: so it is when both sides are evaluated
 * on their own and joined.
 */

import type { TermId } from '../../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot } from '../../../storage/seam/scan.js';
import { BatchBuffer, copyId, type QueryBatch, repeatId } from '../../runtime/batch.js';
import { idAt } from '../../runtime/ids.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import { EdgeSource } from './edge-source.js';
import { IntList } from './int-list.js';
import { JoinKeys } from './join-keys.js';
import { Reaches } from './reaches.js';
import type { ClosureSpec } from './spec.js';

/** Units of work for a key, which may ask whether the graph holds it; for one whose answer is known. */
const KEY_UNITS = 200;
const KNOWN_KEY_UNITS = 5;
/** Starts that are prepared together: few at first, since whoever reads may want few rows. */
const FIRST_PORTION = 16;
const PORTION_GROWTH = 8;

/** Whether the path leads from a start to the term of the query; blank = that was not asked. */
const UNRELATED = 1;
const RELATED = 2;

type Rows = Work<void, QueryBatch>;

export class ClosureJoinOperator extends WorkOperator {
  private readonly source: EdgeSource;
  private readonly keys: JoinKeys;
  private readonly reaches: Reaches;
  private readonly buffer: BatchBuffer;
  /** Columns of the input: the start, the graph where graphs are told apart, and the other end; -1 = none. */
  private readonly fromColumn: number;
  private readonly graphColumn: number;
  private readonly toColumn: number;
  private readonly addsEnd: boolean;
  private portion = FIRST_PORTION;
  private readonly prepared: IntList;
  /** start -> whether it is related to the term at the other end; of use where that is one */
  private readonly verdicts: IntList;

  constructor(
    private readonly input: Operator,
    snapshot: StorageSnapshot,
    private readonly spec: ClosureSpec,
    variables: readonly string[],
    budget: MemoryBudget,
  ) {
    super(variables, [input]);
    this.source = new EdgeSource(snapshot, spec, budget, this.statistics);
    this.keys = new JoinKeys(budget);
    this.reaches = new Reaches(spec.states, this.source, budget);
    this.prepared = new IntList(budget);
    this.verdicts = new IntList(budget);
    this.buffer = new BatchBuffer(variables.length);
    const columnOf = (name: string | null) => (name === null ? -1 : input.variables.indexOf(name));
    const nameOf = (end: ClosureSpec['from']) => (end.kind === 'variable' ? end.name : null);
    this.fromColumn = columnOf(nameOf(spec.from));
    this.graphColumn = columnOf(spec.graphVariable);
    this.toColumn = columnOf(nameOf(spec.to));
    this.addsEnd = variables.length > input.variables.length;
  }

  protected *work(): Rows {
    const { spec, source } = this;
    if (spec.graphVariable !== null) {
      for (const graph of spec.graphIds ?? (yield* source.findGraphs())) source.addGraph(graph);
    }
    for (const batch of this.input.batches()) {
      if (batch === PENDING) yield PENDING;
      else yield* this.joinBatch(batch);
    }
  }

  private *joinBatch(batch: QueryBatch): Rows {
    const { keys, source } = this;
    keys.group(batch, this.graphColumn, this.fromColumn, source.nodes);
    this.buffer.clear();
    for (let first = 0; first < keys.starts.length; ) {
      const end = Math.min(keys.starts.length, first + this.portion);
      yield* this.prepare(first, end);
      for (let key = first; key < end; key++) {
        const start = keys.starts.data[key] as number;
        const known = this.verdictOf(start);
        if (known !== UNRELATED) yield* this.joinRows(batch, keys.rowsOf(key), start);
        if (source.work.spend(known > 0 ? KNOWN_KEY_UNITS : KEY_UNITS)) yield PENDING;
      }
      first = end;
      this.portion *= PORTION_GROWTH;
      if (this.buffer.rows > 0) yield* this.flush();
    }
  }

  private *prepare(first: number, end: number): Rows {
    this.prepared.length = 0;
    for (let key = first; key < end; key++) {
      const start = this.keys.starts.data[key] as number;
      if (this.verdictOf(start) === 0) this.prepared.push(start);
    }
    if (this.prepared.length === 0) return;
    yield* this.reaches.prepare(this.prepared);
    if (this.spec.empty) yield* this.source.checkInGraph(this.prepared);
  }

  /** Joins the rows of one key. */
  private *joinRows(batch: QueryBatch, rows: Int32Array, start: number): Rows {
    const { spec, reaches, buffer } = this;
    if (spec.to.kind === 'term') return yield* this.keepAllOrNone(batch, rows, start, spec.to.id);
    if (this.toColumn >= 0) return yield* this.keepRelated(batch, rows, start);
    const itself = this.source.relatesToItself(start);
    yield* reaches.find(start);
    for (const row of rows) {
      if (itself) {
        if (buffer.full) yield* this.flush();
        this.write(batch, row, start);
      }
      for (let at = reaches.from; at < reaches.to; ) {
        if (buffer.full) yield* this.flush();
        const end = Math.min(reaches.to, at + buffer.capacity - buffer.rows);
        this.writeAll(batch, row, at, end, itself ? start : -1);
        if (this.source.work.spend(end - at)) yield PENDING;
        at = end;
      }
    }
  }

  /** The rows of a start, if the path leads to the term; that is found out once for each start. */
  private *keepAllOrNone(batch: QueryBatch, rows: Int32Array, start: number, term: TermId): Rows {
    const { verdicts, reaches, source, buffer } = this;
    if (this.verdictOf(start) === 0) {
      const { nodes } = source;
      const end = source.nodeOf(term, nodes.perGraph ? idAt(nodes.graphs, start) : null);
      yield* reaches.search(start, end);
      const related = reaches.hasReached(end) || (end === start && source.relatesToItself(start));
      verdicts.reserve(start + 1);
      verdicts.data[start] = related ? RELATED : UNRELATED;
    }
    if (this.verdictOf(start) === UNRELATED) return;
    for (let from = 0; from < rows.length; ) {
      if (buffer.full) yield* this.flush();
      const count = Math.min(rows.length - from, buffer.capacity - buffer.rows);
      this.writeRows(batch, rows, from, count);
      from += count;
    }
  }

  private verdictOf(start: number): number {
    return this.verdicts.data[start] ?? 0;
  }

  /** The rows whose other end the path leads to. */
  private *keepRelated(batch: QueryBatch, rows: Int32Array, start: number): Rows {
    const { reaches, source, buffer } = this;
    const ends = this.endsOf(batch, rows, start);
    const first = ends[0] as number;
    yield* reaches.search(start, ends.every((end) => end === first) ? first : -1);
    for (let at = 0; at < rows.length; at++) {
      const end = ends[at] as number;
      const related = reaches.hasReached(end) || (end === start && source.relatesToItself(start));
      if (!related) continue;
      if (buffer.full) yield* this.flush();
      this.writeRows(batch, rows, at, 1);
    }
  }

  /** The nodes at the other end of the rows of one start. */
  private endsOf(batch: QueryBatch, rows: Int32Array, start: number): Int32Array {
    const { nodes } = this.source;
    const graphs = nodes.perGraph ? nodes.graphs : null;
    const ids = batch.columns[this.toColumn] as IdColumn;
    const ends = new Int32Array(rows.length);
    for (let at = 0; at < rows.length; at++) ends[at] = nodes.numberAt(ids, rows[at] as number, graphs, start);
    return ends;
  }

  private *flush(): Rows {
    yield this.buffer;
    this.buffer.clear();
  }

  private write(batch: QueryBatch, row: number, end: number): void {
    const { buffer } = this;
    const width = batch.columns.length;
    for (let column = 0; column < width; column++) {
      copyId(batch.columns[column] as IdColumn, row, buffer.columns[column] as IdColumn, buffer.rows);
    }
    if (this.addsEnd) copyId(this.source.nodes.ids, end, buffer.columns[width] as IdColumn, buffer.rows);
    buffer.rows++;
  }

  /** Hands on the rows `rows[from..from + count)` as they are. */
  private writeRows(batch: QueryBatch, rows: Int32Array, from: number, count: number): void {
    const { buffer } = this;
    for (let column = 0; column < batch.columns.length; column++) {
      const values = batch.columns[column] as IdColumn;
      const to = buffer.columns[column] as IdColumn;
      for (let at = 0; at < count; at++) copyId(values, rows[from + at] as number, to, buffer.rows + at);
    }
    buffer.rows += count;
  }

  /** Pairs a row with nodes of the last answer, column by column; `except` is left out. */
  private writeAll(batch: QueryBatch, row: number, from: number, to: number, except: number): void {
    const { buffer, reaches } = this;
    const { ids } = this.source.nodes;
    const width = batch.columns.length;
    let rows = 0;
    if (this.addsEnd) {
      const ends = buffer.columns[width] as IdColumn;
      for (let at = from; at < to; at++) {
        const node = reaches.list[at] as number;
        if (node !== except) copyId(ids, node, ends, buffer.rows + rows++);
      }
    } else for (let at = from; at < to; at++) if (reaches.list[at] !== except) rows++;
    for (let column = 0; column < width; column++) {
      repeatId(batch.columns[column] as IdColumn, row, buffer.columns[column] as IdColumn, buffer.rows, rows);
    }
    buffer.rows += rows;
  }

  override close(): void {
    super.close();
    this.reaches.close();
    this.keys.close();
    this.prepared.release();
    this.verdicts.release();
    this.source.close();
  }
}
