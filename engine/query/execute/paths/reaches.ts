/**
 * What many starts lead to. Edges are made known for a portion of starts at once; then each start is
 * searched by itself, and the answer is remembered where it is short. Once searches have followed the same
 * edges several times over, components are found, and starts of one component share one search.
 */

import type { MemoryBudget } from '../../runtime/memory.js';
import type { PathState } from './automaton.js';
import { Components } from './components.js';
import type { EdgeSource } from './edge-source.js';
import { IntList } from './int-list.js';
import { Walker } from './walker.js';
import type { Task } from './work.js';

/** Nodes that remembered answers may list, together, and a single one. */
const REMEMBERED_MAX = 1 << 20;
const REMEMBERED_EACH_MAX = 1 << 16;
/** Searches follow so many edges, and each edge so often, before components are found. */
const FOLLOWED_MIN = 200_000;
const FOLLOWED_OFTEN = 4;
/** What finding components holds for a pair of node and state. */
const BYTES_PER_PLACE = 48;

export class Reaches {
  /** The nodes that the last `find` gave: `list[from..to)`. */
  list: Int32Array = new Int32Array(0);
  from = 0;
  to = 0;
  private readonly explorer: Walker;
  private readonly walker: Walker;
  private components: Components | null = null;
  /** The component of the last search over components. */
  private searched = -1;
  /** start, or its component -> where its answer begins, and how many nodes it lists; blank = not remembered */
  private readonly begins: IntList;
  private readonly lengths: IntList;
  private readonly remembered: IntList;

  constructor(
    private readonly states: readonly PathState[],
    private readonly source: EdgeSource,
    private readonly budget: MemoryBudget,
  ) {
    this.explorer = new Walker(states, source, budget);
    this.walker = new Walker(states, source, budget);
    this.begins = new IntList(budget, -1);
    this.lengths = new IntList(budget);
    this.remembered = new IntList(budget);
  }

  /** Makes known what searches from the starts need; each later start must be one of them, or come alone. */
  *prepare(starts: IntList): Task {
    if (starts.length > 1 || this.components !== null) yield* this.explorer.explore(starts);
    if (this.components === null && this.componentsPay()) {
      this.components = new Components(this.states, this.source, this.budget);
      this.forget();
    }
    if (this.components !== null) yield* this.components.build(starts);
  }

  /** The nodes that a start leads to. */
  *find(start: number): Task {
    const key = this.components === null ? start : this.components.componentOf(start);
    const known = this.begins.data[key] ?? -1;
    if (known >= 0) {
      this.list = this.remembered.data;
      this.from = known;
      this.to = known + (this.lengths.data[key] as number);
      return;
    }
    yield* this.search(start, -1);
    const reached = this.components?.reached ?? this.walker.reached;
    this.list = reached.data;
    this.from = this.components === null ? this.walker.reachedFirst : 0;
    this.to = reached.length;
    this.remember(key);
  }

  /** Searches from a start, at least until it meets `wanted` (-1 = everything); `hasReached` tells. */
  *search(start: number, wanted: number): Task {
    const { components } = this;
    if (components === null) return yield* this.walker.walk(start, wanted);
    const component = components.componentOf(start);
    if (component === this.searched) return;
    this.searched = -1;
    yield* components.reach(component);
    this.searched = component;
  }

  /** True when the last search met the node. */
  hasReached(node: number): boolean {
    return (this.components ?? this.walker).hasReached(node);
  }

  close(): void {
    this.explorer.close();
    this.walker.close();
    this.components?.close();
    for (const list of [this.begins, this.lengths, this.remembered]) list.release();
  }

  private componentsPay(): boolean {
    const { followed } = this.walker;
    if (followed < FOLLOWED_MIN) return false;
    const edges = this.source.lists.reduce((sum, { targets }) => sum + targets.length, 0);
    if (followed < FOLLOWED_OFTEN * edges) return false;
    const room = this.budget.limitBytes - this.budget.usedBytes;
    return this.source.nodes.count * this.states.length * BYTES_PER_PLACE < room / 2;
  }

  private forget(): void {
    this.remembered.length = 0;
    this.begins.data.fill(-1);
  }

  private remember(key: number): void {
    const { remembered, begins, lengths } = this;
    const length = this.to - this.from;
    if (length > REMEMBERED_EACH_MAX) return;
    if (remembered.length + length > REMEMBERED_MAX) this.forget();
    begins.reserve(key + 1);
    lengths.reserve(key + 1);
    remembered.reserve(remembered.length + length);
    begins.data[key] = remembered.length;
    lengths.data[key] = length;
    remembered.data.set(this.list.subarray(this.from, this.to), remembered.length);
    remembered.length += length;
  }
}
