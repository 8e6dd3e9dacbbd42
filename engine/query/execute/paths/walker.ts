/**
 * Breadth-first searches over pairs of a state of the path and a node. Each state has a bitmap of the
 * nodes that were seen in it and the list of them; what was added to a list since the last look at it is
 * a frontier, whose edges are loaded at once.
 */

import type { MemoryBudget } from '../../runtime/memory.js';
import { PENDING } from '../../runtime/operator.js';
import { BitSet } from '../tables/bit-set.js';
import type { Adjacency } from './adjacency.js';
import type { PathState } from './automaton.js';
import type { EdgeSource } from './edge-source.js';
import { IntList } from './int-list.js';
import type { Task } from './work.js';

/** Edges between two looks at the share of work. */
const EDGES_AT_ONCE = 16_384;
/** What a node of a frontier costs, in edges. */
const NODE_UNITS = 2;

export class Walker {
  /** Edges that were followed so far. */
  followed = 0;
  /** For each state the nodes that were seen in it, nearest first. */
  private readonly queues: readonly IntList[];
  private readonly seen: readonly BitSet[];
  /** state -> where its frontier begins */
  private readonly heads: Int32Array;
  /** States that have a frontier, a ring; each stands in it once. */
  private readonly open: Int32Array;
  private readonly isOpen: Uint8Array;
  private openFirst = 0;
  private openCount = 0;
  /** Where an expansion goes on after a pause: a place of the queue, and an edge; -1 = the node's first. */
  private at = 0;
  private edge = -1;
  /** With several final states: the nodes seen in any of them, once each. */
  private readonly several: { readonly list: IntList; readonly set: BitSet } | null;
  private readonly finalState: number;
  private start = -1;
  /** A search from the other end, and whether this one came to a place where that has been. */
  private opposite: Walker | null = null;
  met = false;

  constructor(
    private readonly states: readonly PathState[],
    private readonly source: EdgeSource,
    budget: MemoryBudget,
    /** The states that searches begin in. */
    private readonly initial: readonly number[] = [0],
  ) {
    this.queues = states.map(() => new IntList(budget));
    this.seen = states.map(() => new BitSet(budget));
    this.heads = new Int32Array(states.length);
    this.open = new Int32Array(states.length);
    this.isOpen = new Uint8Array(states.length);
    const finals = states.flatMap(({ final }, state) => (final ? [state] : []));
    this.finalState = finals[0] ?? 0;
    this.several = finals.length > 1 ? { list: new IntList(budget), set: new BitSet(budget) } : null;
  }

  /** The nodes that the path leads to in at least one step, once each, from `reachedFirst` on. */
  get reached(): IntList {
    return this.several?.list ?? (this.queues[this.finalState] as IntList);
  }

  /** The start of a search stands first in the queue of state 0, reached or not. */
  get reachedFirst(): number {
    return this.several === null && this.finalState === 0 ? 1 : 0;
  }

  /** True when the last search reached the node. */
  hasReached(node: number): boolean {
    return (this.several?.set ?? (this.seen[this.finalState] as BitSet)).has(node);
  }

  /** Finds what the path leads to from `start`; ends soon after it reaches `wanted` (-1 = all). */
  *walk(start: number, wanted: number): Task {
    this.begin(start);
    while (this.frontier > 0) {
      yield* this.step();
      if (wanted >= 0 && this.hasReached(wanted)) return;
    }
  }

  /** Begins a search that goes on by `step`, perhaps towards another one. */
  begin(start: number, opposite: Walker | null = null): void {
    this.clear();
    this.start = start;
    this.opposite = opposite;
    this.met = false;
    for (const state of this.initial) {
      (this.queues[state] as IntList).push(start);
      this.openState(state);
    }
  }

  /** Nodes that the next step looks at; 0 = the search is at its end. */
  get frontier(): number {
    if (this.openCount === 0) return 0;
    const state = this.open[this.openFirst] as number;
    return (this.queues[state] as IntList).length - (this.heads[state] as number);
  }

  /** Makes the edges known that searches from the nodes will follow; adds to what it explored before. */
  *explore(starts: IntList): Task {
    const [queue, seen] = [this.queues[0] as IntList, this.seen[0] as BitSet];
    seen.reserve(this.source.nodes.count);
    for (let at = 0; at < starts.length; at++) {
      const start = starts.data[at] as number;
      if (seen.has(start)) continue;
      seen.add(start);
      queue.push(start);
    }
    this.openState(0);
    while (this.frontier > 0) yield* this.step();
    for (const list of this.queues) list.length = 0;
    this.heads.fill(0);
    if (this.several !== null) this.several.list.length = 0;
  }

