/**
 * The edges of a path's steps, from storage. Walks ask for the edges of single nodes; once they have
 * asked for so many that reading all edges would have been cheaper, all are read. Terms are numbered
 * by the node table on the way.
 */

import { highOf, lowOf, payloadOfHalves, tagOfHigh } from '../../../storage/ids/halves.js';
import { TAG, type TermId } from '../../../storage/ids/layout.js';
import type { Column, GraphSet, IdColumn, ScanPattern, StorageSnapshot } from '../../../storage/scan.js';
import { idAt } from '../ids.js';
import type { MemoryBudget } from '../memory.js';
import { type OperatorStatistics, PENDING } from '../operator.js';
import { Adjacency, UNKNOWN_EDGES } from './adjacency.js';
import { IntList } from './int-list.js';
import { NodeTable } from './node-table.js';
import type { ClosureSpec, WalkStep } from './spec.js';
import { LOOKUP_UNITS, ROW_UNITS, type Task, Work } from './work.js';

/** Nanoseconds, of the same proportions as those of the planner. */
const LOOKUP_COST = 3000;
const ROW_COST = 80;
/** Fewer lookups than these are never worth a scan of everything. */
const LOOKUPS_MIN = 64;
/** An edge in one direction, and its share of a node. */
const BYTES_PER_EDGE = 24;

/** What is known of a node: nothing, that its graph holds it, or that it does not. */
const UNSURE = 0;
const IN_GRAPH = 1;
const NOT_IN_GRAPH = 2;

