/**
 * The parts of a group as numbers, for the search of a join order: which variables they bind, how many
 * rows and distinct values they have, and what is left of both when they are joined. The rows of a set
 * of parts do not depend on the way in which they are joined.
 */

import type { TermColumn } from '../../../storage/seam/scan.js';
import type { Expression } from '../../algebra/expression.js';
import { hasExists } from '../../algebra/expression.js';
import { distinctOf, type Plan } from '../../physical/plan.js';
import { selectivityOf } from '../build/filters.js';
import type { JoinPart } from '../build/join-part.js';
import type { PlanContext } from '../context/context.js';
import { CONDITION_COST, EXISTS_COST } from '../context/costs.js';
import { type PatternLeaf, type Probe, probeParts, probeRange } from '../context/leaf.js';
import { sampledRows } from '../statistics/pair-samples.js';
import { type StarRows, starRows } from '../statistics/star-rows.js';
import { LookUps } from '../statistics/star-samples.js';

/** Patterns of a star are bits of a number, too. */
const STAR_PATTERNS_MAX = 30;
/** Filters that the search looks at; they are bits of a number. More of them run, but count for nothing. */
const FILTERS_MAX = 30;
/** Patterns that are looked at for samples of pairs; they are bits of a number as well. */
const PAIRED_MAX = 30;
/** Samples of one group: each takes up to a hundred microseconds. */
const PAIRS_MAX = 4;
/** The share of rows that are thought to leave a variable unbound which may be: those are partners of every row. */
const UNBOUND_SHARE = 0.01;
/** Estimates below one row stay apart from each other, so that what is rarer still is seen to be. */
const ROWS_MIN = 1e-3;

/** A filter of the group, with the variables it waits for. */
export interface PendingFilter {
  readonly condition: Expression;
  readonly waitsFor: readonly string[];
}

/** A set of parts, joined and filtered. */
export interface Side {
  readonly rows: number;
  /** By the number of the variable; 0 = not bound. */
  readonly distinct: Float64Array;
  /** By the number of the variable: every row binds it. */
  readonly certain: Uint8Array;
  /** Bits of the filters that have run. */
  readonly filters: number;
  /** By star: bits of its patterns that are joined. */
  readonly stars: Int32Array;
  /** Bits of the parts that are joined, of the first ones. */
  readonly paired: number;
}

/** Two patterns whose rows were sampled. */
interface Pair {
  /** The bit of the other part. */
  readonly bit: number;
  readonly variable: number;
  /** What the product of the rows of both is to be divided by. */
  readonly divisor: number;
}

/** Patterns with a common subject. */
interface Star {
  readonly rows: StarRows;
  readonly subject: number;
}

/** A part's place in a star. */
interface StarPlace {
  readonly star: number;
  readonly bit: number;
}

/** How a pattern can be looked up by what is bound. */
export interface ModelProbe {
  readonly probe: Probe;
  readonly keys: readonly number[];
  /** Rows of the scan in which dense keys lie. */
  readonly range: number;
}

export interface ModelPart {
  readonly part: JoinPart;
  /** The part alone. */
  readonly side: Side;
  /** Numbers of its variables. */
  readonly variables: readonly number[];
  readonly positions: readonly (TermColumn | null)[];
  /** By the bits of the variables that are bound, in the order of `variables`. */
  readonly probes: Map<number, ModelProbe | null>;
}

interface ModelFilter {
  readonly waitsFor: readonly number[];
  readonly selectivity: number;
  readonly cost: number;
}

export class JoinModel {
  readonly names: readonly string[];
  readonly parts: readonly ModelPart[];
  private readonly numbers = new Map<string, number>();
  private readonly filters: readonly ModelFilter[];
  private readonly stars: Star[] = [];
  /** By part. */
  private readonly places: readonly (StarPlace | null)[];
  /** By part. */
  private readonly pairs: readonly (readonly Pair[])[];

