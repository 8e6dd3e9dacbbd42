/**
 * The parts of a group as numbers, for the search of a join order: which variables they bind, how many
 * rows and distinct values they have, and what is left of both when they are joined. The rows of a set
 * of parts do not depend on the way in which they are joined.
 */

import { getOrInsert } from '../../../base/maps.js';
import type { Expression } from '../../algebra/expression.js';
import { formatExpression, hasExists } from '../../algebra/expression.js';
import { variablesOf } from '../../algebra/mentioned.js';
import { distinctOf, leafPlan, type Plan, type PlanFacts, unboundShare } from '../../physical/plan.js';
import { type PatternLeaf, probeParts } from '../access/pattern-leaf.js';
import { selectivityOf } from '../build/filters.js';
import type { JoinPart } from '../build/joins.js';
import { listOrder } from '../build/leapfrog.js';
import { comparedSides } from '../build/range-predicates.js';
import type { PlanContext } from '../context/context.js';
import { conditionCost, EXISTS_COST } from '../context/costs.js';
import { probeRange } from '../context/leaf.js';
import { GroupStatistics, starSubject } from '../statistics/group-statistics.js';
import type {
  Bindings,
  ComparedPairsOf,
  ComparedSide,
  ModelFilter,
  ModelPart,
  ModelProbe,
  PendingFilter,
  Side,
} from './model-parts.js';

/** Filters that the search looks at; they are bits of a number. More of them run, but count for nothing. */
const FILTERS_MAX = 30;
/** Estimates below one row stay apart from each other, so that what is rarer still is seen to be. */
const ROWS_MIN = 1e-3;

