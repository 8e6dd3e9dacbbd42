/**
 * Reachability between all nodes: the strongly connected components of the pairs of state and node
 * (Tarjan's algorithm, without recursion), then a search over components, once for all nodes that
 * share one. Cycles so cost what they give, not a walk for each of their nodes. Needs all edges.
 */

import type { MemoryBudget } from '../memory.js';
import { PENDING } from '../operator.js';
import type { PathState } from './automaton.js';
import type { EdgeSource } from './edge-source.js';
import { IntList } from './int-list.js';
import type { Task } from './work.js';

/** The edges of the move at hand were not looked at yet. */
const FRESH = -3;
/** Members that are looked at between two looks at the share of work. */
const MEMBERS_AT_ONCE = 1024;

export class Components {
  /** Components are numbered so that edges between them lead to smaller numbers. */
  count = 0;
  /** The nodes that the last `reach` found, once each. */
  readonly reached: IntList;
  /** Pairs of state and node, component by component. */
  private readonly members: IntList;
  /** component -> its first member; one more for the end */
  private readonly memberStart: IntList;
  /** pair -> its component */
  private readonly component: IntList;
  /** component -> its edges to other components, each once */
  private readonly edges: IntList;
  private readonly edgeStart: IntList;
  /** component -> 1 when a step stays within it */
  private readonly cyclic: IntList;
  private readonly componentMarks: IntList;
  private readonly nodeMarks: IntList;
  private readonly queue: IntList;
  private searches = 0;

  constructor(
    private readonly states: readonly PathState[],
    private readonly source: EdgeSource,
    private readonly budget: MemoryBudget,
  ) {
    const list = () => new IntList(budget);
    this.reached = list();
    this.members = list();
    this.memberStart = list();
    this.component = new IntList(budget, -1);
    this.edges = list();
    this.edgeStart = list();
    this.cyclic = list();
    this.componentMarks = list();
    this.nodeMarks = list();
    this.queue = list();
  }

  *build(): Task {
    yield* this.find();
    yield* this.connect();
  }

  /** The members of a component are `startAt(i)` for i from here to that of the next one. */
  firstMember(component: number): number {
    return this.memberStart.data[component] as number;
  }

  /** The node of a member, when walks begin there; -1 = none does. */
  startAt(member: number): number {
    const place = this.members.data[member] as number;
    return place % this.states.length === 0 ? place / this.states.length : -1;
  }

  isCyclic(component: number): boolean {
    return this.cyclic.data[component] === 1;
  }

  /** Finds all nodes that the path leads to from a component, in at least one step. */
  *reach(component: number): Task {
    const { queue, edges, edgeStart, componentMarks, source } = this;
    this.searches++;
    this.reached.length = 0;
    queue.length = 0;
    queue.push(component);
    componentMarks.data[component] = this.searches;
    for (let head = 0; head < queue.length; head++) {
      const at = queue.data[head] as number;
      if (head > 0 || this.isCyclic(at)) {
        const last = this.firstMember(at + 1);
        for (let member = this.firstMember(at); member < last; member += MEMBERS_AT_ONCE) {
          this.takeNodes(member, Math.min(member + MEMBERS_AT_ONCE, last));
          if (source.work.spend(Math.min(MEMBERS_AT_ONCE, last - member))) yield PENDING;
        }
      }
      const end = edgeStart.data[at + 1] as number;
      for (let edge = edgeStart.data[at] as number; edge < end; edge++) {
        const to = edges.data[edge] as number;
        if (componentMarks.data[to] !== this.searches) {
          componentMarks.data[to] = this.searches;
          queue.push(to);
        }
        if (source.work.spend(1)) yield PENDING;
      }
    }
  }

  /** True when the last `reach` found the node. */
  hasReached(node: number): boolean {
    return this.nodeMarks.data[node] === this.searches;
  }

  close(): void {
    const { reached, members, memberStart, component, edges, edgeStart } = this;
    for (const list of [reached, members, memberStart, component, edges, edgeStart]) list.release();
    for (const list of [this.cyclic, this.componentMarks, this.nodeMarks, this.queue]) list.release();
  }

  private takeNodes(from: number, to: number): void {
    const { members, nodeMarks, reached, searches, states } = this;
    const width = states.length;
    for (let member = from; member < to; member++) {
      const place = members.data[member] as number;
      const node = Math.trunc(place / width);
      if (!(states[place - node * width] as PathState).final || nodeMarks.data[node] === searches) continue;
      nodeMarks.data[node] = searches;
      reached.push(node);
    }
  }

  /** Tarjan's search from every node in state 0. */
  private *find(): Task {
    const { source, component } = this;
    const width = this.states.length;
    const nodes = source.nodes.count;
    const search = new Search(this.budget, nodes * width);
    component.reserve(nodes * width);
    this.nodeMarks.reserve(nodes);
    try {
      for (let node = 0; node < nodes; node++) {
        if (search.order.data[node * width] === 0) yield* this.searchFrom(node * width, search);
        if (source.work.spend(1)) yield PENDING;
      }
    } finally {
      search.close();
    }
    this.memberStart.push(this.members.length);
  }

