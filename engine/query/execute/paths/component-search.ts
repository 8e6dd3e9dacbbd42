/**
 * The search for strongly connected components, depth first without recursion (Tarjan, SIAM J. Comput.
 * 1972), over places: pairs of a node and a state of the path. A call does a bounded part of it.
 */

import type { MemoryCounter } from '../../runtime/memory.js';
import type { PathState } from './automaton.js';
import type { EdgeSource } from './edge-source.js';
import { IntList } from './int-list.js';

/** The edges of the move at hand were not looked at yet. */
const FRESH = -1;
/** Edges and nodes that a call looks at. */
const STEPS_PER_CALL = 8192;
/** Units of work of a step: it touches memory in no order. */
const STEP_UNITS = 2;

export class ComponentSearch {
  /** Components found so far; edges between them lead to smaller numbers. */
  count = 0;
  /** place -> its component; -1 = not found yet */
  readonly component: IntList;
  /** Places, component by component. */
  readonly members: IntList;
  /** component -> its first member */
  readonly memberStart: IntList;
  /** place -> when it was found, from 1; 0 = not yet */
  private readonly order: IntList;
  /** place -> the earliest place of its component known so far */
  private readonly low: IntList;
  private readonly stack: IntList;
  /** The path that the search is on: places, with the move and the edge to go on with. */
  private readonly path: IntList;
  private readonly moves: IntList;
  private readonly edges: IntList;
  private found = 0;

  constructor(
    private readonly states: readonly PathState[],
    private readonly source: EdgeSource,
    budget: MemoryCounter,
  ) {
    const list = () => new IntList(budget);
    this.component = new IntList(budget, -1);
    this.members = list();
    this.memberStart = list();
    this.order = list();
    this.low = list();
    this.stack = list();
    this.path = list();
    this.moves = list();
    this.edges = list();
  }

  /** Begins at a place, unless it was found before. Nodes may have been numbered since the last search. */
  begin(place: number): void {
    const places = this.source.nodes.count * this.states.length;
    this.component.reserve(places);
    this.order.reserve(places);
    this.low.reserve(places);
    if (this.order.data[place] === 0) this.enter(place);
  }

  get done(): boolean {
    return this.path.length === 0;
  }

  /** Goes on; returns its units of work. */
  advance(): number {
    let left = STEPS_PER_CALL;
    while (left > 0 && this.path.length > 0) {
      const top = this.path.length - 1;
      const place = this.path.data[top] as number;
      const node = Math.trunc(place / this.states.length);
      const { moves } = this.states[place - node * this.states.length] as PathState;
      const move = this.moves.data[top] as number;
      left--;
      if (move === moves.length) this.leave(place);
      else left = this.follow(top, place, node, moves, left);
    }
    return (STEPS_PER_CALL - left) * STEP_UNITS;
  }

  close(): void {
    for (const list of [this.component, this.members, this.memberStart, this.order, this.low]) list.release();
    for (const list of [this.stack, this.path, this.moves, this.edges]) list.release();
  }

  /** Looks at edges of the move at hand up to one that leads to a new place; returns the steps that are left. */
  private follow(top: number, place: number, node: number, moves: Int32Array, left: number): number {
    const move = this.moves.data[top] as number;
    const list = this.source.list(moves[move] as number);
    const state = moves[move + 1] as number;
    const width = this.states.length;
    const targets = list.targets.data;
    const [order, low, component] = [this.order.data, this.low.data, this.component.data];
    const end = list.hasEdges(node) ? (list.ends.data[node] as number) : 0;
    let edge = this.edges.data[top] as number;
    if (edge === FRESH) edge = end === 0 ? 0 : (list.starts.data[node] as number);
    const stop = Math.min(end, edge + left);
    const first = edge;
    while (edge < stop) {
      const to = (targets[edge++] as number) * width + state;
      const found = order[to] as number;
      if (found === 0) {
        this.edges.data[top] = edge;
        this.enter(to);
        return left - (edge - first);
      }
      if (component[to] === -1 && found < (low[place] as number)) low[place] = found;
    }
    if (edge >= end) {
      this.moves.data[top] = move + 2;
      this.edges.data[top] = FRESH;
    } else this.edges.data[top] = edge;
    return left - (edge - first);
  }

  private enter(place: number): void {
    this.order.data[place] = ++this.found;
    this.low.data[place] = this.found;
    this.stack.push(place);
    this.path.push(place);
    this.moves.push(0);
    this.edges.push(FRESH);
  }

  /** The last place of the path is done: with what stands above it on the stack it may make a component. */
  private leave(place: number): void {
    const [order, low] = [this.order.data, this.low.data];
    if (low[place] === order[place]) {
      this.memberStart.push(this.members.length);
      for (let member = -1; member !== place; ) {
        member = this.stack.data[--this.stack.length] as number;
        this.component.data[member] = this.count;
        this.members.push(member);
      }
      this.count++;
    }
    this.path.length--;
    this.moves.length--;
    this.edges.length--;
    if (this.path.length === 0) return;
    const parent = this.path.data[this.path.length - 1] as number;
    if ((low[place] as number) < (low[parent] as number)) low[parent] = low[place] as number;
  }
}
