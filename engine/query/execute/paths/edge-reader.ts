/**
 * Reads rows of a path's steps as pairs of numbered nodes: all rows of a step, or those of a frontier's
 * nodes in the order of their ids.
 */

import { addTo } from '../../../base/maps.js';
import { highOf, payloadOfHalves, tagOfHigh } from '../../../storage/ids/halves.js';
import { TAG, type TermId } from '../../../storage/ids/layout.js';
import {
  BATCH_ROWS,
  type Batch,
  type Column,
  type GraphSet,
  type IdColumn,
  type ProbeCursor,
  type ScanPattern,
  type StorageSnapshot,
} from '../../../storage/seam/scan.js';
import { copyId } from '../../runtime/batch.js';
import { idAt, sameId } from '../../runtime/ids.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type OperatorStatistics, PENDING } from '../../runtime/operator.js';
import { BitSet } from '../tables/bit-set.js';
import { IntList } from './int-list.js';
import type { NodeTable } from './node-table.js';
import { type ClosureSpec, isBackward, patternOf, type WalkStep } from './spec.js';
import { LOOKUP_UNITS, ROW_UNITS, type Task, type Work } from './work.js';

/** Lookups in so few graphs are made graph by graph. */
const GRAPHS_ONE_BY_ONE = 4;
const NO_EXCEPTIONS: ReadonlySet<number> = new Set();

