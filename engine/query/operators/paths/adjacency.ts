/**
 * The edges of one step, by the node they start from: chained lists in one pool, so that edges can
 * come in any sequence, node by node or all at once. A node whose edges were never asked for is
 * told apart from one that has none.
 */

import type { MemoryBudget } from '../memory.js';
import { IntList } from './int-list.js';

/** The end of a list. */
export const NO_EDGE = -1;
/** The edges of the node are not known yet. */
export const UNKNOWN_EDGES = -2;

export class Adjacency {
  /** edge -> the node it leads to */
  readonly target: IntList;
  /** edge -> the next edge of the same node */
  readonly next: IntList;
  /** node -> its first edge */
  private readonly head: IntList;
  /** Nodes without a list have no edges. */
  private complete = false;

  constructor(budget: MemoryBudget) {
    this.target = new IntList(budget);
    this.next = new IntList(budget);
    this.head = new IntList(budget, UNKNOWN_EDGES);
  }

  first(node: number): number {
    const edge = node < this.head.data.length ? (this.head.data[node] as number) : UNKNOWN_EDGES;
    return edge === UNKNOWN_EDGES && this.complete ? NO_EDGE : edge;
  }

  add(from: number, to: number): void {
    this.head.reserve(from + 1);
    const before = this.head.data[from] as number;
    this.head.data[from] = this.target.length;
    this.target.push(to);
    this.next.push(before === UNKNOWN_EDGES ? NO_EDGE : before);
  }

  /** From now on the node has the edges that were added, perhaps none. */
  markKnown(node: number): void {
    this.head.reserve(node + 1);
    if (this.head.data[node] === UNKNOWN_EDGES) this.head.data[node] = NO_EDGE;
  }

  markComplete(): void {
    this.complete = true;
  }

  clear(): void {
    this.target.release();
    this.next.release();
    this.head.release();
    this.complete = false;
  }
}
