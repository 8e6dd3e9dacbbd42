/**
 * Joins an input with a path by walking from the end that the input binds: once for each distinct
 * key, with the walks remembered from batch to batch. An input that binds both ends keeps the rows
 * that the path relates; one that binds a single end gets the other one as a new column.
 *
 * A term that comes from the input and is no node of the graph is related to nothing, not even to
 * itself, unless the other end is that very term in the query: so it is when both sides are evaluated
 * on their own and joined.
 */

import type { TermId } from '../../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot } from '../../../storage/scan.js';
import { BatchBuffer, copyId, type QueryBatch } from '../batch.js';
import { compareIds, idAt } from '../ids.js';
import type { MemoryBudget } from '../memory.js';
import { Operator, PENDING, type Step } from '../operator.js';
import { EdgeSource } from './edge-source.js';
import { relatesToItself } from './empty-path.js';
import { IntList } from './int-list.js';
import type { ClosureSpec } from './spec.js';
import { Walker } from './walker.js';

/** Nodes that remembered walks may list, together, and a single one. */
const REMEMBERED_MAX = 1 << 20;
const REMEMBERED_WALK_MAX = 1 << 16;
/** Units of work for a key, which may ask whether the graph holds it. */
const KEY_UNITS = 200;

type Rows = Generator<Step, void, void>;

export class ClosureJoinOperator extends Operator {
  private readonly source: EdgeSource;
  private readonly walker: Walker;
  private readonly buffer: BatchBuffer;
  private readonly rows: Rows;
  /** Columns of the input that hold the graph, where graphs are told apart, and the start. */
  private readonly keyColumns: readonly number[];
  /** Column of the input that holds the other end; -1 = it is a term, or new. */
  private readonly toColumn: number;
  private readonly addsEnd: boolean;
  private graphs: ReadonlySet<TermId> | null = null;
  /** start -> where its remembered walk begins, and how many nodes it lists; blank = not remembered */
  private readonly walkStart: IntList;
  private readonly walkLength: IntList;
  private readonly remembered: IntList;

  constructor(
    private readonly input: Operator,
    snapshot: StorageSnapshot,
    private readonly spec: ClosureSpec,
    variables: readonly string[],
    budget: MemoryBudget,
  ) {
    super(variables, [input]);
    this.source = new EdgeSource(snapshot, spec, budget, this.statistics);
    this.walker = new Walker(spec.states, this.source, budget);
    this.buffer = new BatchBuffer(variables.length);
    const columnOf = (name: string | null) => (name === null ? -1 : input.variables.indexOf(name));
    const nameOf = (end: ClosureSpec['from']) => (end.kind === 'variable' ? end.name : null);
    const keys = [columnOf(spec.graphVariable), columnOf(nameOf(spec.from))];
    this.keyColumns = keys.filter((column) => column >= 0);
    this.toColumn = columnOf(nameOf(spec.to));
    this.addsEnd = variables.length > input.variables.length;
    this.walkStart = new IntList(budget, -1);
    this.walkLength = new IntList(budget);
    this.remembered = new IntList(budget);
    this.rows = this.joinAll();
  }

  protected step(): Step {
    const { done, value } = this.rows.next();
    return done ? null : value;
  }

  private *joinAll(): Rows {
    if (this.spec.graphVariable !== null) {
      this.graphs = new Set(this.spec.graphIds ?? (yield* this.source.findGraphs()));
    }
    for (let batch = this.input.next(); batch !== null; batch = this.input.next()) {
      if (batch === PENDING) yield PENDING;
      else yield* this.joinBatch(batch);
    }
  }

  private *joinBatch(batch: QueryBatch): Rows {
    const order = this.keyOrder(batch);
    this.buffer.clear();
    for (let first = 0; first < batch.rows; ) {
      let end = first + 1;
      while (end < batch.rows && this.compareKeys(batch, order[first] as number, order[end] as number) === 0) end++;
      const start = this.startOf(batch, order[first] as number);
      if (start >= 0) yield* this.joinRows(batch, order.subarray(first, end), start);
      first = end;
      if (this.source.work.spend(KEY_UNITS)) yield PENDING;
    }
    if (this.buffer.rows > 0) yield this.buffer;
  }