  constructor(
    parts: readonly JoinPart[],
    filters: readonly PendingFilter[],
    private readonly context: PlanContext,
  ) {
    for (const part of parts) {
      for (const name of factsOf(part).variables)
        if (!this.numbers.has(name)) this.numbers.set(name, this.numbers.size);
    }
    this.names = [...this.numbers.keys()];
    const distinctIn = (name: string): number | null => leastDistinct(parts, name);
    this.filters = filters.slice(0, FILTERS_MAX).map(({ condition, waitsFor }) => ({
      waitsFor: waitsFor.map((name) => this.number(name)),
      selectivity: context.counted.has(condition) ? 1 : selectivityOf(condition, distinctIn),
      cost: hasExists(condition) ? EXISTS_COST : CONDITION_COST,
    }));
    this.places = this.findStars(parts);
    this.parts = parts.map((part, at) => this.modelPart(part, at));
    this.pairs = this.findPairs(parts);
  }

  /** Patterns that share one variable, and are not told by a star. */
  private findPairs(parts: readonly JoinPart[]): Pair[][] {
    const pairs: Pair[][] = parts.map(() => []);
    let samples = 0;
    for (const [at, { leaf: few }] of parts.slice(0, PAIRED_MAX).entries()) {
      if (few === null || few.constants.size < 2 || few.positions.size !== 1) continue;
      const variable = [...few.positions.keys()][0] as string;
      for (const [other, { leaf: many }] of parts.slice(0, PAIRED_MAX).entries()) {
        if (other === at || many === null || !many.positions.has(variable) || samples === PAIRS_MAX) continue;
        const star = this.places[at]?.star;
        if (star !== undefined && star === this.places[other]?.star) continue;
        const rows = sampledRows(few, many, variable, this.context);
        if (rows === null) continue;
        samples++;
        const pair = { variable: this.number(variable), divisor: (few.rows * many.rows) / rows };
        (pairs[at] as Pair[]).push({ ...pair, bit: 1 << other });
        (pairs[other] as Pair[]).push({ ...pair, bit: 1 << at });
      }
    }
    return pairs;
  }

  /** The least divisor that samples give; null without one. */
  private sampledDivisor(left: Side, part: number, variable: number): number | null {
    let least: number | null = null;
    for (const pair of this.pairs[part] as Pair[]) {
      if (pair.variable !== variable || (left.paired & pair.bit) === 0) continue;
      if (least === null || pair.divisor < least) least = pair.divisor;
    }
    return least;
  }

  private findStars(parts: readonly JoinPart[]): (StarPlace | null)[] {
    const bySubject = new Map<string, number[]>();
    for (const [at, { leaf }] of parts.entries()) {
      const subject = leaf === null ? undefined : starSubject(leaf);
      if (subject === undefined) continue;
      const members = bySubject.get(subject) ?? [];
      bySubject.set(subject, members);
      if (members.length < STAR_PATTERNS_MAX) members.push(at);
    }
    const places: (StarPlace | null)[] = parts.map(() => null);
    const lookUps = new LookUps(parts.reduce((sum, part) => sum + factsOf(part).rows, 0));
    for (const [subject, members] of bySubject) {
      if (members.length < 2) continue;
      const leaves = members.map((at) => (parts[at] as JoinPart).leaf as PatternLeaf);
      const rows = starRows(leaves, lookUps, this.context);
      if (rows === null) continue;
      for (const [bit, at] of members.entries()) places[at] = { star: this.stars.length, bit };
      this.stars.push({ rows, subject: this.number(subject) });
    }
    return places;
  }

  number(name: string): number {
    return this.numbers.get(name) ?? -1;
  }

