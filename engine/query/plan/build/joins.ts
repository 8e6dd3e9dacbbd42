/** The parts of a group, and the ways to join two of them, as plans with their estimated rows and costs. */

import type { HashJoinKeys } from '../../execute/tables/build-table.js';
import { distinctOf, type Plan, type PlanFacts, planOver, unionOf } from '../../physical/plan.js';
import { outputsOf, type PatternLeaf, probeParts } from '../access/pattern-leaf.js';
import type { PlanContext } from '../context/context.js';
import {
  comparedPairsCost,
  hashCost,
  MERGE_ROW_COST,
  OUTPUT_ROW_COST,
  probeCost,
  SEEK_COST,
} from '../context/costs.js';
import { probeRange, scanSpec } from '../context/leaf.js';

/** One part of a group: a pattern, or anything that has its own plan. */
export interface JoinPart {
  readonly plans: readonly Plan[];
  /** Null when the part can only be read as a whole. */
  readonly leaf: PatternLeaf | null;
  /** A way of its own to join the part to what is planned before it; null where it does not apply. */
  readonly joinTo?: (input: Plan) => Plan | null;
  /** Of more rows it surely does not pay. */
  readonly inputRowsMax?: number;
}

export function mergeJoin(left: Plan, right: Plan): Plan | null {
  const key = left.facts.order[0];
  if (key === undefined || key !== right.facts.order[0]) return null;
  const { certain, loose } = sharedKeys(left.facts, right.facts);
  if (loose.length > 0) return null;
  const facts = joinFacts(left.facts, right.facts, left.facts.order);
  const keysOf = (side: PlanFacts) => ({ rows: side.rows, distinct: distinctOf(side, key) });
  const compared = certain.length > 1 ? comparedPairsCost(keysOf(left.facts), keysOf(right.facts)) : 0;
  const work = (left.facts.rows + right.facts.rows) * MERGE_ROW_COST + compared + facts.rows * OUTPUT_ROW_COST;
  return {
    action: { kind: 'mergeJoin', key },
    inputs: [left, right],
    facts: {
      ...facts,
      startup: left.facts.startup + right.facts.startup,
      cost: left.facts.cost + right.facts.cost + work,
    },
  };
}

export function hashJoin(probe: Plan, build: Plan): Plan {
  const keys = sharedKeys(probe.facts, build.facts);
  // A probe variable that may be unbound takes the value of the build side, which breaks its order.
  const order = keys.loose.length > 0 ? [] : probe.facts.order;
  const facts = joinFacts(probe.facts, build.facts, order);
  const { startup, cost } = hashCost(probe.facts, build.facts);
  return {
    action: { kind: 'hashJoin', keys },
    inputs: [probe, build],
    facts: { ...facts, startup, cost: cost + facts.rows * OUTPUT_ROW_COST },
  };
}

/** Null when the pattern can't be looked up by what the two share. */
export function indexJoin(
  input: Plan,
  leaf: PatternLeaf,
  scan: PlanFacts,
  wanted: ReadonlySet<string>,
  context: PlanContext,
): Plan | null {
  const { certain, loose } = sharedKeys(input.facts, scan);
  if (loose.length > 0) return null;
  const probe = probeParts(leaf, certain);
  if (probe === null) return null;
  const keys = probe.parts.flatMap((part) => (part.kind === 'key' ? [part.variable] : []));
  const residual = certain
    .filter((variable) => !keys.includes(variable))
    .map((variable) => ({ variable, position: leaf.positions.get(variable) as 's' | 'p' | 'o' | 'g' }));
  const ordered = keys.every((key, index) => input.facts.order[index] === key);
  const facts = joinFacts(input.facts, scan, ordered ? keys : []);
  const distinctKeys = Math.min(input.facts.rows, ...keys.map((key) => distinctOf(input.facts, key)));
  const probed = { rows: input.facts.rows, distinctKeys, ordered };
  const cost = probeCost(probed, probeRange(leaf, probe, context), leaf.parts);
  const work = cost + facts.rows * OUTPUT_ROW_COST;
  const outputs = outputsOf(leaf, wanted);
  const spec = { scan: scanSpec(leaf, probe.order, outputs, context), parts: probe.parts, residual };
  const costs = { startup: input.facts.startup + SEEK_COST, cost: input.facts.cost + work };
  return planOver(input, { kind: 'indexJoin', probe: spec, label: leaf.label }, { ...facts, ...costs });
}

export function sharedKeys(a: PlanFacts, b: PlanFacts): HashJoinKeys {
  const shared = a.variables.filter((variable) => b.variables.includes(variable));
  const isCertain = (variable: string) => a.certain.has(variable) && b.certain.has(variable);
  return { certain: shared.filter(isCertain), loose: shared.filter((variable) => !isCertain(variable)) };
}

export function connected(a: PlanFacts, b: PlanFacts): boolean {
  return a.variables.some((variable) => b.variables.includes(variable));
}

export function joinFacts(a: PlanFacts, b: PlanFacts, order: readonly string[]): Omit<PlanFacts, 'startup' | 'cost'> {
  const variables = unionOf(a.variables, b.variables);
  const rows = joinRows(a, b);
  const distinct = new Map<string, number>();
  for (const variable of variables) {
    const inA = a.variables.includes(variable) ? distinctOf(a, variable) : Number.POSITIVE_INFINITY;
    const inB = b.variables.includes(variable) ? distinctOf(b, variable) : Number.POSITIVE_INFINITY;
    distinct.set(variable, Math.max(1, Math.min(inA, inB, rows)));
  }
  return { variables, certain: new Set([...a.certain, ...b.certain]), order, rows, distinct };
}

/**
 * The product over the larger distinct count of each shared variable. Further variables are rarely
 * independent of the first, so each counts with the root of the one before.
 */
function joinRows(a: PlanFacts, b: PlanFacts): number {
  const divisors = sharedKeys(a, b)
    .certain.map((variable) => Math.max(distinctOf(a, variable), distinctOf(b, variable)))
    .sort((x, y) => y - x);
  let rows = a.rows * b.rows;
  let exponent = 1;
  for (const divisor of divisors) {
    rows /= divisor ** exponent;
    exponent /= 2;
  }
  return Math.max(1, rows);
}