  private *searchFrom(root: number, search: Search): Task {
    const { source, states, component } = this;
    const width = states.length;
    search.enter(root);
    while (search.depth > 0) {
      const place = search.place;
      const node = Math.trunc(place / width);
      const { moves } = states[place - node * width] as PathState;
      let entered = false;
      let [move, edge] = search.resume();
      for (; move < moves.length && !entered; move += 2, edge = FRESH) {
        const list = source.list(moves[move] as number);
        if (edge === FRESH) edge = list.first(node);
        while (edge >= 0) {
          const to = (list.target.data[edge] as number) * width + (moves[move + 1] as number);
          edge = list.next.data[edge] as number;
          if (source.work.spend(1)) yield PENDING;
          if (search.order.data[to] === 0) {
            search.pause(move, edge);
            search.enter(to);
            entered = true;
            break;
          }
          if (component.data[to] === -1) search.lower(place, search.order.data[to] as number);
        }
      }
      if (!entered) this.leave(place, search);
    }
  }

  /** The last place of the path is done: with what stands above it on the stack it may make a component. */
  private leave(place: number, search: Search): void {
    if (search.low.data[place] === search.order.data[place]) {
      this.memberStart.push(this.members.length);
      for (let member = -1; member !== place; ) {
        member = search.pop();
        this.component.data[member] = this.count;
        this.members.push(member);
      }
      this.count++;
    }
    search.leave();
  }

  /** The edges between components. */
  private *connect(): Task {
    const { source, states, members, memberStart, component, componentMarks, cyclic } = this;
    const width = states.length;
    componentMarks.reserve(this.count);
    cyclic.reserve(this.count);
    for (let from = 0; from < this.count; from++) {
      this.edgeStart.push(this.edges.length);
      const end = memberStart.data[from + 1] as number;
      for (let at = memberStart.data[from] as number; at < end; at++) {
        const place = members.data[at] as number;
        const node = Math.trunc(place / width);
        const { moves } = states[place - node * width] as PathState;
        for (let move = 0; move < moves.length; move += 2) {
          const list = source.list(moves[move] as number);
          for (let edge = list.first(node); edge >= 0; edge = list.next.data[edge] as number) {
            const to = component.data[
              (list.target.data[edge] as number) * width + (moves[move + 1] as number)
            ] as number;
            if (to === from) cyclic.data[from] = 1;
            else if (componentMarks.data[to] !== from + 1) {
              componentMarks.data[to] = from + 1;
              this.edges.push(to);
            }
            if (source.work.spend(1)) yield PENDING;
          }
        }
      }
    }
    this.edgeStart.push(this.edges.length);
    componentMarks.data.fill(0);
  }
}

/** What Tarjan's search remembers: orders of discovery, the stack, and the path it is on. */
class Search {
  /** place -> when it was found, from 1; 0 = not yet */
  readonly order: IntList;
  /** place -> the earliest place of its component known so far */
  readonly low: IntList;
  private readonly stack: IntList;
  private readonly path: IntList;
  private readonly moves: IntList;
  private readonly edges: IntList;
  private found = 0;

  constructor(budget: MemoryBudget, places: number) {
    const list = () => new IntList(budget);
    this.order = list();
    this.low = list();
    this.stack = list();
    this.path = list();
    this.moves = list();
    this.edges = list();
    this.order.reserve(places);
    this.low.reserve(places);
  }

  get depth(): number {
    return this.path.length;
  }

  get place(): number {
    return this.path.data[this.path.length - 1] as number;
  }

  enter(place: number): void {
    this.order.data[place] = ++this.found;
    this.low.data[place] = this.found;
    this.stack.push(place);
    this.path.push(place);
    this.moves.push(0);
    this.edges.push(FRESH);
  }

  /** Where to go on with the last place of the path. */
  resume(): [move: number, edge: number] {
    const last = this.path.length - 1;
    return [this.moves.data[last] as number, this.edges.data[last] as number];
  }

  pause(move: number, edge: number): void {
    const last = this.path.length - 1;
    this.moves.data[last] = move;
    this.edges.data[last] = edge;
  }

  lower(place: number, to: number): void {
    if (to < (this.low.data[place] as number)) this.low.data[place] = to;
  }

  leave(): void {
    const place = this.place;
    this.path.length--;
    this.moves.length--;
    this.edges.length--;
    if (this.path.length > 0) this.lower(this.place, this.low.data[place] as number);
  }

  pop(): number {
    return this.stack.data[--this.stack.length] as number;
  }

  close(): void {
    for (const list of [this.order, this.low, this.stack, this.path, this.moves, this.edges]) list.release();
  }
}
