/**
 * The ways to join two sets of parts, with what they cost, and which of them are worth keeping: the
 * cheapest, the one that starts soonest when few rows are asked for, and the cheapest for each variable
 * by which the rows come sorted.
 */

import type { Plan } from '../../physical/plan.js';
import { keepsRows, OBJECTS_MAX } from '../build/stars.js';
import type { PlanContext } from '../context/context.js';
import {
  BUILD_ROW_COST,
  comparedPairsCost,
  costFor,
  HASH_OPEN_COST,
  HASH_PROBE_ROW_COST,
  INTERSECTED_ROW_COST,
  LISTED_ROW_COST,
  MERGE_ROW_COST,
  OUTPUT_ROW_COST,
  probeCost,
  rangeJoinCost,
  SEEK_COST,
  starLegCost,
} from '../context/costs.js';
import type { JoinModel } from './model.js';
import type { ModelPart, Side } from './model-parts.js';

const NO_PARTS: readonly number[] = [];
/** In characters of an expression: what it takes to think about one more part. */
const EXTEND_WORK = 100;

export type Way = 'start' | 'merge' | 'index' | 'own' | 'hash' | 'range' | 'leapfrog';

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
  /** Of `start`, the part that `index` and `own` look up, and those that `leapfrog` intersects. */
  readonly parts: readonly number[];
  /** Number of the variable by whose patterns the rows can be looked up for one more as a star; -1 = none. */
  readonly subject: number;
  /** That `leapfrog` adds. */
  readonly variable: string | null;
  readonly plan: Plan | null;
}

export class JoinWays {
  readonly starts: readonly (readonly Entry[])[];
  /** What is not cheaper is dropped. */
  bound = Number.POSITIVE_INFINITY;

