/**
 * Reachability between many nodes: the strongly connected components of the pairs of state and node,
 * then a search over components, once for all nodes that share one. Cycles so cost what they give, not
 * a walk for each of their nodes.
 *
 * Starts may come in portions, each with all edges known that searches from them follow: components that
 * were found before are closed under reachability, so later ones only lead into them.
 */

import type { MemoryCounter } from '../../runtime/memory.js';
import { PENDING } from '../../runtime/operator.js';
import { BitSet } from '../tables/bit-set.js';
import type { PathState } from './automaton.js';
import { ComponentSearch } from './component-search.js';
import type { EdgeSource } from './edge-source.js';
import { IntList } from './int-list.js';
import type { Task } from './work.js';

/** Members or edges that are looked at between two looks at the share of work. */
const AT_ONCE = 8192;

export class Components {
  /** The nodes that the last `reach` found, once each. */
  readonly reached: IntList;
  private readonly search: ComponentSearch;
  /** component -> its edges to other components, each once */
  private readonly edges: IntList;
  private readonly edgeStart: IntList;
  /** component -> 1 when a step stays within it */
  private readonly cyclic: IntList;
  /** component -> the last search that came by; while edges are collected, less than 0 */
  private readonly marks: IntList;
  private readonly nodes: BitSet;
  private readonly queue: IntList;
  private connected = 0;
  private searches = 0;

  constructor(
    private readonly states: readonly PathState[],
    private readonly source: EdgeSource,
    budget: MemoryCounter,
  ) {
    const list = () => new IntList(budget);
    this.search = new ComponentSearch(states, source, budget);
    this.reached = list();
    this.edges = list();
    this.edgeStart = list();
    this.cyclic = list();
    this.marks = list();
    this.nodes = new BitSet(budget);
    this.queue = list();
  }

  get count(): number {
    return this.search.count;
  }

  /** Finds the components that are met from the starts; null = from every node. */
  *build(starts: IntList | null): Task {
    const { search, source, states } = this;
    const count = starts === null ? source.nodes.count : starts.length;
    for (let at = 0; at < count; at++) {
      search.begin((starts === null ? at : (starts.data[at] as number)) * states.length);
      let units = 1;
      while (!search.done) {
        units = search.advance();
        if (!search.done && source.work.spend(units)) yield PENDING;
      }
      if (source.work.spend(units)) yield PENDING;
    }
    yield* this.connect();
  }

  /** The members of a component are `startAt(i)` for i from here to that of the next one. */
  firstMember(component: number): number {
    const { memberStart, members, count } = this.search;
    return component < count ? (memberStart.data[component] as number) : members.length;
  }

  /** The node of a member, when walks begin there; -1 = none does. */
  startAt(member: number): number {
    const place = this.search.members.data[member] as number;
    return place % this.states.length === 0 ? place / this.states.length : -1;
  }

  /** The component of walks that begin at a node. */
  componentOf(node: number): number {
    return this.search.component.data[node * this.states.length] as number;
  }

  isCyclic(component: number): boolean {
    return this.cyclic.data[component] === 1;
  }

  /** Finds all nodes that the path leads to from a component, in at least one step. */
  *reach(component: number): Task {
    const { queue, source, nodes, reached } = this;
    this.searches++;
    nodes.remove(reached.data, reached.length);
    nodes.reserve(source.nodes.count);
    reached.length = 0;
    queue.length = 0;
    queue.push(component);
    this.marks.data[component] = this.searches;
    for (let head = 0; head < queue.length; head++) {
      const at = queue.data[head] as number;
      if (head > 0 || this.isCyclic(at)) {
        const last = this.firstMember(at + 1);
        for (let member = this.firstMember(at); member < last; member += AT_ONCE) {
          const units = Math.min(AT_ONCE, last - member);
          this.takeNodes(member, member + units);
          if (source.work.spend(units)) yield PENDING;
        }
      }
      const end = this.firstEdge(at + 1);
      for (let edge = this.firstEdge(at); edge < end; edge += AT_ONCE) {
        const units = Math.min(AT_ONCE, end - edge);
        this.takeComponents(edge, edge + units);
        if (source.work.spend(units)) yield PENDING;
      }
    }
  }

  /** True when the last `reach` found the node. */
  hasReached(node: number): boolean {
    return this.nodes.has(node);
  }

  close(): void {
    for (const list of [this.reached, this.edges, this.edgeStart, this.cyclic, this.marks, this.queue]) list.release();
    this.nodes.release();
    this.search.close();
  }

  private firstEdge(component: number): number {
    return component < this.connected ? (this.edgeStart.data[component] as number) : this.edges.length;
  }

  private takeNodes(from: number, to: number): void {
    const { nodes, reached, states } = this;
    const members = this.search.members.data;
    const width = states.length;
    for (let member = from; member < to; member++) {
      const place = members[member] as number;
      const node = Math.trunc(place / width);
      if (!(states[place - node * width] as PathState).final || nodes.has(node)) continue;
      nodes.add(node);
      reached.push(node);
    }
  }

  private takeComponents(from: number, to: number): void {
    const { edges, queue, searches } = this;
    const marks = this.marks.data;
    for (let edge = from; edge < to; edge++) {
      const component = edges.data[edge] as number;
      if (marks[component] === searches) continue;
      marks[component] = searches;
      queue.push(component);
    }
  }

  /** The edges between components, for those that were found last. */
  private *connect(): Task {
    const { source, states, search } = this;
    const width = states.length;
    this.marks.reserve(search.count);
    this.cyclic.reserve(search.count);
    for (let from = this.connected; from < search.count; from++) {
      this.edgeStart.push(this.edges.length);
      const end = this.firstMember(from + 1);
      for (let at = this.firstMember(from); at < end; at++) {
        const place = search.members.data[at] as number;
        const node = Math.trunc(place / width);
        const { moves } = states[place - node * width] as PathState;
        for (let move = 0; move < moves.length; move += 2) {
          const list = source.list(moves[move] as number);
          const last = list.hasEdges(node) ? (list.ends.data[node] as number) : 0;
          for (let edge = last === 0 ? 0 : (list.starts.data[node] as number); edge < last; edge += AT_ONCE) {
            const units = Math.min(AT_ONCE, last - edge);
            this.connectEdges(from, list.targets.data, edge, edge + units, moves[move + 1] as number);
            if (source.work.spend(units)) yield PENDING;
          }
        }
        if (source.work.spend(1)) yield PENDING;
      }
      this.connected = from + 1;
    }
  }

  private connectEdges(from: number, targets: Int32Array, first: number, end: number, state: number): void {
    const { cyclic, edges } = this;
    const [component, marks] = [this.search.component.data, this.marks.data];
    const width = this.states.length;
    for (let edge = first; edge < end; edge++) {
      const to = component[(targets[edge] as number) * width + state] as number;
      if (to === from) cyclic.data[from] = 1;
      else if (marks[to] !== -1 - from) {
        marks[to] = -1 - from;
        edges.push(to);
      }
    }
  }
}