  /** The node that walks begin at for the key of a row; -1 = the row's graph is not of the query. */
  private startOf(batch: QueryBatch, row: number): number {
    const ids = this.keyColumns.map((column) => idAt(batch.columns[column] as IdColumn, row));
    const start = ids.at(-1) as TermId;
    if (this.graphs === null) return this.source.nodeOf(start, null);
    return this.graphs.has(ids[0] as TermId) ? this.source.nodeOf(start, ids[0] as TermId) : -1;
  }

  /** Joins the rows of one key. */
  private *joinRows(batch: QueryBatch, rows: Uint32Array, start: number): Rows {
    const { spec } = this;
    if (spec.to.kind === 'term' || this.toColumn >= 0) return yield* this.keepRelated(batch, rows, start);
    const itself = relatesToItself(spec, start, this.source);
    const known = this.walkStart.data[start] ?? -1;
    if (known < 0) yield* this.walker.walk(start, -1);
    const list = known < 0 ? this.walker.reached.data : this.remembered.data;
    const from = Math.max(0, known);
    const to = from + (known < 0 ? this.walker.reached.length : (this.walkLength.data[start] as number));
    for (const row of rows) {
      if (itself) {
        if (this.buffer.full) yield* this.flush();
        this.write(batch, row, start);
      }
      for (let at = from; at < to; at++) {
        const end = list[at] as number;
        if (itself && end === start) continue;
        if (this.buffer.full) yield* this.flush();
        this.write(batch, row, end);
      }
    }
    if (known < 0) this.remember(start);
  }

  /** The rows whose other end the path leads to. */
  private *keepRelated(batch: QueryBatch, rows: Uint32Array, start: number): Rows {
    const ends = Int32Array.from(rows, (row) => this.endOf(batch, row, start));
    const single = ends.every((end) => end === ends[0]);
    yield* this.walker.walk(start, single ? (ends[0] as number) : -1);
    for (const [at, row] of rows.entries()) {
      const end = ends[at] as number;
      const related = this.walker.hasReached(end) || (end === start && relatesToItself(this.spec, start, this.source));
      if (!related) continue;
      if (this.buffer.full) yield* this.flush();
      this.write(batch, row, end);
    }
  }

  private endOf(batch: QueryBatch, row: number, start: number): number {
    const { nodes } = this.source;
    const graph = nodes.perGraph ? idAt(nodes.graphs, start) : null;
    const { to } = this.spec;
    return this.source.nodeOf(to.kind === 'term' ? to.id : idAt(batch.columns[this.toColumn] as IdColumn, row), graph);
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

  private remember(start: number): void {
    const { remembered, walkStart, walkLength, walker } = this;
    const { reached } = walker;
    if (reached.length > REMEMBERED_WALK_MAX) return;
    if (remembered.length + reached.length > REMEMBERED_MAX) {
      remembered.length = 0;
      walkStart.data.fill(-1);
    }
    walkStart.reserve(start + 1);
    walkLength.reserve(start + 1);
    remembered.reserve(remembered.length + reached.length);
    walkStart.data[start] = remembered.length;
    walkLength.data[start] = reached.length;
    remembered.data.set(reached.data.subarray(0, reached.length), remembered.length);
    remembered.length += reached.length;
  }

  private keyOrder(batch: QueryBatch): Uint32Array {
    const order = Uint32Array.from({ length: batch.rows }, (_, row) => row);
    let sorted = true;
    for (let row = 1; row < batch.rows && sorted; row++) sorted = this.compareKeys(batch, row - 1, row) <= 0;
    return sorted ? order : order.sort((a, b) => this.compareKeys(batch, a, b));
  }

  private compareKeys(batch: QueryBatch, a: number, b: number): number {
    for (const key of this.keyColumns) {
      const column = batch.columns[key] as IdColumn;
      const order = compareIds(column, a, column, b);
      if (order !== 0) return order;
    }
    return 0;
  }

  override close(): void {
    this.rows.return();
    this.walker.close();
    for (const list of [this.walkStart, this.walkLength, this.remembered]) list.release();
    this.source.close();
    super.close();
  }
}
