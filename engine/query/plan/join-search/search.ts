/**
 * The search for the order in which the parts of a group are joined. Numbers only: plans are built for
 * the winner alone.
 *
 *  1. Parts that share neither variables nor filters are searched apart, and multiplied in the end.
 *  2. Few parts: dynamic programming over subsets (Selinger et al. 1979; subsets as bits after Vance and
 *     Maier 1996), connected ones only, bushy trees where they are very few. Of each subset the cheapest
 *     way is kept, the one that starts soonest when few rows are asked for, and the cheapest for each
 *     variable by which its rows come sorted. What is dearer than a greedy plan is dropped.
 *  3. Many parts: greedily, the part next that is cheapest to join.
 */

import type { PlanContext } from '../context/context.js';
import type { JoinModel } from './model.js';
import type { ModelPart, Side } from './model-parts.js';
import { type Entry, JoinWays } from './ways.js';

/** 2^12 subsets of twelve parts take a few milliseconds when nothing can be dropped. */
const DYNAMIC_PARTS_MAX = 12;
/** The same where planning has to end. */
const HURRIED_PARTS_MAX = 5;
/** 3^7 ways to split the subsets of seven parts. */
const BUSHY_PARTS_MAX = 7;
/** So few parts are searched at once, without a greedy plan to measure by. */
const BOUNDED_PARTS_MIN = 5;
const GREEDY_CANDIDATES_MAX = 12;
/** Beyond, each step keeps one way only. */
const WIDE_PARTS_MAX = 64;
export class JoinSearch {
  private readonly ways: JoinWays;
  /** Cycles may be closed by intersection: all rows are asked for. */
  private readonly closes: boolean;

  constructor(
    private readonly model: JoinModel,
    private readonly goal: number | null,
    private readonly context: PlanContext,
  ) {
    this.ways = new JoinWays(model, goal, context);
    this.closes = goal === null && context.allows('intersections');
  }

  /** The cheapest way to join all parts. */
  best(): Entry {
    if (this.ways.starts.length === 1) return this.ways.cheapest(this.ways.starts[0] as Entry[]);
    if (!this.context.allows('join-order')) return this.inTextOrder();
    const [first, ...others] = this.components()
      .map((parts) => this.joinedComponent(parts))
      .sort((a, b) => a.rows - b.rows) as [Entry, ...Entry[]];
    return others.reduce((product, entry) => this.ways.product(product, entry), first);
  }

  /** Parts that are connected by variables, or by filters that read variables of both. */
  private components(): number[][] {
    const { parts } = this.model;
    const left = new Set(parts.keys());
    const components: number[][] = [];
    for (const first of parts.keys()) {
      if (!left.delete(first)) continue;
      const component = [first];
      for (const part of component) {
        for (const other of left) {
          if (!this.model.near(part, other)) continue;
          left.delete(other);
          component.push(other);
        }
      }
      components.push(component.sort((a, b) => a - b));
    }
    return components;
  }

  private joinedComponent(parts: readonly number[]): Entry {
    if (parts.length === 1) return this.ways.cheapest(this.ways.starts[parts[0] as number] as Entry[]);
    if (parts.length > (this.context.hurried ? HURRIED_PARTS_MAX : DYNAMIC_PARTS_MAX)) return this.greedy(parts);
    this.ways.bound = Number.POSITIVE_INFINITY;
    if (parts.length < BOUNDED_PARTS_MIN || this.goal !== null) return this.dynamic(parts) as Entry;
    const greedy = this.greedy(parts);
    this.ways.bound = greedy.cost;
    const found = this.dynamic(parts) ?? greedy;
    this.ways.bound = Number.POSITIVE_INFINITY;
    return found;
  }

  /** Null when nothing is as cheap as the bound. */
  private dynamic(parts: readonly number[]): Entry | null {
    const { model, ways } = this;
    const count = parts.length;
    const subsets = 1 << count;
    const sides: (Side | undefined)[] = new Array(subsets);
    const entries: (Entry[] | undefined)[] = new Array(subsets);
    const adjacent = this.adjacency(parts);
    const near = new Int32Array(subsets);
    const closing = this.closes && count > 2 ? model.closing(parts) : [];
    for (let set = 1; set < subsets; set++) {
      const first = 31 - Math.clz32(set & -set);
      near[set] = (near[set & (set - 1)] as number) | (adjacent[first] as number);
      if ((set & (set - 1)) === 0) {
        const part = parts[first] as number;
        sides[set] = (model.parts[part] as ModelPart).side;
        entries[set] = ways.starts[part] as Entry[];
        continue;
      }
      let side: Side | undefined;
      const kept: Entry[] = [];
      // The last part first, so that a subset's rows are told by its first parts, as the text has them.
      for (let bits = set; bits !== 0; ) {
        const bit = 1 << (31 - Math.clz32(bits));
        bits &= ~bit;
        const rest = set & ~bit;
        const lefts = entries[rest];
        if (lefts === undefined || lefts.length === 0 || ((near[rest] as number) & bit) === 0) continue;
        const part = parts[31 - Math.clz32(bit)] as number;
        const left = sides[rest] as Side;
        side ??= model.with(left, part);
        this.ways.extend(lefts, left, part, side, kept);
      }
      if (side !== undefined && count <= BUSHY_PARTS_MAX) this.bushy(set, sides, entries, near, side, kept);
      if (side !== undefined) {
        for (const [variable, having] of closing) {
          const added = set & having;
          const lefts = entries[set & ~added];
          const left = sides[set & ~added];
          if ((added & (added - 1)) === 0 || left === undefined || lefts === undefined) continue;
          if (left.distinct[variable] !== 0) continue;
          const patterns = parts.filter((_, at) => (added & (1 << at)) !== 0);
          ways.leapfrog(lefts, left, patterns, variable, side, kept);
        }
      }
      sides[set] = side;
      entries[set] = kept;
    }
    const whole = entries[subsets - 1] as Entry[];
    return whole.length === 0 ? null : this.ways.cheapest(whole);
  }