  private modelPart(part: JoinPart, at: number): ModelPart {
    const place = this.places[at] ?? null;
    const facts = factsOf(part);
    const distinct = new Float64Array(this.names.length);
    const certain = new Uint8Array(this.names.length);
    const variables = facts.variables.map((name) => this.number(name));
    for (const name of facts.variables) {
      distinct[this.number(name)] = distinctOf(facts, name);
      if (facts.certain.has(name)) certain[this.number(name)] = 1;
    }
    const filters = this.ready(certain, null);
    const rows = Math.max(ROWS_MIN, facts.rows * this.selectivity(filters));
    const positions = facts.variables.map((name) => part.leaf?.positions.get(name) ?? null);
    const stars = new Int32Array(this.stars.length);
    if (place !== null) stars[place.star] = 1 << place.bit;
    const paired = at < PAIRED_MAX ? 1 << at : 0;
    return { part, side: { rows, distinct, certain, filters, stars, paired }, variables, positions, probes: new Map() };
  }

  /** Bits of the filters whose variables are bound on one side or the other. */
  private ready(certain: Uint8Array, more: Uint8Array | null): number {
    let ready = 0;
    for (let at = 0; at < this.filters.length; at++) {
      const { waitsFor } = this.filters[at] as ModelFilter;
      let bound = waitsFor.length > 0;
      for (const variable of waitsFor) bound &&= certain[variable] === 1 || more?.[variable] === 1;
      if (bound) ready |= 1 << at;
    }
    return ready;
  }

  /** The share of rows that pass the filters. */
  selectivity(filters: number): number {
    let product = 1;
    for (let bits = filters; bits !== 0; bits &= bits - 1) {
      product *= (this.filters[31 - Math.clz32(bits & -bits)] as ModelFilter).selectivity;
    }
    return product;
  }

  /** What the filters cost, a row. */
  filterCost(filters: number): number {
    let sum = 0;
    for (let bits = filters; bits !== 0; bits &= bits - 1) {
      sum += (this.filters[31 - Math.clz32(bits & -bits)] as ModelFilter).cost;
    }
    return sum;
  }

  /** The filters that run once the part is joined. */
  filtersWith(left: Side, part: number): number {
    return this.filters.length === 0 ? 0 : this.ready(left.certain, (this.parts[part] as ModelPart).side.certain);
  }

  /** Rows when the part is joined, after the filters that can run then. */
  rowsWith(left: Side, part: number, filters: number): number {
    const { side, variables } = this.parts[part] as ModelPart;
    const place = this.places[part] ?? null;
    const joined = place === null ? 0 : (left.stars[place.star] as number);
    const star = place === null || joined === 0 ? null : (this.stars[place.star] as Star);
    const factor = star === null || place === null ? null : star.rows.factor(joined, place.bit);
    let rows = left.rows * (factor ?? side.rows);
    const divisors: number[] = [];
    for (const variable of variables) {
      if (left.distinct[variable] === 0 || side.distinct[variable] === 0) continue;
      if (factor !== null && variable === star?.subject) continue;
      const least = Math.max(left.distinct[variable] as number, side.distinct[variable] as number);
      if (left.certain[variable] === 0 || side.certain[variable] === 0) {
        divisors.push(least / (1 + UNBOUND_SHARE * (least - 1)));
        continue;
      }
      divisors.push(this.sampledDivisor(left, part, variable) ?? least);
    }
    // Further variables are rarely independent of the first: each counts with the root of the one before.
    if (divisors.length > 1) divisors.sort((a, b) => b - a);
    let exponent = factor === null ? 1 : 0.5;
    for (const divisor of divisors) {
      rows /= exponent === 1 ? divisor : divisor ** exponent;
      exponent /= 2;
    }
    return Math.max(ROWS_MIN, rows * this.selectivity(filters & ~left.filters & ~side.filters));
  }

