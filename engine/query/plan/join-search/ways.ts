/**
 * The ways to join two sets of parts, with what they cost, and which of them are worth keeping: the
 * cheapest, the one that starts soonest when few rows are asked for, and the cheapest for each variable
 * by which the rows come sorted.
 */

import type { Plan } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import {
  BUILD_ROW_COST,
  comparedPairsCost,
  costFor,
  HASH_OPEN_COST,
  HASH_PROBE_ROW_COST,
  MERGE_ROW_COST,
  OUTPUT_ROW_COST,
  probeCost,
  SEEK_COST,
} from '../context/costs.js';
import type { JoinModel, ModelPart, Side } from './model.js';

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
        part: number,
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
        const filters = joined.filters & ~left.filters;
        const joinedRows = joined.rows / model.selectivity(filters);
        let keys = left.rows;
        for (const key of probe.keys) keys = Math.min(keys, left.distinct[key] as number);
        const parts = own.leaf?.parts ?? 1;
        const probed = { rows: left.rows, distinctKeys: Math.max(1, keys), ordered: true };
        const after = joinedRows * (OUTPUT_ROW_COST + model.filterCost(filters));
        const byKey = after + probeCost(probed, probe.range, parts);
        const anyhow = after + probeCost({ ...probed, ordered: false }, probe.range, parts);
        for (const entry of lefts) {
          const ordered = probe.keys.length === 1 && probe.keys[0] === entry.order;
          const work = probe.keys[0] === entry.order ? byKey : anyhow;
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
  joinSides(
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
      const further = sharedVariables(a, b) > 1;
      for (const one of as) {
        if (one.order < 0) continue;
        for (const other of bs) {
          if (other.order !== one.order) continue;
          const compared = further ? comparedPairsCost(keysOf(a, one.order), keysOf(b, one.order)) : 0;
          const work = (a.rows + b.rows) * MERGE_ROW_COST + compared + output;
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
    const startup = HASH_OPEN_COST + build.cost + buildRows * BUILD_ROW_COST + probe.startup;
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
