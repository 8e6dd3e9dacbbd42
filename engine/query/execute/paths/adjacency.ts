/**
 * The edges of one step by the node that they start from: each node's targets stand together in one
 * pool (compressed sparse rows, except that nodes come in any sequence, a frontier or all at once). A
 * node whose edges were never asked for is told apart from one that has none.
 */

import type { MemoryCounter } from '../../runtime/memory.js';
import { PENDING } from '../../runtime/operator.js';
import { IntList } from './int-list.js';
import type { Task, Work } from './work.js';

/** The edges of the node are not known. */
export const UNKNOWN_EDGES = -1;

/** Entries that are looked at between two looks at the share of work. */
const AT_ONCE = 16_384;

export class Adjacency {
  /** Targets of all nodes. */
  readonly targets: IntList;
  /** node -> its first target; blank = its edges are not known, or after `complete` it has none */
  readonly starts: IntList;
  /** node -> the end of its targets */
  readonly ends: IntList;
  /** Nodes whose edges are not known have none. */
  complete = false;

  constructor(budget: MemoryCounter) {
    this.targets = new IntList(budget);
    this.starts = new IntList(budget, UNKNOWN_EDGES);
    this.ends = new IntList(budget);
  }

  isKnown(node: number): boolean {
    return this.complete || (node < this.starts.data.length && this.starts.data[node] !== UNKNOWN_EDGES);
  }

  hasEdges(node: number): boolean {
    if (node >= this.starts.data.length) return false;
    const start = this.starts.data[node] as number;
    return start !== UNKNOWN_EDGES && start < (this.ends.data[node] as number);
  }

  /** Says that the edges of the node are about to be added; it has none until then. */
  expect(node: number): void {
    this.starts.reserve(node + 1);
    this.ends.reserve(node + 1);
    this.starts.data[node] = 0;
    this.ends.data[node] = 0;
  }

  /**
   * Adds all edges of some nodes, which were expected or, with `all`, of every node below `count`:
   * counts the edges of each node, lays out the pool, and scatters the targets.
   */
  *add(nodes: IntList, count: number, all: boolean, from: IntList, to: IntList, work: Work): Task {
    const { starts, ends, targets } = this;
    starts.reserve(count);
    ends.reserve(count);
    for (let at = 0; at < from.length; at += AT_ONCE) {
      this.countEdges(from.data, at, Math.min(from.length, at + AT_ONCE));
      if (work.spend(AT_ONCE / 4)) yield PENDING;
    }
    targets.reserve(targets.length + from.length);
    const laid = all ? count : nodes.length;
    for (let at = 0; at < laid; at += AT_ONCE) {
      this.layOut(all ? null : nodes.data, at, Math.min(laid, at + AT_ONCE));
      if (work.spend(AT_ONCE / 4)) yield PENDING;
    }
    for (let at = 0; at < from.length; at += AT_ONCE) {
      this.scatter(from.data, to.data, at, Math.min(from.length, at + AT_ONCE));
      if (work.spend(AT_ONCE / 4)) yield PENDING;
    }
  }

  markComplete(): void {
    this.complete = true;
  }

  clear(): void {
    this.targets.release();
    this.starts.release();
    this.ends.release();
    this.complete = false;
  }

  private countEdges(from: Int32Array, first: number, end: number): void {
    const counts = this.ends.data;
    for (let at = first; at < end; at++) {
      const node = from[at] as number;
      counts[node] = (counts[node] as number) + 1;
    }
  }

  /** Gives each node its part of the pool; its end is where its next target goes. */
  private layOut(nodes: Int32Array | null, first: number, end: number): void {
    const { starts, ends, targets } = this;
    let next = targets.length;
    for (let at = first; at < end; at++) {
      const node = nodes === null ? at : (nodes[at] as number);
      const degree = ends.data[node] as number;
      starts.data[node] = next;
      ends.data[node] = next;
      next += degree;
    }
    targets.length = next;
  }

  private scatter(from: Int32Array, to: Int32Array, first: number, end: number): void {
    const [ends, targets] = [this.ends.data, this.targets.data];
    for (let at = first; at < end; at++) {
      const place = ends[from[at] as number] as number;
      ends[from[at] as number] = place + 1;
      targets[place] = to[at] as number;
    }
  }
}