export class EdgeSource {
  /** One list of edges for each step. */
  readonly lists: readonly Adjacency[];
  readonly nodes: NodeTable;
  readonly work = new Work();
  private readonly inGraph: IntList;
  private lookups = 0;
  private allRows: number | null = null;

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly spec: ClosureSpec,
    private readonly budget: MemoryBudget,
    private readonly statistics: OperatorStatistics,
  ) {
    this.nodes = new NodeTable(spec.graphVariable !== null, budget);
    this.lists = spec.steps.map(() => new Adjacency(budget));
    this.inGraph = new IntList(budget);
    spec.steps.forEach((step, at) => {
      if (step.kind === 'never') this.list(at).markComplete();
    });
  }

  list(step: number): Adjacency {
    return this.lists[step] as Adjacency;
  }

  /** The number of a term in a graph; the graph is of no account where graphs are not told apart. */
  nodeOf(id: TermId, graph: TermId | null): number {
    const named = graph !== null && this.nodes.perGraph ? graph : 0n;
    return this.nodes.numberOf(lowOf(id), highOf(id), lowOf(named), highOf(named));
  }

  /** Makes the edges of a node known. */
  *load(step: number, node: number): Task {
    if (this.list(step).first(node) !== UNKNOWN_EDGES) return;
    this.lookups++;
    if (this.allPay()) return yield* this.loadAll();
    yield* this.readNode(step, node);
  }

  /** Makes all edges known. */
  *loadAll(): Task {
    for (const list of this.lists) list.clear();
    const { steps } = this.spec;
    const done = new Set<number>();
    for (let step = 0; step < steps.length; step++) {
      if (done.has(step)) continue;
      const alike = [...steps.keys()].filter((other) => sameRows(steps[step] as WalkStep, steps[other] as WalkStep));
      for (const other of alike) done.add(other);
      if ((steps[step] as WalkStep).kind !== 'never') yield* this.readAll(alike);
      for (const other of alike) this.list(other).markComplete();
    }
  }

  /** The edges of one term in all graphs at once; `starts` are its nodes. */
  *loadAcrossGraphs(step: number, id: TermId, starts: readonly number[]): Task {
    const spec = this.spec.steps[step] as WalkStep;
    if (spec.kind === 'never') return;
    if (!isLocal(id)) yield* this.readEdges(this.patternOf(spec, id), [step], this.spec.graphs);
    for (const start of starts) this.list(step).markKnown(start);
  }

  /** Numbers every subject and object. */
  *numberNodes(): Task {
    yield* this.readEdges({}, [], this.spec.graphs);
  }

  /** True when the term is a subject or an object in its graph. */
  isInGraph(node: number): boolean {
    this.inGraph.reserve(node + 1);
    if (this.inGraph.data[node] === UNSURE) {
      const found = this.lists.some((list) => list.first(node) >= 0) || this.lookUp(node);
      this.inGraph.data[node] = found ? IN_GRAPH : NOT_IN_GRAPH;
    }
    return this.inGraph.data[node] === IN_GRAPH;
  }

  /** The graphs that have rows in the time slice. */
  *findGraphs(): Task<TermId[]> {
    const found: TermId[] = [];
    const { graphs, time } = this.spec;
    const cursor = this.snapshot.scan({ graphs, pattern: {}, order: 'GSPO', time, columns: ['g'] });
    try {
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
        const rows = batch.selection?.length ?? batch.rows;
        for (let index = 0; index < rows; index++) {
          const graph = idAt(batch.columns.g as IdColumn, batch.selection?.[index] ?? index);
          if (graph !== found.at(-1)) found.push(graph);
        }
        cursor.seek([(found.at(-1) as TermId) + 1n]);
        if (this.work.spend(LOOKUP_UNITS)) yield PENDING;
      }
    } finally {
      cursor.close();
    }
    return found;
  }

  close(): void {
    for (const list of this.lists) list.clear();
    this.inGraph.release();
    this.nodes.release();
  }

  /** True when reading all edges costs less than the lookups so far, and there is room for them. */
  private allPay(): boolean {
    if (this.lookups < LOOKUPS_MIN) return false;
    this.allRows ??= this.estimateAll();
    if (this.lookups * LOOKUP_COST < this.allRows * ROW_COST) return false;
    const room = this.budget.limitBytes - this.budget.usedBytes;
    return this.allRows * BYTES_PER_EDGE * this.lists.length < room / 2;
  }

  private estimateAll(): number {
    const { graphs, time, steps } = this.spec;
    let rows = 0;
    for (const step of steps) {
      if (step.kind !== 'never')
        rows += this.snapshot.estimate({ graphs, pattern: this.patternOf(step, null), time }).rows;
    }
    return rows;
  }

  private patternOf(step: WalkStep, start: TermId | null): ScanPattern {
    const p = step.kind === 'predicate' ? ({ p: { kind: 'id', id: step.predicate } } as const) : {};
    if (start === null || step.kind === 'never') return p;
    return step.backward ? { ...p, o: { kind: 'id', id: start } } : { ...p, s: { kind: 'id', id: start } };
  }

  private *readAll(steps: readonly number[]): Task {
    yield* this.readEdges(
      this.patternOf(this.spec.steps[steps[0] as number] as WalkStep, null),
      steps,
      this.spec.graphs,
    );
  }

  /** Reads the rows of a pattern; each becomes an edge of each of the steps, which differ in direction only. */
  private *readEdges(pattern: ScanPattern, steps: readonly number[], graphs: GraphSet): Task {
    const { nodes, statistics } = this;
    const lists = steps.map((step) => ({ list: this.list(step), backward: isBackward(this.spec.steps[step]) }));
    const except = exceptOf(this.spec.steps[steps[0] ?? -1]);
    const columns: Column[] = [
      's',
      'o',
      ...(nodes.perGraph ? (['g'] as const) : []),
      ...(except ? (['p'] as const) : []),
    ];
    const blocksBefore = this.snapshot.counters.blocksRead;
    const cursor = this.snapshot.scan({ graphs, pattern, time: this.spec.time, columns, unordered: true });
    try {
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
        const { s, p, o, g } = batch.columns as { s: IdColumn; p: IdColumn; o: IdColumn; g: IdColumn };
        const rows = batch.selection?.length ?? batch.rows;
        for (let index = 0; index < rows; index++) {
          const row = batch.selection === null ? index : (batch.selection[index] as number);
          if (except?.has(payloadOfHalves(p[2 * row] as number, p[2 * row + 1] as number))) continue;
          const graphLow = nodes.perGraph ? (g[2 * row] as number) : 0;
          const graphHigh = nodes.perGraph ? (g[2 * row + 1] as number) : 0;
          const subject = nodes.numberOf(s[2 * row] as number, s[2 * row + 1] as number, graphLow, graphHigh);
          const object = nodes.numberOf(o[2 * row] as number, o[2 * row + 1] as number, graphLow, graphHigh);
          for (const { list, backward } of lists) {
            if (backward) list.add(object, subject);
            else list.add(subject, object);
          }
        }
        if (this.work.spend(rows * ROW_UNITS)) yield PENDING;
      }
    } finally {
      cursor.close();
      statistics.blocksRead += this.snapshot.counters.blocksRead - blocksBefore;
    }
  }

  /** Reads the edges of one node. */
  private *readNode(step: number, node: number): Task {
    const spec = this.spec.steps[step] as WalkStep;
    const id = idAt(this.nodes.ids, node);
    if (!isLocal(id)) yield* this.readEdges(this.patternOf(spec, id), [step], this.graphOf(node));
    this.list(step).markKnown(node);
    if (this.work.spend(LOOKUP_UNITS)) yield PENDING;
  }

  private graphOf(node: number): GraphSet {
    return this.nodes.perGraph ? { kind: 'one', graph: idAt(this.nodes.graphs, node) } : this.spec.graphs;
  }

  private lookUp(node: number): boolean {
    const id = idAt(this.nodes.ids, node);
    if (isLocal(id)) return false;
    return (['s', 'o'] as const).some((position) => {
      const cursor = this.snapshot.scan({
        graphs: this.graphOf(node),
        pattern: { [position]: { kind: 'id', id } },
        time: this.spec.time,
        columns: [position],
      });
      const found = cursor.next() !== null;
      cursor.close();
      return found;
    });
  }
}

/** Values that a query computed stand in no graph. */
function isLocal(id: TermId): boolean {
  return tagOfHigh(highOf(id)) === TAG.local;
}

function isBackward(step: WalkStep | undefined): boolean {
  return step !== undefined && step.kind !== 'never' && step.backward;
}

function exceptOf(step: WalkStep | undefined): ReadonlySet<number> | null {
  return step?.kind === 'negated' ? step.except : null;
}

/** True when the steps are made of the same rows, perhaps read in the other direction. */
function sameRows(a: WalkStep, b: WalkStep): boolean {
  if (a.kind === 'predicate') return b.kind === 'predicate' && a.predicate === b.predicate;
  if (a.kind === 'negated') return b.kind === 'negated' && sameSet(a.except, b.except);
  return b.kind === 'never';
}

function sameSet(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return a.size === b.size && [...a].every((value) => b.has(value));
}
