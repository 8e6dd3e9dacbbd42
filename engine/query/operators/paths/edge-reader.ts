/**
 * Reads rows of a path's steps as pairs of numbered nodes: all rows of a step, or those of a frontier's
 * nodes in the order of their ids.
 */

import { payloadOfHalves } from '../../../storage/ids/halves.js';
import type { Batch, Column, GraphSet, IdColumn, ScanPattern, StorageSnapshot } from '../../../storage/scan.js';
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
        this.take(batch, step !== null, except);
        if (this.work.spend((batch.selection?.length ?? batch.rows) * ROW_UNITS)) yield PENDING;
      }
    } finally {
      cursor.close();
      this.statistics.blocksRead += this.snapshot.counters.blocksRead - blocksBefore;
    }
  }

  private take({ rows, selection, columns }: Batch, pairs: boolean, except: ReadonlySet<number>): void {
    const { nodes, subjects, objects } = this;
    const [s, o] = [columns.s as IdColumn, columns.o as IdColumn];
    const p = except.size > 0 ? (columns.p as IdColumn) : null;
    const g = nodes.perGraph ? (columns.g as IdColumn) : null;
    const count = selection?.length ?? rows;
    if (pairs) {
      subjects.reserve(subjects.length + count);
      objects.reserve(objects.length + count);
    }
    for (let index = 0; index < count; index++) {
      const at = 2 * (selection === null ? index : (selection[index] as number));
      if (p !== null && except.has(payloadOfHalves(p[at] as number, p[at + 1] as number))) continue;
      const graphLow = g === null ? 0 : (g[at] as number);
      const graphHigh = g === null ? 0 : (g[at + 1] as number);
      const subject = nodes.numberOf(s[at] as number, s[at + 1] as number, graphLow, graphHigh);
      const object = nodes.numberOf(o[at] as number, o[at + 1] as number, graphLow, graphHigh);
      if (!pairs) continue;
      subjects.data[subjects.length++] = subject;
      objects.data[objects.length++] = object;
    }
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
