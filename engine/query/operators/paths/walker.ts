/**
 * Walks from one node, breadth first, over pairs of a state of the path and a node. Marks carry the
 * number of the walk, so that nothing is cleared between walks.
 */

import type { MemoryBudget } from '../memory.js';
import { PENDING } from '../operator.js';
import { UNKNOWN_EDGES } from './adjacency.js';
import type { PathState } from './automaton.js';
import type { EdgeSource } from './edge-source.js';
import { IntList } from './int-list.js';
import type { Task } from './work.js';

export class Walker {
  /** The nodes that the path leads to in at least one step, once each, nearest first. */
  readonly reached: IntList;
  private readonly queue: IntList;
  /** state and node -> the last walk that came by */
  private readonly marks: IntList;
  /** node -> the last walk that reached it */
  private readonly reachedMarks: IntList;
  private walks = 0;

  constructor(
    private readonly states: readonly PathState[],
    private readonly source: EdgeSource,
    budget: MemoryBudget,
  ) {
    this.reached = new IntList(budget);
    this.queue = new IntList(budget);
    this.marks = new IntList(budget);
    this.reachedMarks = new IntList(budget);
  }

  /** Finds what the path leads to from `start`; ends as soon as it reaches `wanted` (-1 = all). */
  *walk(start: number, wanted: number): Task {
    const { states, source, queue, reached } = this;
    const width = states.length;
    this.walks++;
    queue.length = 0;
    reached.length = 0;
    queue.push(start * width);
    for (let head = 0; head < queue.length; head++) {
      const place = queue.data[head] as number;
      const node = Math.trunc(place / width);
      const { moves } = states[place - node * width] as PathState;
      for (let move = 0; move < moves.length; move += 2) {
        const step = moves[move] as number;
        const list = source.list(step);
        if (list.first(node) === UNKNOWN_EDGES) yield* source.load(step, node);
        for (let edge = list.first(node); edge >= 0; edge = list.next.data[edge] as number) {
          this.visit(list.target.data[edge] as number, moves[move + 1] as number);
          if (source.work.spend(1)) yield PENDING;
        }
        if (wanted >= 0 && this.hasReached(wanted)) return;
      }
    }
  }

  /** True when the last walk reached the node. */
  hasReached(node: number): boolean {
    return node < this.reachedMarks.data.length && this.reachedMarks.data[node] === this.walks;
  }

  close(): void {
    for (const list of [this.reached, this.queue, this.marks, this.reachedMarks]) list.release();
  }

  private visit(node: number, state: number): void {
    const place = node * this.states.length + state;
    if (place >= this.marks.data.length) this.marks.reserve(place + 1);
    if (this.marks.data[place] === this.walks) return;
    this.marks.data[place] = this.walks;
    this.queue.push(place);
    if (!(this.states[state] as PathState).final) return;
    if (node >= this.reachedMarks.data.length) this.reachedMarks.reserve(node + 1);
    if (this.reachedMarks.data[node] === this.walks) return;
    this.reachedMarks.data[node] = this.walks;
    this.reached.push(node);
  }
}