  joined(left: Side, part: number, rows: number, filters: number): Side {
    const { side, variables } = this.parts[part] as ModelPart;
    const distinct = Float64Array.from(left.distinct);
    const certain = Uint8Array.from(left.certain);
    for (const variable of variables) {
      const here = side.distinct[variable] as number;
      const there = distinct[variable] as number;
      distinct[variable] = there === 0 ? here : Math.min(here, there);
      if (side.certain[variable] === 1) certain[variable] = 1;
    }
    const most = Math.max(1, rows);
    for (let variable = 0; variable < distinct.length; variable++) {
      if ((distinct[variable] as number) > most) distinct[variable] = most;
    }
    const place = this.places[part] ?? null;
    let { stars } = left;
    if (place !== null) {
      stars = Int32Array.from(stars);
      stars[place.star] = (stars[place.star] as number) | (1 << place.bit);
    }
    return { rows, distinct, certain, filters, stars, paired: left.paired | side.paired };
  }

  /** True when the two have a variable in common that one of them may leave unbound. */
  isLoose(left: Side, part: number): boolean {
    const { side, variables } = this.parts[part] as ModelPart;
    for (const variable of variables) {
      if (left.distinct[variable] !== 0 && (left.certain[variable] === 0 || side.certain[variable] === 0)) return true;
    }
    return false;
  }

  connected(left: Side, part: number): boolean {
    for (const variable of (this.parts[part] as ModelPart).variables) if (left.distinct[variable] !== 0) return true;
    return false;
  }

  /** True when two parts share a variable, or a filter reads variables of both. */
  near(a: number, b: number): boolean {
    const left = (this.parts[a] as ModelPart).side;
    if (this.connected(left, b)) return true;
    const right = (this.parts[b] as ModelPart).side;
    const reads = (side: Side) => (variable: number) => side.distinct[variable] !== 0;
    return this.filters.some(({ waitsFor }) => waitsFor.some(reads(left)) && waitsFor.some(reads(right)));
  }

  /** How the pattern is looked up by what the side binds; null when it can't be. */
  probe(left: Side, number: number): ModelProbe | null {
    const { part, variables, probes } = this.parts[number] as ModelPart;
    if (part.leaf === null) return null;
    let bound = 0;
    for (let at = 0; at < variables.length; at++) if (left.distinct[variables[at] as number] !== 0) bound |= 1 << at;
    let found = probes.get(bound);
    if (found === undefined) {
      found = this.findProbe(
        part.leaf,
        variables.filter((_, at) => (bound & (1 << at)) !== 0),
      );
      probes.set(bound, found);
    }
    return found;
  }

  private findProbe(leaf: PatternLeaf, bound: readonly number[]): ModelProbe | null {
    const probe = probeParts(
      leaf,
      bound.map((variable) => this.names[variable] as string),
    );
    if (probe === null) return null;
    const keys = probe.parts.flatMap((part) => (part.kind === 'key' ? [this.number(part.variable)] : []));
    return { probe, keys, range: probeRange(leaf, probe, this.context) };
  }

  /** The side as the facts of a plan, for parts that have a way of their own to be joined. */
  inputPlan(side: Side): Plan {
    const variables = this.names.filter((_, at) => side.distinct[at] !== 0);
    return {
      action: { kind: 'project' },
      inputs: [],
      facts: {
        variables,
        certain: new Set(this.names.filter((_, at) => side.certain[at] === 1)),
        order: [],
        rows: side.rows,
        startup: 0,
        cost: 0,
        distinct: new Map(variables.map((name) => [name, side.distinct[this.number(name)] as number])),
      },
    };
  }
}

/** The variable that is the subject of a pattern with a constant predicate. */
function starSubject({ constants, positions }: PatternLeaf): string | undefined {
  if (!constants.has('p') || constants.has('s')) return undefined;
  return [...positions].find(([, position]) => position === 's')?.[0];
}

function factsOf(part: JoinPart): Plan['facts'] {
  return (part.plans[0] as Plan).facts;
}

function leastDistinct(parts: readonly JoinPart[], name: string): number | null {
  let least: number | null = null;
  for (const part of parts) {
    const facts = factsOf(part);
    if (facts.variables.includes(name)) least = Math.min(least ?? Number.POSITIVE_INFINITY, distinctOf(facts, name));
  }
  return least;
}
