/**
 * A path of any or optional length as a plan of its own: each pair of ends once, in each graph
 * (SPARQL 1.1, 18.4).
 *
 *  - An end that is a term: one walk from it, which stops at the other end when that is a term too.
 *  - Two variables: all edges are read, and the pairs come from the components of the graph. A path
 *    that may be empty has every subject and object of the graph as a start.
 */

import type { TermId } from '../../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot } from '../../../storage/seam/scan.js';
import { BatchBuffer, copyId, type QueryBatch, repeatId } from '../../runtime/batch.js';
import { sameId } from '../../runtime/ids.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import { Components } from './components.js';
import { EdgeSource } from './edge-source.js';
import { IntList } from './int-list.js';
import type { ClosureSpec } from './spec.js';
import { TwoEnds } from './two-ends.js';
import { Walker } from './walker.js';

type Pairs = Work<void, QueryBatch>;

export class ClosureOperator extends WorkOperator {
  private readonly source: EdgeSource;
  private readonly walker: Walker;
  /** For pairs of two variables. */
  private components: Components | null = null;
  private readonly buffer: BatchBuffer;
  /** Columns that show the start, the end and the graph. */
  private readonly fromColumns: readonly number[];
  private readonly toColumns: readonly number[];
  private readonly graphColumns: readonly number[];

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly spec: ClosureSpec,
    variables: readonly string[],
    private readonly budget: MemoryBudget,
  ) {
    super(variables);
    this.source = new EdgeSource(snapshot, spec, budget, this.statistics);
    this.walker = new Walker(spec.states, this.source, budget);
    this.buffer = new BatchBuffer(variables.length);
    const columnsOf = (name: string | null) => variables.flatMap((variable, at) => (variable === name ? [at] : []));
    this.fromColumns = columnsOf(spec.from.kind === 'variable' ? spec.from.name : null);
    this.toColumns = columnsOf(spec.to.kind === 'variable' ? spec.to.name : null);
    this.graphColumns = columnsOf(spec.graphVariable);
  }

  protected *work(): Pairs {
    const { from } = this.spec;
    if (from.kind === 'term') yield* this.fromTerm(from.id);
    else if (this.wantsCycles) yield* this.cycles();
    else yield* this.allPairs();
    if (this.buffer.rows > 0) yield this.buffer;
  }

  /** Both ends are the same variable. */
  private get wantsCycles(): boolean {
    const { from, to } = this.spec;
    return from.kind === 'variable' && to.kind === 'variable' && from.name === to.name;
  }

  private *fromTerm(id: TermId): Pairs {
    const { spec, source, walker } = this;
    const graphs = spec.graphVariable === null ? [null] : (spec.graphIds ?? (yield* source.findGraphs()));
    const starts = graphs.map((graph) => source.nodeOf(id, graph));
    if (starts.length > 1) yield* this.explore(starts);
    for (const [at, start] of starts.entries()) {
      const target = spec.to.kind === 'term' ? source.nodeOf(spec.to.id, graphs[at] as TermId | null) : -1;
      const itself = source.relatesToItself(start);
      if (itself && (target === -1 || target === start)) yield* this.give(start, start);
      if (target === -1) yield* this.giveWalk(start, itself);
      else if (!itself || target !== start) {
        if (starts.length > 1) yield* walker.walk(start, target);
        const related = starts.length > 1 ? walker.hasReached(target) : yield* this.meets(start, target);
        if (related) yield* this.give(start, target);
      }
    }
  }

  private *meets(start: number, target: number): Work<boolean> {
    const { snapshot, spec, source, budget, statistics } = this;
    const search = new TwoEnds(snapshot, spec, source, budget, statistics);
    try {
      return yield* search.meet(start, target);
    } finally {
      search.close();
    }
  }

  /** Makes the edges known that walks in many graphs will follow: together, since each alone is short. */
  private *explore(starts: readonly number[]): Pairs {
    const list = new IntList(this.budget);
    const explorer = new Walker(this.spec.states, this.source, this.budget);
    try {
      for (const start of starts) list.push(start);
      yield* explorer.explore(list);
    } finally {
      list.release();
      explorer.close();
    }
  }

  /** Gives what a walk reaches while it goes on: whoever wants a few pairs need not wait for its end. */
  private *giveWalk(start: number, skipsStart: boolean): Pairs {
    const { walker } = this;
    const walk = walker.walk(start, -1);
    try {
      for (let given = walker.reachedFirst; ; ) {
        const { done } = walk.next();
        yield* this.giveAll(start, walker.reached, given, skipsStart);
        if (done) return;
        given = walker.reached.length;
        if (this.buffer.rows > 0) yield* this.flush();
        else yield PENDING;
      }
    } finally {
      walk.return();
    }
  }

  private *allPairs(): Pairs {
    const { source, spec } = this;
    if (spec.empty) yield* this.giveNodes();
    yield* source.loadAll();
    const components = yield* this.findComponents();
    for (let component = 0; component < components.count; component++) {
      yield* components.reach(component);
      const end = components.firstMember(component + 1);
      for (let member = components.firstMember(component); member < end; member++) {
        const start = components.startAt(member);
        if (start < 0) continue;
        if (this.buffer.full) yield* this.flush();
        if (components.reached.length > 0) yield* this.giveAll(start, components.reached, 0, spec.empty);
      }
      if (source.work.spend(1)) yield PENDING;
    }
  }

  private *cycles(): Pairs {
    const { source, spec } = this;
    if (spec.empty) return yield* this.giveNodes();
    yield* source.loadAll();
    const components = yield* this.findComponents();
    // With one state, a node leads to itself when its component has a step within it.
    const oneState = spec.states.length === 1;
    for (let component = 0; component < components.count; component++) {
      if (!oneState) yield* components.reach(component);
      const end = components.firstMember(component + 1);
      for (let member = components.firstMember(component); member < end; member++) {
        const start = components.startAt(member);
        if (start < 0 || !(oneState ? components.isCyclic(component) : components.hasReached(start))) continue;
        if (this.buffer.full) yield* this.flush();
        this.write(start, start);
      }
      if (source.work.spend(1)) yield PENDING;
    }
  }

  private *findComponents(): Work<Components> {
    this.components = new Components(this.spec.states, this.source, this.budget);
    yield* this.components.build(null);
    return this.components;
  }

  /** Numbers the nodes of the graphs, and pairs each with itself as soon as it is met: whoever wants a few pairs need not wait. */
  private *giveNodes(): Pairs {
    const { nodes } = this.source;
    const numbering = this.source.numberNodes();
    let given = 0;
    try {
      for (;;) {
        const { done } = numbering.next();
        for (; given < nodes.count; given++) {
          if (this.buffer.full) yield* this.flush();
          this.write(given, given);
        }
        if (done) return;
        if (this.buffer.rows > 0) yield* this.flush();
        else yield PENDING;
      }
    } finally {
      numbering.return();
    }
  }

  /** Pairs a start with the nodes of a list, but not with itself when that pair was given before. */
  private *giveAll(start: number, reached: IntList, first: number, skipsStart: boolean): Pairs {
    const { buffer, source } = this;
    for (let at = first; at < reached.length; ) {
      if (buffer.full) yield* this.flush();
      const end = Math.min(reached.length, at + buffer.capacity - buffer.rows);
      if (skipsStart || this.spec.graphVariable !== null) {
        for (let each = at; each < end; each++) {
          const node = reached.data[each] as number;
          if (!skipsStart || node !== start) this.write(start, node);
        }
      } else this.writeAll(start, reached.data, at, end);
      if (source.work.spend(end - at)) yield PENDING;
      at = end;
    }
  }

  /** Writes pairs column by column; without a graph variable no pair is left out. */
  private writeAll(start: number, nodes: Int32Array, from: number, to: number): void {
    const { ids } = this.source.nodes;
    const { buffer } = this;
    for (const column of this.fromColumns) {
      repeatId(ids, start, buffer.columns[column] as IdColumn, buffer.rows, to - from);
    }
    for (const column of this.toColumns) {
      const values = buffer.columns[column] as IdColumn;
      for (let at = from, out = buffer.rows; at < to; at++, out++) copyId(ids, nodes[at] as number, values, out);
    }
    buffer.rows += to - from;
  }

  private *give(start: number, end: number): Pairs {
    if (this.buffer.full) yield* this.flush();
    this.write(start, end);
    if (this.source.work.spend(1)) yield PENDING;
  }

  private *flush(): Pairs {
    yield this.buffer;
    this.buffer.clear();
  }

  private write(start: number, end: number): void {
    const { ids, graphs } = this.source.nodes;
    const { columns, rows } = this.buffer;
    if (this.spec.graphVariable !== null && !this.agreesWithGraph(start, end)) return;
    for (const column of this.fromColumns) copyId(ids, start, columns[column] as IdColumn, rows);
    for (const column of this.toColumns) copyId(ids, end, columns[column] as IdColumn, rows);
    for (const column of this.graphColumns) copyId(graphs, start, columns[column] as IdColumn, rows);
    this.buffer.rows++;
  }

  /** The graph may be an end of the path as well. */
  private agreesWithGraph(start: number, end: number): boolean {
    const { from, to, graphVariable } = this.spec;
    const { ids, graphs } = this.source.nodes;
    if (from.kind === 'variable' && from.name === graphVariable && !sameId(ids, start, graphs, start)) return false;
    return to.kind !== 'variable' || to.name !== graphVariable || sameId(ids, end, graphs, end);
  }

  override close(): void {
    super.close();
    this.components?.close();
    this.walker.close();
    this.source.close();
  }
}