  constructor(
    private readonly model: JoinModel,
    private readonly goal: number | null,
    private readonly context: PlanContext,
  ) {
    this.starts = model.parts.map((_, part) => this.startsOf(part));
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
        parts: [number],
        subject: -1,
        variable: null,
        plan,
      };
      this.keep(kept, entry);
    }
    return kept;
  }

  /** Every row of one with every row of the other; the smaller one is kept in memory. */
  product(a: Entry, b: Entry): Entry {
    const [build, probe] = a.rows < b.rows ? [a, b] : [b, a];
    const rows = a.rows * b.rows;
    const kept: Entry[] = [];
    this.hash(probe, probe, build, build, rows, rows, rows * OUTPUT_ROW_COST, false, kept);
    return kept[0] as Entry;
  }

  /** All ways to join one more part. */
  extend(lefts: readonly Entry[], left: Side, part: number, joined: Side, kept: Entry[]): void {
    const { model, context } = this;
    context.terms.scope.spend(EXTEND_WORK);
    const { part: own, side: right } = model.parts[part] as ModelPart;
    const before = kept.length;
    const loose = model.isLoose(left, part);
    if (context.allows('index-joins')) {
      if (own.joinTo !== undefined) this.joinOwn(lefts, left, part, joined, kept);
      const probe = own.leaf === null || loose ? null : model.probe(left, part);
      if (probe !== null) {
        const { rows: joinedRows, filterCost, output } = this.unfiltered(joined, left.filters);
        let keys = left.rows;
        for (const key of probe.keys) keys = Math.min(keys, left.distinct[key] as number);
        const parts = own.leaf?.parts ?? 1;
        const probed = { rows: left.rows, distinctKeys: Math.max(1, keys), ordered: true };
        const byKey = output + probeCost(probed, probe.range, parts);
        const anyhow = output + probeCost({ ...probed, ordered: false }, probe.range, parts);
        const asLeg = filterCost + starLegCost(left.rows, joinedRows);
        const subject = joinedRows <= OBJECTS_MAX * left.rows ? probe.subject : -1;
        const keeps = keepsRows(left.rows, joined.rows);
        for (const entry of lefts) {
          const ordered = probe.keys.length === 1 && probe.keys[0] === entry.order;
          const isLeg = subject >= 0 && subject === entry.subject;
          const work = isLeg ? Math.min(asLeg, anyhow) : probe.keys[0] === entry.order ? byKey : anyhow;
          const order = ordered ? entry.order : -1;
          const next = !keeps ? -1 : subject >= 0 ? subject : entry.subject;
          const [startup, cost] = [entry.startup + SEEK_COST, entry.cost + work];
          this.add(kept, 'index', joined.rows, joinedRows, startup, cost, order, entry, null, [part], next, null);
        }
      }
    }
    if (kept.length > before && !context.allows('hash-joins')) return;
    this.joinSides(lefts, left, this.starts[part] as Entry[], right, joined, kept, loose);
  }

  /** Patterns that all bind one more variable, and otherwise what every row of the left side binds, by intersecting their lists. */
  leapfrog(
    lefts: readonly Entry[],
    left: Side,
    parts: readonly number[],
    variable: number,
    joined: Side,
    kept: Entry[],
  ): void {
    const { model } = this;
    let listed = 0;
    let opened = Number.POSITIVE_INFINITY;
    for (const part of parts) {
      if (!model.closes(left, part, variable)) return;
      listed += (model.parts[part] as ModelPart).part.leaf?.rows ?? 0;
      opened = Math.min(opened, model.rowsWith(left, part, left.filters));
    }
    if (opened < listed) return;
    const { rows: joinedRows, output } = this.unfiltered(joined, left.filters);
    const startup = parts.length * HASH_OPEN_COST + listed * LISTED_ROW_COST;
    const work = startup + parts.length * left.rows * HASH_PROBE_ROW_COST + opened * INTERSECTED_ROW_COST + output;
    const name = model.names[variable] as string;
    for (const entry of lefts) {
      const [first, cost] = [entry.startup + startup, entry.cost + work];
      this.add(kept, 'leapfrog', joined.rows, joinedRows, first, cost, entry.order, entry, null, parts, -1, name);
    }
  }

  /** Rows of a join before the filters that run here, and what it costs to give them, by the filters alone and in all. */
  private unfiltered({ rows, filters }: Side, ran: number): { rows: number; filterCost: number; output: number } {
    const now = filters & ~ran;
    const joinedRows = rows / this.model.selectivity(now);
    const filterCost = joinedRows * this.model.filterCost(now);
    return { rows: joinedRows, filterCost, output: joinedRows * OUTPUT_ROW_COST + filterCost };
  }

  private joinOwn(lefts: readonly Entry[], left: Side, part: number, joined: Side, kept: Entry[]): void {
    const { model } = this;
    const { joinTo, inputRowsMax = Number.POSITIVE_INFINITY } = (model.parts[part] as ModelPart).part;
    const own = left.rows > inputRowsMax ? null : (joinTo?.(model.inputPlan(left)) ?? null);
    if (own === null) return;
    const { rows: joinedRows, filterCost } = this.unfiltered(joined, left.filters);
    const cost = own.facts.cost + filterCost;
    for (const entry of lefts) {
      const startup = entry.startup + own.facts.startup;
      this.add(kept, 'own', joined.rows, joinedRows, startup, entry.cost + cost, -1, entry, null, [part], -1, null);
    }
  }

  /** By merging where both come sorted by a variable they share, and by hashing either side. */
  joinSides(
    as: readonly Entry[],
    a: Side,
    bs: readonly Entry[],
    b: Side,
    joined: Side,
    kept: Entry[],
    loose = false,
  ): void {
    const { context } = this;
    const { rows: joinedRows, output } = this.unfiltered(joined, a.filters | b.filters);
    const before = kept.length;
    if (!loose && context.allows('merge-joins')) {
      const further = sharedVariables(a, b) > 1;
      for (const one of as) {
        if (one.order < 0) continue;
        for (const other of bs) {
          if (other.order !== one.order) continue;
          const compared = further ? comparedPairsCost(keysOf(a, one.order), keysOf(b, one.order)) : 0;
          const work = (a.rows + b.rows) * MERGE_ROW_COST + compared + output;
          const [startup, cost] = [one.startup + other.startup, one.cost + other.cost + work];
          this.add(kept, 'merge', joined.rows, joinedRows, startup, cost, one.order, one, other, NO_PARTS, -1, null);
        }
      }
    }
    if (!loose && context.allows('range-joins')) {
      this.compared(as, a, bs, b, joined, kept);
      this.compared(bs, b, as, a, joined, kept);
    }
    if (kept.length > before && !context.allows('hash-joins')) return;
    for (const one of as) {
      for (const other of bs) {
        this.hash(one, a, other, b, joined.rows, joinedRows, output, loose, kept);
        this.hash(other, b, one, a, joined.rows, joinedRows, output, loose, kept);
      }
    }
  }

  /** By sorted values that filters compare: all filters that run here are tested on the pairs, but those that ask patterns. */
  private compared(
    probes: readonly Entry[],
    probe: Side,
    builds: readonly Entry[],
    build: Side,
    joined: Side,
    kept: Entry[],
  ): void {
    const found = this.model.compared(probe, build, joined.filters);
    if (found === null) return;
    const ran = probe.filters | build.filters;
    const { rows } = joined;
    const pairs = this.unfiltered(joined, ran).rows * found.tested;
    const { rows: joinedRows, output } = this.unfiltered(joined, ran | found.filters);
    for (const one of probes) {
      for (const other of builds) {
        const [probed, built] = [
          { ...one, rows: probe.rows },
          { ...other, rows: build.rows },
        ];
        const { startup, cost } = rangeJoinCost(probed, built, pairs, 0);
        this.add(kept, 'range', rows, joinedRows, startup, cost + output, one.order, one, other, NO_PARTS, -1, null);
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
    const startup = HASH_OPEN_COST + build.cost + buildRows * BUILD_ROW_COST + probe.startup;
    const cost = startup + probe.cost - probe.startup + probeRows * HASH_PROBE_ROW_COST + output;
    // A probe variable that may be unbound takes the value of the build side, which breaks its order.
    this.add(kept, 'hash', rows, joinedRows, startup, cost, loose ? -1 : probe.order, probe, build, NO_PARTS, -1, null);
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
    parts: readonly number[],
    subject: number,
    variable: string | null,
  ): void {
    if (cost >= this.bound) return;
    for (const other of kept) if (this.isBetter(other, cost, startup, order)) return;

    this.keep(kept, { way, rows, joinedRows, startup, cost, order, left, right, parts, subject, variable, plan: null });
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

  cheapest(entries: readonly Entry[]): Entry {
    return entries.reduce((a, b) => (costFor(b, this.goal) < costFor(a, this.goal) ? b : a));
  }
}

function sharedVariables(a: Side, b: Side): number {
  let count = 0;
  for (let at = 0; at < a.distinct.length; at++) if (a.distinct[at] !== 0 && b.distinct[at] !== 0) count++;
  return count;
}

function keysOf({ rows, distinct }: Side, variable: number): { readonly rows: number; readonly distinct: number } {
  return { rows, distinct: distinct[variable] as number };
}
