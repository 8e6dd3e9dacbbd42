/**
 * Reads rows of a path's steps as pairs of numbered nodes: all rows of a step, or those of a frontier's
 * nodes in the order of their ids.
 */

import { payloadOfHalves } from '../../../storage/ids/halves.js';
import {
  BATCH_ROWS,
  type Batch,
  type Column,
  type GraphSet,
  type IdColumn,
  type ScanPattern,
  type StorageSnapshot,
} from '../../../storage/scan.js';
import { idAt } from '../ids.js';
import type { MemoryBudget } from '../memory.js';
import { type OperatorStatistics, PENDING } from '../operator.js';
import { IntList } from './int-list.js';
import type { NodeTable } from './node-table.js';
import type { ClosureSpec, WalkStep } from './spec.js';
import { LOOKUP_UNITS, ROW_UNITS, type Task, type Work } from './work.js';

const NO_EXCEPTIONS: ReadonlySet<number> = new Set();

export class EdgeReader {
  /** The pairs that were read last. */
  readonly subjects: IntList;
  readonly objects: IntList;
  private kept = new Uint32Array(0);

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly spec: ClosureSpec,
    private readonly nodes: NodeTable,
    private readonly work: Work,
    budget: MemoryBudget,
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
    const pattern: ScanPattern = step.kind === 'predicate' ? { p: { kind: 'id', id: step.predicate } } : {};
    yield* this.read(pattern, this.spec.graphs, step);
  }

  /** The rows of a step that start, in its direction, from the nodes. */
  *readNodes(step: WalkStep, nodes: IntList): Task {
    this.clearPairs();
    if (step.kind === 'never') return;
    const { perGraph, graphs } = this.nodes;
    const p = step.kind === 'predicate' ? { p: { kind: 'id', id: step.predicate } as const } : {};
    this.sortById(nodes);
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes.data[at] as number;
      const test = { kind: 'id', id: idAt(this.nodes.ids, node) } as const;
      const pattern: ScanPattern = step.backward ? { ...p, o: test } : { ...p, s: test };
      yield* this.read(pattern, perGraph ? { kind: 'one', graph: idAt(graphs, node) } : this.spec.graphs, step);
      if (this.work.spend(LOOKUP_UNITS)) yield PENDING;
    }
  }

  /** Numbers the subjects and objects of all rows. */
  *readNodesOfGraphs(): Task {
    yield* this.read({}, this.spec.graphs, null);
  }

  releasePairs(): void {
    this.subjects.release();
    this.objects.release();
  }

  close(): void {
    this.releasePairs();
  }

  private clearPairs(): void {
    this.subjects.length = 0;
    this.objects.length = 0;
  }

  /** Numbers the ends of a pattern's rows; with a step, they become pairs. */
  private *read(pattern: ScanPattern, graphs: GraphSet, step: WalkStep | null): Task {
    const except = step?.kind === 'negated' ? step.except : NO_EXCEPTIONS;
    const columns: Column[] = ['s', 'o'];
    if (this.nodes.perGraph) columns.push('g');
    if (except.size > 0) columns.push('p');
    const blocksBefore = this.snapshot.counters.blocksRead;
    const cursor = this.snapshot.scan({ graphs, pattern, time: this.spec.time, columns, unordered: true });
    try {
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
        this.take(batch, except);
        if (step === null) this.clearPairs();
        if (this.work.spend((batch.selection?.length ?? batch.rows) * ROW_UNITS)) yield PENDING;
      }
    } finally {
      cursor.close();
      this.statistics.blocksRead += this.snapshot.counters.blocksRead - blocksBefore;
    }
  }

  private take({ rows, selection, columns }: Batch, except: ReadonlySet<number>): void {
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

  /** Sorts nodes by their ids; those of many graphs stay as they are, since they are looked up graph by graph. */
  private sortById(nodes: IntList): void {
    if (this.nodes.perGraph || nodes.length < 2) return;
    const ids = new Uint32Array(2 * nodes.length);
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes.data[at] as number;
      ids[2 * at] = this.nodes.ids[2 * node] as number;
      ids[2 * at + 1] = this.nodes.ids[2 * node + 1] as number;
    }
    new BigUint64Array(ids.buffer).sort();
    for (let at = 0; at < nodes.length; at++) {
      nodes.data[at] = this.nodes.find(ids[2 * at] as number, ids[2 * at + 1] as number, 0, 0);
    }
  }
}
