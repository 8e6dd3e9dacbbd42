/**
 * The edges of a path's steps, from storage, with its terms numbered on the way.
 *
 *  1. A search asks for the edges of a whole frontier at once; those of its nodes that are not known
 *     yet are looked up together, in the order of their ids.
 *  2. Once lookups of a step cost what reading all its rows would, all are read, once. So it is from the
 *     start for a step of few rows.
 *  3. Steps that are made of the same rows share that reading.
 */

import { highOf, lowOf, tagOfHigh } from '../../../storage/ids/halves.js';
import { TAG, type TermId } from '../../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot } from '../../../storage/seam/scan.js';
import { idAt } from '../../runtime/ids.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type OperatorStatistics, PENDING } from '../../runtime/operator.js';
import { Adjacency } from './adjacency.js';
import { EdgeReader } from './edge-reader.js';
import { IntList } from './int-list.js';
import { NodeTable } from './node-table.js';
import { type ClosureSpec, isBackward, patternOf, type WalkStep } from './spec.js';
import { inPieces, LOOKUP_UNITS, type Task, Work } from './work.js';

/** Nanoseconds, of the same proportions as those of the planner. */
const LOOKUP_COST = 1500;
const ROW_COST = 25;
/** Where a node is told apart by its graph. */
const ROW_IN_GRAPH_COST = 100;
/** A frontier is rarely the last one, but of paths of one step: as much again is expected to come. */
const AHEAD = 2;
/** Steps of so few rows are read at once: a block or two. */
const FEW_ROWS = 256;
/** An edge while all are read: its two ends, and its target in one list or two. */
const BYTES_PER_EDGE = 32;

/** What is known of a node: nothing, that its graph holds it, or that it does not. */
const UNSURE = 0;
const IN_GRAPH = 1;
const NOT_IN_GRAPH = 2;

/** Steps that are made of the same rows. */
interface StepGroup {
  readonly steps: readonly number[];
  /** Nodes that were looked up so far, and the rows that they had. */
  lookups: number;
  found: number;
  /** Rows of the step, guessed when it matters. */
  rows: number | null;
}