  /** Follows the edges of one frontier. */
  *step(): Task {
    const { source } = this;
    const state = this.open[this.openFirst] as number;
    this.openFirst = (this.openFirst + 1) % this.open.length;
    this.openCount--;
    this.isOpen[state] = 0;
    const queue = this.queues[state] as IntList;
    const from = this.heads[state] as number;
    const to = queue.length;
    this.heads[state] = to;
    const { moves } = this.states[state] as PathState;
    for (let move = 0; move < moves.length; move += 2) {
      const list = source.list(moves[move] as number);
      yield* source.load(moves[move] as number, queue, from, to);
      yield* this.expand(list, queue, from, to, moves[move + 1] as number);
    }
  }

  close(): void {
    for (const list of this.queues) list.release();
    for (const set of this.seen) set.release();
    this.several?.list.release();
    this.several?.set.release();
  }

  private clear(): void {
    for (let state = 0; state < this.states.length; state++) {
      const queue = this.queues[state] as IntList;
      (this.seen[state] as BitSet).remove(queue.data, queue.length);
      queue.length = 0;
    }
    this.heads.fill(0);
    this.isOpen.fill(0);
    this.openCount = 0;
    if (this.several === null) return;
    this.several.set.remove(this.several.list.data, this.several.list.length);
    this.several.list.length = 0;
  }

  private openState(state: number): void {
    if (this.isOpen[state] === 1) return;
    this.isOpen[state] = 1;
    this.open[(this.openFirst + this.openCount++) % this.open.length] = state;
  }

  /** Follows the edges of the nodes `queue[from..to)` into a state. */
  private *expand(list: Adjacency, queue: IntList, from: number, to: number, state: number): Task {
    const { source } = this;
    const target = this.queues[state] as IntList;
    const before = target.length;
    this.at = from;
    this.edge = -1;
    (this.seen[state] as BitSet).reserve(source.nodes.count);
    while (this.at < to) {
      const added = target.length;
      const followed = this.expandSome(list, queue, to, state);
      this.followed += followed;
      if (this.several !== null && (this.states[state] as PathState).final) this.noteReached(target, added);
      if (this.opposite !== null) this.noteMeeting(this.opposite, target, added, state);
      if (source.work.spend(followed)) yield PENDING;
    }
    if (target.length > before) this.openState(state);
  }

  /** A bounded part of an expansion; returns its units of work. */
  private expandSome(list: Adjacency, queue: IntList, to: number, state: number): number {
    const [starts, ends, targets] = [list.starts.data, list.ends.data, list.targets.data];
    const target = this.queues[state] as IntList;
    const { words } = this.seen[state] as BitSet;
    let { at, edge } = this;
    let left = EDGES_AT_ONCE;
    while (at < to && left > 0) {
      const node = queue.data[at] as number;
      const start = node < starts.length ? (starts[node] as number) : -1;
      const end = start < 0 ? -1 : (ends[node] as number);
      let next = edge < 0 ? start : edge;
      const stop = Math.min(end, next + left);
      left -= stop - next + NODE_UNITS;
      let length = target.length;
      if (length + stop - next > target.data.length) target.reserve(length + stop - next);
      const { data } = target;
      for (; next < stop; next++) {
        const found = targets[next] as number;
        const word = found >>> 5;
        const bits = words[word] as number;
        const bit = 1 << (found & 31);
        if ((bits & bit) !== 0) continue;
        words[word] = bits | bit;
        data[length++] = found;
      }
      target.length = length;
      if (next >= end) {
        at++;
        edge = -1;
      } else edge = next;
    }
    this.at = at;
    this.edge = edge;
    return EDGES_AT_ONCE - left;
  }

  private noteMeeting(opposite: Walker, queue: IntList, first: number, state: number): void {
    const seen = opposite.seen[state] as BitSet;
    // The opposite search stands at its start, though it may not have come back to it.
    const start = opposite.initial.includes(state) ? opposite.start : -1;
    for (let at = first; at < queue.length && !this.met; at++) {
      const node = queue.data[at] as number;
      this.met = node === start || seen.has(node);
    }
  }

  private noteReached(queue: IntList, first: number): void {
    const { list, set } = this.several as { list: IntList; set: BitSet };
    set.reserve(this.source.nodes.count);
    for (let at = first; at < queue.length; at++) {
      const node = queue.data[at] as number;
      if (set.has(node)) continue;
      set.add(node);
      list.push(node);
    }
  }
}
