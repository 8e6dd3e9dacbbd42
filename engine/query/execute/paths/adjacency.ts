/**
 * The edges of one step by the node that they start from: each node's targets stand together in one
 * pool (compressed sparse rows, except that nodes come in any sequence, a frontier or all at once). A
 * node whose edges were never asked for is told apart from one that has none.
 */

import type { MemoryCounter } from '../../runtime/memory.js';
import { IntList } from './int-list.js';
import { inPieces, type Task, type Work } from './work.js';

/** The edges of the node are not known. */
export const UNKNOWN_EDGES = -1;

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
    yield* inPieces(work, from.length, (first, end) => this.countEdges(from.data, first, end));
    targets.reserve(targets.length + from.length);
    const laid = all ? null : nodes.data;
    yield* inPieces(work, all ? count : nodes.length, (first, end) => this.layOut(laid, first, end));
    yield* inPieces(work, from.length, (first, end) => this.scatter(from.data, to.data, first, end));
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