  /** Two joined sets that are joined with each other. */
  private bushy(
    set: number,
    sides: readonly (Side | undefined)[],
    entries: readonly (Entry[] | undefined)[],
    near: Int32Array,
    side: Side,
    kept: Entry[],
  ): void {
    for (let one = (set - 1) & set; one !== 0; one = (one - 1) & set) {
      const other = set & ~one;
      if (one < other) return;
      if ((one & (one - 1)) === 0 || (other & (other - 1)) === 0 || ((near[one] as number) & other) === 0) continue;
      const [a, b] = [entries[one], entries[other]];
      if (a === undefined || b === undefined || a.length === 0 || b.length === 0) continue;
      this.ways.joinSides(a, sides[one] as Side, b, sides[other] as Side, side, kept);
    }
  }

  private adjacency(parts: readonly number[]): Int32Array {
    return Int32Array.from(parts, (a) =>
      parts.reduce((bits, b, at) => (a !== b && this.model.near(a, b) ? bits | (1 << at) : bits), 0),
    );
  }

  private greedy(parts: readonly number[]): Entry {
    const { model, ways } = this;
    const left = new Set(parts);
    const rowsOf = (part: number): number => (model.parts[part] as ModelPart).side.rows;
    const first = [...left].reduce((a, b) => (rowsOf(b) < rowsOf(a) ? b : a));
    left.delete(first);
    let side = (model.parts[first] as ModelPart).side;
    let entries = ways.starts[first] as Entry[];
    while (left.size > 0) {
      let chosen = -1;
      let found: Entry[] = [];
      let [rows, filters] = [0, 0];
      for (const part of this.candidates(side, left, rowsOf)) {
        const partFilters = model.filtersWith(side, part);
        const partRows = model.rowsWith(side, part, partFilters);
        const kept: Entry[] = [];
        this.ways.extend(entries, side, part, { ...side, rows: partRows, filters: partFilters }, kept);
        if (chosen < 0 || leastCost(kept) < leastCost(found))
          [chosen, found, rows, filters] = [part, kept, partRows, partFilters];
      }
      left.delete(chosen);
      const before = { side, entries };
      side = model.joined(side, chosen, rows, filters);
      entries = parts.length > WIDE_PARTS_MAX ? [this.ways.cheapest(found)] : found;
      const [variable, closing] = this.closes ? model.closedBy(before.side, chosen, left) : [-1, []];
      if (closing.length === 0) continue;
      for (const part of closing) {
        left.delete(part);
        [side, entries] = this.joinedWith(side, entries, part);
      }
      ways.leapfrog(before.entries, before.side, [chosen, ...closing], variable, side, entries);
    }
    return this.ways.cheapest(entries);
  }

  /** One more part by whatever way. */
  private joinedWith(left: Side, lefts: readonly Entry[], part: number): [Side, Entry[]] {
    const side = this.model.with(left, part);
    const kept: Entry[] = [];
    this.ways.extend(lefts, left, part, side, kept);
    return [side, kept];
  }

  /** Parts that share a variable with what is joined, or all where none does; of many those with the fewest rows. */
  private candidates(side: Side, left: ReadonlySet<number>, rowsOf: (part: number) => number): number[] {
    const all = [...left];
    const joined = all.filter((part) => this.model.connected(side, part));
    const parts = joined.length > 0 ? joined : all;
    if (parts.length <= GREEDY_CANDIDATES_MAX) return parts;
    return parts.sort((a, b) => rowsOf(a) - rowsOf(b)).slice(0, GREEDY_CANDIDATES_MAX);
  }

  private inTextOrder(): Entry {
    const { model, ways } = this;
    let side = (model.parts[0] as ModelPart).side;
    let entry = (ways.starts[0] as Entry[])[0] as Entry;
    for (let part = 1; part < ways.starts.length; part++) {
      const [next, kept] = this.joinedWith(side, [entry], part);
      [side, entry] = [next, ways.cheapest(kept)];
    }
    return entry;
  }
}

function leastCost(entries: readonly Entry[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { cost } of entries) if (cost < least) least = cost;
  return least;
}