export class JoinModel {
  readonly names: readonly string[];
  readonly parts: readonly ModelPart[];
  private readonly numbers = new Map<string, number>();
  private readonly filters: readonly ModelFilter[];
  private readonly together: GroupStatistics;
  /** By the number of the variable: how many parts have it, up to two. */
  private readonly owners: Uint8Array;
  /** A set of parts is the input of each of the others. */
  private readonly inputs = new Map<Side, Plan>();

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
      cost: hasExists(condition) ? EXISTS_COST : conditionCost(condition),
      asks: hasExists(condition),
      sides: this.sidesOf(condition),
    }));
    this.owners = new Uint8Array(this.names.length);
    for (const part of parts) {
      for (const name of factsOf(part).variables) {
        const number = this.number(name);
        this.owners[number] = Math.min(2, (this.owners[number] as number) + 1);
      }
    }
    const rows = parts.reduce((sum, part) => sum + factsOf(part).rows, 0);
    this.together = new GroupStatistics(
      parts.map(({ leaf }) => leaf),
      context.hurried ? 0 : rows,
      context.statistics,
    );
    this.parts = parts.map((part, at) => this.modelPart(part, at));
  }

  number(name: string): number {
    return this.numbers.get(name) ?? -1;
  }

  private modelPart(part: JoinPart, at: number): ModelPart {
    const facts = factsOf(part);
    const distinct = new Float64Array(this.names.length);
    const certain = new Uint8Array(this.names.length);
    const unbound = new Float64Array(this.names.length);
    const variables = facts.variables.map((name) => this.number(name));
    for (const name of facts.variables) {
      distinct[this.number(name)] = distinctOf(facts, name);
      if (facts.certain.has(name)) certain[this.number(name)] = 1;
      else unbound[this.number(name)] = unboundShare(facts, name);
    }
    const filters = this.ready({ distinct, certain }, null);
    const rows = Math.max(ROWS_MIN, facts.rows * this.selectivity(filters));
    const side = { rows, distinct, certain, unbound, filters, patterns: this.together.alone(at) };
    return { part, side, variables, probes: new Map(), alternatives: this.alternativesOf(facts) };
  }

  private alternativesOf(facts: PlanFacts): ModelPart['alternatives'] {
    const { alternatives } = facts;
    if (alternatives === undefined) return null;
    const rows = alternatives.reduce((sum, one) => sum + one.rows, 0);
    return alternatives.map((one) => {
      const unbound = new Float64Array(this.names.length);
      for (const name of facts.variables) unbound[this.number(name)] = unboundShare(one, name);
      return { share: one.rows / Math.max(ROWS_MIN, rows), unbound };
    });
  }

  private sidesOf(condition: Expression): readonly ComparedSide[] | null {
    const sides = comparedSides(condition)?.map((side) => ({
      text: formatExpression(side),
      variables: [...variablesOf(side)].map((name) => this.number(name)),
    }));
    return sides?.every(({ variables }) => variables.length > 0 && !variables.includes(-1)) ? sides : null;
  }

  /** Bits of the filters whose variables are settled on one side or the other. */
  private ready(side: Bindings, more: Bindings | null): number {
    let ready = 0;
    for (let at = 0; at < this.filters.length; at++) {
      const { waitsFor } = this.filters[at] as ModelFilter;
      let bound = waitsFor.length > 0;
      for (const variable of waitsFor) {
        bound &&= this.isSettled(side, variable) || (more !== null && this.isSettled(more, variable));
      }
      if (bound) ready |= 1 << at;
    }
    return ready;
  }

  /** Every row binds it, or nothing else could. */
  private isSettled({ distinct, certain }: Bindings, variable: number): boolean {
    return certain[variable] === 1 || (distinct[variable] !== 0 && this.owners[variable] === 1);
  }

  /** What a join by comparisons does, of the filters that run with it; null where none of them tells partners. */
  compared(probe: Side, build: Side, filters: number): ComparedPairsOf | null {
    const isOf = ({ variables }: ComparedSide, own: Side, apart: Side): boolean =>
      variables.every((name) => own.distinct[name] !== 0) && variables.some((name) => apart.distinct[name] === 0);
    const testedBy = new Map<string, number>();
    let plain = 0;
    for (let bits = filters & ~(probe.filters | build.filters); bits !== 0; bits &= bits - 1) {
      const at = 31 - Math.clz32(bits & -bits);
      const { asks, sides, selectivity } = this.filters[at] as ModelFilter;
      if (asks) continue;
      plain |= 1 << at;
      if (sides === null) continue;
      const [one, other] = sides as [ComparedSide, ComparedSide];
      const value = isOf(one, build, probe) && isOf(other, probe, build) ? one : other;
      if (value === other && !(isOf(other, build, probe) && isOf(one, probe, build))) continue;
      testedBy.set(value.text, (testedBy.get(value.text) ?? 1) * selectivity);
    }
    return testedBy.size === 0 ? null : { filters: plain, tested: Math.min(...testedBy.values()) };
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
    return this.filters.length === 0 ? 0 : this.ready(left, (this.parts[part] as ModelPart).side);
  }

  /** Rows when the part is joined, after the filters that can run then. */
  rowsWith(left: Side, part: number, filters: number): number {
    const { side, alternatives } = this.parts[part] as ModelPart;
    const star = this.together.starFactor(left.patterns, part);
    const exponent = star === null ? 1 : 0.5;
    const subject = star === null ? -1 : this.number(star.subject);
    const divisors = this.divisors(left, part, subject, side.unbound);
    let rows = left.rows * (star?.factor ?? side.rows);
    // A product is not small because one side is thought to be rare: that may be wrong.
    if (divisors.length === 0 && star === null) rows = Math.max(1, left.rows) * Math.max(1, side.rows);
    if (alternatives === null) rows *= shareOf(divisors, exponent);
    else {
      const shares = alternatives.map(
        ({ share, unbound }) => share * shareOf(this.divisors(left, part, subject, unbound), exponent),
      );
      rows *= shares.reduce((sum, share) => sum + share, 0);
    }
    return Math.max(ROWS_MIN, rows * this.selectivity(filters & ~left.filters & ~side.filters));
  }

  /** What the product of both is to be divided by, for each variable that they share; `unbound`: of the part. */
  private divisors(left: Side, part: number, subject: number, unbound: Float64Array): number[] {
    const { side, variables } = this.parts[part] as ModelPart;
    const divisors: number[] = [];
    for (const variable of variables) {
      if (left.distinct[variable] === 0 || side.distinct[variable] === 0 || variable === subject) continue;
      const least = Math.max(left.distinct[variable] as number, side.distinct[variable] as number);
      const bound = (1 - (left.unbound[variable] as number)) * (1 - (unbound[variable] as number));
      // What is unbound is a partner of every row.
      if (bound < 1) divisors.push(1 / (1 - bound + bound / least));
      else divisors.push(this.together.pairDivisor(left.patterns, part, this.names[variable] as string) ?? least);
    }
    return divisors;
  }

  /** The side with one more part. */
  with(left: Side, part: number): Side {
    const filters = this.filtersWith(left, part);
    return this.joined(left, part, this.rowsWith(left, part, filters), filters);
  }

  joined(left: Side, part: number, rows: number, filters: number): Side {
    const { side, variables } = this.parts[part] as ModelPart;
    const distinct = Float64Array.from(left.distinct);
    const certain = Uint8Array.from(left.certain);
    const unbound = Float64Array.from(left.unbound);
    for (const variable of variables) {
      const here = side.distinct[variable] as number;
      const there = distinct[variable] as number;
      distinct[variable] = there === 0 ? here : Math.min(here, there);
      if (side.certain[variable] === 1) certain[variable] = 1;
      unbound[variable] = (there === 0 ? 1 : (unbound[variable] as number)) * (side.unbound[variable] as number);
    }
    const most = Math.max(1, rows);
    for (let variable = 0; variable < distinct.length; variable++) {
      if ((distinct[variable] as number) > most) distinct[variable] = most;
    }
    return { rows, distinct, certain, unbound, filters, patterns: this.together.joined(left.patterns, part) };
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
    const known = probes.get(bound);
    if (known !== undefined) return known;
    const found = this.findProbe(
      part.leaf,
      variables.filter((_, at) => (bound & (1 << at)) !== 0),
    );
    probes.set(bound, found);
    return found;
  }

  private findProbe(leaf: PatternLeaf, bound: readonly number[]): ModelProbe | null {
    const probe = probeParts(
      leaf,
      bound.map((variable) => this.names[variable] as string),
    );
    if (probe === null) return null;
    const keys = probe.parts.flatMap((part) => (part.kind === 'key' ? [this.number(part.variable)] : []));
    const bySubject = bound.length === 1 && probe.parts.some((part) => part.kind === 'key' && part.position === 's');
    const isProperty = starSubject(leaf) !== undefined && ![...leaf.positions.values()].includes('g');
    const subject = bySubject && isProperty && leaf.equal.length === 0 ? (bound[0] as number) : -1;
    return { probe, keys, range: probeRange(leaf, probe, this.context), subject };
  }

  /** The pattern binds the variable, and otherwise what every row of the side binds, and can be listed by that. */
  closes(left: Side, number: number, variable: number): boolean {
    const { part, variables } = this.parts[number] as ModelPart;
    if (part.leaf === null || variables.length < 2 || !variables.includes(variable)) return false;
    if (!variables.every((one) => one === variable || left.certain[one] === 1)) return false;
    return listOrder(part.leaf, this.names[variable] as string, factsOf(part).variables) !== null;
  }

  /** The one variable that a part adds, and the other parts that can be intersected with it for that; none where it adds more. */
  closedBy(left: Side, part: number, others: Iterable<number>): [number, number[]] {
    const { variables } = this.parts[part] as ModelPart;
    const [added, ...more] = variables.filter((variable) => left.distinct[variable] === 0);
    if (added === undefined || more.length > 0 || !this.closes(left, part, added)) return [-1, []];
    return [added, [...others].filter((other) => this.closes(left, other, added))];
  }

  /** By variable: bits of the patterns, by their place among the parts, that bind it with others; those of one pattern are left out. */
  closing(parts: readonly number[]): readonly (readonly [number, number])[] {
    return this.names.flatMap((_, variable) => {
      const having = parts.reduce((bits, number, at) => {
        const { part, variables } = this.parts[number] as ModelPart;
        return part.leaf !== null && variables.length > 1 && variables.includes(variable) ? bits | (1 << at) : bits;
      }, 0);
      return (having & (having - 1)) === 0 ? [] : [[variable, having] as const];
    });
  }

  /** The side as the facts of a plan, for parts that have a way of their own to be joined. */
  inputPlan(side: Side): Plan {
    return getOrInsert(this.inputs, side, () => this.madeInput(side));
  }

  private madeInput(side: Side): Plan {
    const variables = this.names.filter((_, at) => side.distinct[at] !== 0);
    return leafPlan({ kind: 'project' }, variables, {
      certain: new Set(this.names.filter((_, at) => side.certain[at] === 1)),
      rows: side.rows,
      cost: 0,
      distinct: new Map(variables.map((name) => [name, side.distinct[this.number(name)] as number])),
      unbound: new Map(variables.map((name) => [name, side.unbound[this.number(name)] as number])),
    });
  }
}

/** Further variables are rarely independent of the first: each counts with the root of the one before. */
function shareOf(divisors: number[], first: number): number {
  if (divisors.length > 1) divisors.sort((a, b) => b - a);
  let exponent = first;
  let share = 1;
  for (const divisor of divisors) {
    share /= exponent === 1 ? divisor : divisor ** exponent;
    exponent /= 2;
  }
  return share;
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