export class EdgeSource {
  /** One list of edges for each step. */
  readonly lists: readonly Adjacency[];
  readonly nodes: NodeTable;
  readonly work = new Work();
  private readonly reader: EdgeReader;
  private readonly groups: readonly StepGroup[];
  private readonly ahead: number;
  private readonly inGraph: IntList;
  /** Nodes of a frontier whose edges are being looked up. */
  private readonly pending: IntList;

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly spec: ClosureSpec,
    private readonly budget: MemoryBudget,
    statistics: OperatorStatistics,
    /** Numbers of nodes that another source gives out; it also releases them. */
    private readonly sharedNodes: NodeTable | null = null,
  ) {
    this.nodes = sharedNodes ?? new NodeTable(spec.graphVariable !== null, budget);
    this.reader = new EdgeReader(snapshot, spec, this.nodes, this.work, budget, statistics);
    this.lists = spec.steps.map(() => new Adjacency(budget));
    this.groups = groupsOf(spec.steps);
    this.ahead = leadsOn(spec) ? AHEAD : 1;
    this.inGraph = new IntList(budget);
    this.pending = new IntList(budget);
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

  /** A graph that starts may stand in, though it may hold no edges. */
  addGraph(graph: TermId): void {
    this.nodes.addGraph(lowOf(graph), highOf(graph));
  }

  /** Makes the edges of the nodes `frontier[from..to)` known. */
  *load(step: number, frontier: IntList, from: number, to: number): Task {
    const list = this.list(step);
    if (list.complete) return;
    const { pending } = this;
    pending.length = 0;
    yield* inPieces(this.work, to - from, (first, end) =>
      this.collectUnknown(list, frontier, from + first, from + end),
    );
    if (pending.length === 0) return;
    const group = this.groups.find(({ steps }) => steps.includes(step)) as StepGroup;
    if (this.allPay(group)) return yield* this.readAll(group);
    yield* this.reader.readNodes(this.spec.steps[step] as WalkStep, pending);
    group.lookups += pending.length;
    group.found += this.reader.subjects.length;
    yield* this.addTo(step, false);
  }

  /** Makes all edges known. */
  *loadAll(): Task {
    for (const group of this.groups) {
      if (!this.list(group.steps[0] as number).complete) yield* this.readAll(group);
    }
  }

  /** Numbers every subject and object. */
  *numberNodes(): Task {
    yield* this.reader.readNodesOfGraphs();
  }

  /**
   * Which terms a path relates to themselves without a step: the nodes of the graph when the path may be empty, and with a
   * term of the query at one end that term, even when the graph does not hold it. Only for a node that meets the term, when
   * an end of the path is one.
   */
  relatesToItself(node: number): boolean {
    const { emptyAnywhere, empty, from, to } = this.spec;
    if (emptyAnywhere && (from.kind === 'term' || to.kind === 'term')) return true;
    return empty && this.isInGraph(node);
  }

  /** True when the term is a subject or an object in its graph. */
  isInGraph(node: number): boolean {
    this.inGraph.reserve(node + 1);
    if (this.inGraph.data[node] === UNSURE) this.noteInGraph(node, this.hasEdges(node) || this.reader.isInGraph(node));
    return this.inGraph.data[node] === IN_GRAPH;
  }

  /** Finds out for many nodes together. */
  *checkInGraph(nodes: IntList): Task {
    const { inGraph, reader } = this;
    if (this.nodes.perGraph || nodes.length < 2) return;
    const unsure = new IntList(this.budget);
    try {
      inGraph.reserve(this.nodes.count);
      for (let at = 0; at < nodes.length; at++) {
        const node = nodes.data[at] as number;
        if (inGraph.data[node] !== UNSURE) continue;
        const found = this.hasEdges(node);
        this.noteInGraph(node, found);
        if (!found) unsure.push(node);
      }
      for (const position of ['s', 'o'] as const) {
        yield* reader.findNodes(position, unsure, (node) => this.noteInGraph(node, true));
        let left = 0;
        for (let at = 0; at < unsure.length; at++) {
          const node = unsure.data[at] as number;
          if (inGraph.data[node] === NOT_IN_GRAPH) unsure.data[left++] = node;
        }
        unsure.length = left;
      }
    } finally {
      unsure.release();
    }
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
    this.pending.release();
    this.reader.close();
    if (this.sharedNodes === null) this.nodes.release();
  }

  private collectUnknown(list: Adjacency, frontier: IntList, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const node = frontier.data[at] as number;
      if (list.isKnown(node)) continue;
      list.expect(node);
      // Values that the query computed stand in no graph.
      if (tagOfHigh(this.nodes.ids[2 * node + 1] as number) !== TAG.local) this.pending.push(node);
    }
  }

  /** True when reading all rows costs less than the lookups, those at hand included, and there is room for them. */
  private allPay(group: StepGroup): boolean {
    group.rows ??= this.estimate(group);
    const { lookups, found, rows } = group;
    const soon = lookups + this.pending.length;
    const rowsSoon = lookups === 0 ? 0 : (found * soon) / lookups;
    const rowCost = this.nodes.perGraph ? ROW_IN_GRAPH_COST : ROW_COST;
    if (rows > FEW_ROWS && this.ahead * (soon * LOOKUP_COST + rowsSoon * rowCost) < rows * rowCost) return false;
    const room = this.budget.limitBytes - this.budget.usedBytes;
    return rows * BYTES_PER_EDGE < room / 2;
  }

  private estimate({ steps }: StepGroup): number {
    const { graphs, time } = this.spec;
    return this.snapshot.estimate({ graphs, pattern: patternOf(this.spec.steps[steps[0] as number]), time }).rows;
  }

  private *readAll(group: StepGroup): Task {
    const [first] = group.steps as [number];
    group.rows ??= this.estimate(group);
    yield* this.reader.readAll(this.spec.steps[first] as WalkStep, group.rows);
    for (const step of group.steps) {
      this.list(step).clear();
      yield* this.addTo(step, true);
      this.list(step).markComplete();
    }
    this.reader.releasePairs();
  }

  /** Adds what was read to the edges of a step. */
  private *addTo(step: number, all: boolean): Task {
    const { subjects, objects } = this.reader;
    const [from, to] = isBackward(this.spec.steps[step]) ? [objects, subjects] : [subjects, objects];
    yield* this.list(step).add(this.pending, this.nodes.count, all, from, to, this.work);
  }

  private hasEdges(node: number): boolean {
    return this.lists.some((list) => list.hasEdges(node));
  }

  private noteInGraph(node: number, found: boolean): void {
    this.inGraph.data[node] = found ? IN_GRAPH : NOT_IN_GRAPH;
  }
}

/** Walks may have more than one step. */
function leadsOn({ states }: ClosureSpec): boolean {
  const stays = (state: number): boolean => states[state]?.moves.length === 0;
  return states.some(({ moves }) => moves.some((to, at) => at % 2 === 1 && !stays(to)));
}

function groupsOf(steps: readonly WalkStep[]): StepGroup[] {
  const groups: (StepGroup & { steps: number[] })[] = [];
  steps.forEach((step, at) => {
    const alike = groups.find(({ steps: [first] }) => sameRows(steps[first as number] as WalkStep, step));
    if (alike === undefined) groups.push({ steps: [at], lookups: 0, found: 0, rows: null });
    else alike.steps.push(at);
  });
  return groups;
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