export class EdgeReader {
  /** The pairs that were read last. */
  readonly subjects: IntList;
  readonly objects: IntList;
  /** Lookups of the steps that were looked up, where graphs are not told apart. */
  private readonly probes = new Map<WalkStep, ProbeCursor>();
  private kept = new Uint32Array(0);

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly spec: ClosureSpec,
    private readonly nodes: NodeTable,
    private readonly work: Work,
    private readonly budget: MemoryBudget,
    private readonly statistics: OperatorStatistics,
  ) {
    this.subjects = new IntList(budget);
    this.objects = new IntList(budget);
  }

  /** All rows of a step; `rows` are expected. */
  *readAll(step: WalkStep, rows: number): Task {
    this.clearPairs();
    if (step.kind === 'never') return;
    this.nodes.expectRows(rows);
    this.subjects.reserve(rows);
    this.objects.reserve(rows);
    yield* this.read(patternOf(step), this.spec.graphs, step);
  }

  /** The rows of a step that start, in its direction, from the nodes, which it may put in another order. */
  *readNodes(step: WalkStep, nodes: IntList): Task {
    this.clearPairs();
    if (step.kind === 'never' || nodes.length === 0) return;
    if (!this.nodes.perGraph) {
      this.probes.set(step, this.probes.get(step) ?? this.openProbe(step, this.spec.graphs));
      return yield* this.readKeys(step, this.probes.get(step) as ProbeCursor, nodes);
    }
    const graphs = this.byGraph(nodes);
    if (graphs.size > GRAPHS_ONE_BY_ONE) return yield* this.readAcrossGraphs(step, nodes);
    for (const [graph, members] of graphs) {
      const probe = this.openProbe(step, { kind: 'one', graph });
      const list = new IntList(this.budget);
      try {
        for (const node of members) list.push(node);
        yield* this.readKeys(step, probe, list);
      } finally {
        probe.close();
        list.release();
      }
    }
  }

  /** Numbers the subjects and objects of all rows. */
  *readNodesOfGraphs(): Task {
    yield* this.read({}, this.spec.graphs, null);
  }

  /** True when the term is a subject or an object in its graph. */
  isInGraph(node: number): boolean {
    const id = idAt(this.nodes.ids, node);
    if (tagOfHigh(highOf(id)) === TAG.local) return false;
    const graphs: GraphSet = this.nodes.perGraph
      ? { kind: 'one', graph: idAt(this.nodes.graphs, node) }
      : this.spec.graphs;
    return (['s', 'o'] as const).some((position) => {
      const pattern = { [position]: { kind: 'id', id } };
      const cursor = this.snapshot.scan({ graphs, pattern, time: this.spec.time, columns: [position] });
      const found = cursor.next() !== null;
      cursor.close();
      return found;
    });
  }

  /** Tells which of the nodes are subjects, or objects; where graphs are not told apart. */
  *findNodes(position: 's' | 'o', nodes: IntList, found: (node: number) => void): Task {
    if (nodes.length === 0) return;
    const { graphs, time } = this.spec;
    const order = position === 's' ? 'SPOG' : 'OSPG';
    const request = { graphs, pattern: {}, order, time, keys: [position], columns: [], counted: true } as const;
    const probe = this.snapshot.probe(request);
    try {
      probe.begin([this.sortById(nodes)], nodes.length);
      for (let batch = probe.next(); batch !== null; batch = probe.next()) {
        for (let row = 0; row < batch.rows; row++) found(nodes.data[batch.keys[row] as number] as number);
        if (this.work.spend(LOOKUP_UNITS + batch.rows * ROW_UNITS)) yield PENDING;
      }
    } finally {
      probe.close();
    }
  }

  releasePairs(): void {
    this.subjects.release();
    this.objects.release();
  }

  close(): void {
    for (const probe of this.probes.values()) probe.close();
    this.probes.clear();
    this.releasePairs();
  }

  private clearPairs(): void {
    this.subjects.length = 0;
    this.objects.length = 0;
  }

  /** Numbers the ends of a pattern's rows; with a step, they become pairs. */
  private *read(pattern: ScanPattern, graphs: GraphSet, step: WalkStep | null): Task {
    const except = exceptOf(step);
    const columns = this.columnsFor(step);
    const blocksBefore = this.snapshot.counters.blocksRead;
    const cursor = this.snapshot.scan({ graphs, pattern, time: this.spec.time, columns, unordered: true });
    try {
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
        this.take(batch.rows, batch.selection, batch.columns, except);
        if (step === null) this.clearPairs();
        if (this.work.spend((batch.selection?.length ?? batch.rows) * ROW_UNITS)) yield PENDING;
      }
    } finally {
      cursor.close();
      this.statistics.blocksRead += this.snapshot.counters.blocksRead - blocksBefore;
    }
  }

  private columnsFor(step: WalkStep | null): Column[] {
    const columns: Column[] = ['s', 'o'];
    if (this.nodes.perGraph) columns.push('g');
    if (exceptOf(step).size > 0) columns.push('p');
    return columns;
  }

  private take(
    rows: number,
    selection: Uint32Array | null,
    columns: Batch['columns'],
    except: ReadonlySet<number>,
  ): void {
    const { nodes, subjects, objects } = this;
    const g = nodes.perGraph ? (columns.g as IdColumn) : null;
    let kept = selection;
    let count = selection?.length ?? rows;
    if (except.size > 0) {
      count = this.keepOthers(columns.p as IdColumn, selection, count, except);
      kept = this.kept;
    }
    subjects.reserve(subjects.length + count);
    objects.reserve(objects.length + count);
    // The columns one after the other: in a sorted one, near ids follow each other.
    nodes.numberAll(columns.s as IdColumn, g, kept, count, subjects.data, subjects.length);
    nodes.numberAll(columns.o as IdColumn, g, kept, count, objects.data, objects.length);
    subjects.length += count;
    objects.length += count;
  }

  /** Lists the rows of other predicates in `kept`. */
  private keepOthers(p: IdColumn, selection: Uint32Array | null, count: number, except: ReadonlySet<number>): number {
    if (this.kept.length < count) this.kept = new Uint32Array(Math.max(count, Math.min(BATCH_ROWS, 2 * count)));
    let others = 0;
    for (let index = 0; index < count; index++) {
      const row = selection === null ? index : (selection[index] as number);
      if (!except.has(payloadOfHalves(p[2 * row] as number, p[2 * row + 1] as number))) this.kept[others++] = row;
    }
    return others;
  }

  private openProbe(step: Exclude<WalkStep, { kind: 'never' }>, graphs: GraphSet): ProbeCursor {
    const columns = this.columnsFor(step);
    const { time } = this.spec;
    const keys = [step.backward ? 'o' : 's'] as const;
    const order = step.backward ? (step.kind === 'negated' ? 'OSPG' : 'POSG') : 'SPOG';
    return this.snapshot.probe({ graphs, pattern: patternOf(step), order, time, keys, columns });
  }

  /** Looks up nodes of one graph, or where graphs are not told apart. */
  private *readKeys(step: WalkStep, probe: ProbeCursor, nodes: IntList): Task {
    const ids = this.sortById(nodes);
    const except = exceptOf(step);
    const backward = isBackward(step);
    const [from, to] = backward ? [this.objects, this.subjects] : [this.subjects, this.objects];
    const blocksBefore = this.snapshot.counters.blocksRead;
    probe.begin([ids], nodes.length);
    for (let batch = probe.next(); batch !== null; batch = probe.next()) {
      const { rows, columns, keys } = batch;
      const g = this.nodes.perGraph ? (columns.g as IdColumn) : null;
      const kept = except.size > 0 ? this.keepOthers(columns.p as IdColumn, null, rows, except) : rows;
      const selection = except.size > 0 ? this.kept : null;
      from.reserve(from.length + kept);
      to.reserve(to.length + kept);
      for (let index = 0; index < kept; index++) {
        const key = keys[selection === null ? index : (selection[index] as number)] as number;
        from.data[from.length + index] = nodes.data[key] as number;
      }
      this.nodes.numberAll(columns[backward ? 's' : 'o'] as IdColumn, g, selection, kept, to.data, to.length);
      from.length += kept;
      to.length += kept;
      if (this.work.spend(LOOKUP_UNITS + rows * ROW_UNITS)) yield PENDING;
    }
    this.statistics.blocksRead += this.snapshot.counters.blocksRead - blocksBefore;
  }

  /** Looks up terms in all graphs at once, and keeps the rows of the nodes that were asked for. */
  private *readAcrossGraphs(step: Exclude<WalkStep, { kind: 'never' }>, nodes: IntList): Task {
    const wanted = new BitSet(this.budget);
    const probe = this.openProbe(step, this.spec.graphs);
    const except = exceptOf(step);
    try {
      wanted.reserve(this.nodes.count);
      for (let at = 0; at < nodes.length; at++) wanted.add(nodes.data[at] as number);
      const { ids, count } = this.distinctIds(nodes);
      probe.begin([ids], count);
      for (let batch = probe.next(); batch !== null; batch = probe.next()) {
        const before = this.subjects.length;
        this.take(batch.rows, null, batch.columns, except);
        this.keepWanted(before, step.backward ? this.objects : this.subjects, wanted);
        if (this.work.spend(LOOKUP_UNITS + batch.rows * ROW_UNITS)) yield PENDING;
      }
    } finally {
      probe.close();
      wanted.release();
    }
  }

  /** Drops the pairs from `first` on whose start is not wanted. */
  private keepWanted(first: number, starts: IntList, wanted: BitSet): void {
    const { subjects, objects } = this;
    let kept = first;
    for (let at = first; at < subjects.length; at++) {
      if (!wanted.has(starts.data[at] as number)) continue;
      subjects.data[kept] = subjects.data[at] as number;
      objects.data[kept++] = objects.data[at] as number;
    }
    subjects.length = kept;
    objects.length = kept;
  }

  private byGraph(nodes: IntList): Map<TermId, number[]> {
    const found = new Map<TermId, number[]>();
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes.data[at] as number;
      addTo(found, idAt(this.nodes.graphs, node), node);
    }
    return found;
  }

  /** Sorts nodes of one graph by their ids, and gives the ids. */
  private sortById(nodes: IntList): IdColumn {
    const ids = this.idsOf(nodes);
    if (nodes.length < 2) return ids;
    const { graphs } = this.nodes;
    const first = nodes.data[0] as number;
    const [graphLow, graphHigh] = [graphs[2 * first] ?? 0, graphs[2 * first + 1] ?? 0];
    new BigUint64Array(ids.buffer).sort();
    for (let at = 0; at < nodes.length; at++) {
      nodes.data[at] = this.nodes.find(ids[2 * at] as number, ids[2 * at + 1] as number, graphLow, graphHigh);
    }
    return ids;
  }

  /** Terms of nodes in many graphs, ascending, each once. */
  private distinctIds(nodes: IntList): { ids: IdColumn; count: number } {
    const ids = this.idsOf(nodes);
    new BigUint64Array(ids.buffer).sort();
    let count = 0;
    for (let at = 0; at < nodes.length; at++) {
      if (count > 0 && sameId(ids, at, ids, count - 1)) continue;
      copyId(ids, at, ids, count++);
    }
    return { ids, count };
  }

  private idsOf(nodes: IntList): Uint32Array<ArrayBuffer> {
    const ids = new Uint32Array(2 * nodes.length);
    for (let at = 0; at < nodes.length; at++) copyId(this.nodes.ids, nodes.data[at] as number, ids, at);
    return ids;
  }
}

function exceptOf(step: WalkStep | null): ReadonlySet<number> {
  return step?.kind === 'negated' ? step.except : NO_EXCEPTIONS;
}
