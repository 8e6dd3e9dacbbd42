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

import type { PlanContext } from './context.js';
import {
  BUILD_ROW_COST,
  costFor,
  HASH_PROBE_ROW_COST,
  MERGE_ROW_COST,
  OUTPUT_ROW_COST,
  probeCost,
  SEEK_COST,
} from './costs.js';
import type { JoinModel, ModelPart, Side } from './join-model.js';
import type { Plan } from './plan.js';

/** 2^12 subsets of twelve parts take a few milliseconds when nothing can be dropped. */
const DYNAMIC_PARTS_MAX = 12;
/** 3^7 ways to split the subsets of seven parts. */
const BUSHY_PARTS_MAX = 7;
/** So few parts are searched at once, without a greedy plan to measure by. */
const BOUNDED_PARTS_MIN = 5;
const GREEDY_CANDIDATES_MAX = 12;
/** Beyond, each step keeps one way only. */
const WIDE_PARTS_MAX = 64;
/** In characters of an expression: what it takes to think about one more part. */
const EXTEND_WORK = 100;

export type Way = 'start' | 'merge' | 'index' | 'own' | 'hash';

/** One way to join a set of parts. */
export interface Entry {
  readonly way: Way;
  readonly rows: number;
  /** Before the filters that run here. */
  readonly joinedRows: number;
  readonly startup: number;
  readonly cost: number;
  /** Number of the variable by which the rows come sorted; -1 = none. */
  readonly order: number;
  readonly left: Entry | null;
  readonly right: Entry | null;
  /** Of `start`, and the part that `index` and `own` look up. */
  readonly part: number;
  readonly plan: Plan | null;
}

export class JoinSearch {
  private readonly starts: readonly (readonly Entry[])[];
  private bound = Number.POSITIVE_INFINITY;

  constructor(
    private readonly model: JoinModel,
    private readonly goal: number | null,
    private readonly context: PlanContext,
  ) {
    this.starts = model.parts.map((_, part) => this.startsOf(part));
  }

  /** The cheapest way to join all parts. */
  best(): Entry {
    if (this.starts.length === 1) return this.cheapest(this.starts[0] as Entry[]);
    if (!this.context.allows('join-order')) return this.inTextOrder();
    const [first, ...others] = this.components()
      .map((parts) => this.joinedComponent(parts))
      .sort((a, b) => a.rows - b.rows) as [Entry, ...Entry[]];
    return others.reduce((product, entry) => this.product(product, entry), first);
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
    if (parts.length === 1) return this.cheapest(this.starts[parts[0] as number] as Entry[]);
    if (parts.length > DYNAMIC_PARTS_MAX) return this.greedy(parts);
    this.bound = Number.POSITIVE_INFINITY;
    if (parts.length < BOUNDED_PARTS_MIN || this.goal !== null) return this.dynamic(parts) as Entry;
    const greedy = this.greedy(parts);
    this.bound = greedy.cost;
    const found = this.dynamic(parts) ?? greedy;
    this.bound = Number.POSITIVE_INFINITY;
    return found;
  }

  /** Every row of one with every row of the other; the smaller one is kept in memory. */
  private product(a: Entry, b: Entry): Entry {
    const [build, probe] = a.rows < b.rows ? [a, b] : [b, a];
    const rows = a.rows * b.rows;
    const kept: Entry[] = [];
    this.hash(probe, probe, build, build, rows, rows, rows * OUTPUT_ROW_COST, false, kept);
    return kept[0] as Entry;
  }

  private startsOf(number: number): Entry[] {
    const { part, side } = this.model.parts[number] as ModelPart;
    const kept: Entry[] = [];
    for (const plan of part.plans) {
      const { facts } = plan;
      const filterCost = facts.rows * this.model.filterCost(side.filters);
      const entry: Entry = {
        way: 'start',
        rows: side.rows,
        joinedRows: facts.rows,
        startup: facts.startup,
        cost: facts.cost + filterCost,
        order: facts.order.length === 0 ? -1 : this.model.number(facts.order[0] as string),
        left: null,
        right: null,
        part: number,
        plan,
      };
      this.keep(kept, entry);
    }
    return kept;
  }

  /** Null when nothing is as cheap as the bound. */
  private dynamic(parts: readonly number[]): Entry | null {
    const { model, starts } = this;
    const count = parts.length;
    const subsets = 1 << count;
    const sides: (Side | undefined)[] = new Array(subsets);
    const entries: (Entry[] | undefined)[] = new Array(subsets);
    const adjacent = this.adjacency(parts);
    const near = new Int32Array(subsets);
    for (let set = 1; set < subsets; set++) {
      const first = 31 - Math.clz32(set & -set);
      near[set] = (near[set & (set - 1)] as number) | (adjacent[first] as number);
      if ((set & (set - 1)) === 0) {
        const part = parts[first] as number;
        sides[set] = (model.parts[part] as ModelPart).side;
        entries[set] = starts[part] as Entry[];
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
        if (side === undefined) {
          const filters = model.filtersWith(left, part);
          side = model.joined(left, part, model.rowsWith(left, part, filters), filters);
        }
        this.extend(lefts, left, part, side, kept);
      }
      if (side !== undefined && count <= BUSHY_PARTS_MAX) this.bushy(set, sides, entries, near, side, kept);
      sides[set] = side;
      entries[set] = kept;
    }
    const whole = entries[subsets - 1] as Entry[];
    return whole.length === 0 ? null : this.cheapest(whole);
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
      this.joinSides(a, sides[one] as Side, b, sides[other] as Side, side, kept);
    }
  }

  private adjacency(parts: readonly number[]): Int32Array {
    return Int32Array.from(parts, (a) =>
      parts.reduce((bits, b, at) => (a !== b && this.model.near(a, b) ? bits | (1 << at) : bits), 0),
    );
  }

  private greedy(parts: readonly number[]): Entry {
    const { model, starts } = this;
    const left = new Set(parts);
    const rowsOf = (part: number): number => (model.parts[part] as ModelPart).side.rows;
    const first = [...left].reduce((a, b) => (rowsOf(b) < rowsOf(a) ? b : a));
    left.delete(first);
    let side = (model.parts[first] as ModelPart).side;
    let entries = starts[first] as Entry[];
    while (left.size > 0) {
      let chosen = -1;
      let found: Entry[] = [];
      let [rows, filters] = [0, 0];
      for (const part of this.candidates(side, left, rowsOf)) {
        const partFilters = model.filtersWith(side, part);
        const partRows = model.rowsWith(side, part, partFilters);
        const kept: Entry[] = [];
        this.extend(entries, side, part, { ...side, rows: partRows, filters: partFilters }, kept);
        if (chosen < 0 || leastCost(kept) < leastCost(found))
          [chosen, found, rows, filters] = [part, kept, partRows, partFilters];
      }
      left.delete(chosen);
      side = model.joined(side, chosen, rows, filters);
      entries = parts.length > WIDE_PARTS_MAX ? [this.cheapest(found)] : found;
    }
    return this.cheapest(entries);
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
    const { model, starts } = this;
    let side = (model.parts[0] as ModelPart).side;
    let entry = (starts[0] as Entry[])[0] as Entry;
    for (let part = 1; part < starts.length; part++) {
      const filters = model.filtersWith(side, part);
      const next = model.joined(side, part, model.rowsWith(side, part, filters), filters);
      const kept: Entry[] = [];
      this.extend([entry], side, part, next, kept);
      [side, entry] = [next, this.cheapest(kept)];
    }
    return entry;
  }

  /** All ways to join one more part. */
  private extend(lefts: readonly Entry[], left: Side, part: number, joined: Side, kept: Entry[]): void {
    const { model, context } = this;
    context.terms.scope.spend(EXTEND_WORK);
    const { part: own, side: right } = model.parts[part] as ModelPart;
    const before = kept.length;
    const loose = model.isLoose(left, part);
    if (context.allows('index-joins')) {
      if (own.joinTo !== undefined) this.joinOwn(lefts, left, part, joined, kept);
      const probe = own.leaf === null || loose ? null : model.probe(left, part);
      if (probe !== null) {
        const filters = joined.filters & ~left.filters;
        const joinedRows = joined.rows / model.selectivity(filters);
        let keys = left.rows;
        for (const key of probe.keys) keys = Math.min(keys, left.distinct[key] as number);
        const { cost } = probeCost(left.rows, Math.max(1, keys), probe.range);
        const work = cost + joinedRows * (OUTPUT_ROW_COST + model.filterCost(filters));
        for (const entry of lefts) {
          const ordered = probe.keys.length === 1 && probe.keys[0] === entry.order;
          const order = ordered ? entry.order : -1;
          this.add(
            kept,
            'index',
            joined.rows,
            joinedRows,
            entry.startup + SEEK_COST,
            entry.cost + work,
            order,
            entry,
            null,
            part,
          );
        }
      }
    }
    if (kept.length > before && !context.allows('hash-joins')) return;
    this.joinSides(lefts, left, this.starts[part] as Entry[], right, joined, kept, loose);
  }

  private joinOwn(lefts: readonly Entry[], left: Side, part: number, joined: Side, kept: Entry[]): void {
    const { model } = this;
    const own = (model.parts[part] as ModelPart).part.joinTo?.(model.inputPlan(left)) ?? null;
    if (own === null) return;
    const filters = joined.filters & ~left.filters;
    const joinedRows = joined.rows / model.selectivity(filters);
    const cost = own.facts.cost + joinedRows * model.filterCost(filters);
    for (const entry of lefts) {
      this.add(
        kept,
        'own',
        joined.rows,
        joinedRows,
        entry.startup + own.facts.startup,
        entry.cost + cost,
        -1,
        entry,
        null,
        part,
      );
    }
  }

  /** By merging where both come sorted by a variable they share, and by hashing either side. */
  private joinSides(
    as: readonly Entry[],
    a: Side,
    bs: readonly Entry[],
    b: Side,
    joined: Side,
    kept: Entry[],
    loose = false,
  ): void {
    const { model, context } = this;
    const filters = joined.filters & ~a.filters & ~b.filters;
    const joinedRows = joined.rows / model.selectivity(filters);
    const output = joinedRows * (OUTPUT_ROW_COST + model.filterCost(filters));
    const before = kept.length;
    if (!loose && context.allows('merge-joins')) {
      const work = (a.rows + b.rows) * MERGE_ROW_COST + output;
      for (const one of as) {
        if (one.order < 0) continue;
        for (const other of bs) {
          if (other.order !== one.order) continue;
          const [startup, cost] = [one.startup + other.startup, one.cost + other.cost + work];
          this.add(kept, 'merge', joined.rows, joinedRows, startup, cost, one.order, one, other, -1);
        }
      }
    }
    if (kept.length > before && !context.allows('hash-joins')) return;
    for (const one of as) {
      for (const other of bs) {
        this.hash(one, a, other, b, joined.rows, joinedRows, output, loose, kept);
        this.hash(other, b, one, a, joined.rows, joinedRows, output, loose, kept);
      }
    }
  }

  private hash(
    probe: Entry,
    { rows: probeRows }: { readonly rows: number },
    build: Entry,
    { rows: buildRows }: { readonly rows: number },
    rows: number,
    joinedRows: number,
    output: number,
    loose: boolean,
    kept: Entry[],
  ): void {
    const startup = build.cost + buildRows * BUILD_ROW_COST + probe.startup;
    const cost = startup + probe.cost - probe.startup + probeRows * HASH_PROBE_ROW_COST + output;
    // A probe variable that may be unbound takes the value of the build side, which breaks its order.
    this.add(kept, 'hash', rows, joinedRows, startup, cost, loose ? -1 : probe.order, probe, build, -1);
  }

  private add(
    kept: Entry[],
    way: Way,
    rows: number,
    joinedRows: number,
    startup: number,
    cost: number,
    order: number,
    left: Entry,
    right: Entry | null,
    part: number,
  ): void {
    if (cost >= this.bound) return;
    for (const other of kept) if (this.isBetter(other, cost, startup, order)) return;
    this.keep(kept, { way, rows, joinedRows, startup, cost, order, left, right, part, plan: null });
  }

  private keep(kept: Entry[], entry: Entry): void {
    let to = 0;
    for (const other of kept) {
      if (other !== entry && !this.isBetter(entry, other.cost, other.startup, other.order)) kept[to++] = other;
    }
    kept.length = to;
    kept.push(entry);
  }

  /** At least as good in all that counts. */
  private isBetter(entry: Entry, cost: number, startup: number, order: number): boolean {
    if (entry.cost > cost || (order >= 0 && entry.order !== order)) return false;
    return this.goal === null || entry.startup <= startup;
  }

  private cheapest(entries: readonly Entry[]): Entry {
    return entries.reduce((a, b) => (costFor(b, this.goal) < costFor(a, this.goal) ? b : a));
  }
}

function leastCost(entries: readonly Entry[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { cost } of entries) if (cost < least) least = cost;
  return least;
}
