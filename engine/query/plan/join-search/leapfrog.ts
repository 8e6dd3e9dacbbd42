/**
 * Closes cycles by intersection. Where a join adds a variable and the joins right above it only test it
 * by further patterns (the last edge of a triangle or a clique), pairwise joins make all rows that the
 * first pattern allows and then drop most of them. One `leapfrogJoin` in their place looks at the lists
 * of all these patterns at once.
 */

import type { Order, TermColumn } from '../../../storage/seam/scan.js';
import type { ScanSpec } from '../../execute/scan/scan.js';
import { type Plan, usesOrder } from '../../physical/plan.js';
import { POSITIONS } from '../../physical/scan.js';
import type { PlanContext } from '../context/context.js';

/** Nanoseconds: a row that pairwise joins make and test, and a row that is put into lists. */
const PAIRED_ROW_COST = 50;
const LISTED_ROW_COST = 50;

/** A pattern that is joined, read on its own. */
interface Leaf {
  readonly spec: ScanSpec;
  readonly label: string;
}

interface Step {
  readonly input: Plan;
  readonly leaf: Leaf;
}

/** `hurried`: only the first rows may be asked for; `ordered`: what stands above relies on the order of the rows. */
export function closeCycles(plan: Plan, context: PlanContext, hurried: boolean, ordered = false): Plan {
  const closed = hurried ? null : closeCycle(plan, context, ordered);
  if (closed !== null) return closeCycles(closed, context, hurried, ordered);
  const { action } = plan;
  const inputs = plan.inputs.map((input, at) =>
    closeCycles(input, context, hurries(plan, at, hurried), usesOrder(plan, at, ordered)),
  );
  return inputs.some((input, at) => input !== plan.inputs[at]) ? { ...plan, action, inputs } : plan;
}

/** The first rows of what stands above may be all that is asked for of this input. */
function hurries({ action }: Plan, input: number, hurried: boolean): boolean {
  switch (action.kind) {
    case 'slice':
      return hurried || action.limit !== null;
    case 'aggregate':
      return hurried && action.sorted;
    case 'sort':
      return false;
    case 'hashJoin':
    case 'hashLeftJoin':
    case 'hashSemiJoin':
      return hurried && input === 0;
    default:
      return hurried;
  }
}

function closeCycle(plan: Plan, context: PlanContext, ordered: boolean): Plan | null {
  const leaves: Leaf[] = [];
  let opening: Step | null = null;
  for (let step = stepOf(plan); step !== null; step = stepOf(step.input)) {
    leaves.unshift(step.leaf);
    opening = step;
    if (addedBy(step).length > 0) break;
  }
  if (opening === null || leaves.length < 2) return null;
  const [variable, ...more] = addedBy(opening);
  if (variable === undefined || more.length > 0) return null;
  const { input } = opening;
  if (!leaves.every((leaf) => isClosing(leaf, input, variable))) return null;
  if (ordered && !plan.facts.order.every((name, at) => input.facts.order[at] === name)) return null;
  const opened = openedBy(plan, leaves.length - 1);
  return withLists(plan, input, opened, leaves, variable, context);
}

/** The plan below `levels` joins on the way to the opening one. */
function openedBy(plan: Plan, levels: number): Plan {
  let below = plan;
  for (let level = 0; level < levels; level++) below = stepOf(below)?.input as Plan;
  return below;
}

/** A join of rows with one pattern. */
function stepOf({ action, inputs }: Plan): Step | null {
  const [first, second] = inputs;
  switch (action.kind) {
    case 'indexJoin':
      return { input: first as Plan, leaf: { spec: action.probe.scan, label: action.label } };
    case 'mergeJoin':
    case 'hashJoin': {
      if (action.kind === 'hashJoin' && action.keys.loose.length > 0) return null;
      const [left, right] = [first as Plan, second as Plan];
      if (right.action.kind === 'scan') return { input: left, leaf: right.action };
      if (left.action.kind === 'scan') return { input: right, leaf: left.action };
      return null;
    }
    default:
      return null;
  }
}

function variablesOf({ spec }: Leaf): string[] {
  return spec.outputs.map((output) => output.variable);
}

function addedBy({ input, leaf }: Step): string[] {
  return variablesOf(leaf).filter((name) => !input.facts.variables.includes(name));
}

/** The leaf binds the variable, and otherwise what every row of the input binds, at least one. */
function isClosing(leaf: Leaf, input: Plan, variable: string): boolean {
  const names = variablesOf(leaf);
  const keys = names.filter((name) => name !== variable);
  return names.length > keys.length && keys.length > 0 && keys.every((name) => input.facts.certain.has(name));
}

function withLists(
  plan: Plan,
  input: Plan,
  opened: Plan,
  leaves: readonly Leaf[],
  variable: string,
  context: PlanContext,
): Plan | null {
  const lists: Plan[] = [];
  for (const leaf of leaves) {
    const list = listPlan(leaf, variable, context);
    if (list === null) return null;
    lists.push(list);
  }
  const listed = lists.reduce((sum, list) => sum + list.facts.rows, 0);
  if (opened.facts.rows * PAIRED_ROW_COST < listed * LISTED_ROW_COST) return null;
  const keys = lists.map((list) => list.facts.variables.filter((name) => name !== variable));
  const startup = input.facts.startup + listed * LISTED_ROW_COST;
  const strayed = plan.facts.order.findIndex((name, at) => input.facts.order[at] !== name);
  const order = strayed < 0 ? plan.facts.order : plan.facts.order.slice(0, strayed);
  return {
    action: { kind: 'leapfrogJoin', spec: { variable, keys } },
    inputs: [input, ...lists],
    facts: { ...plan.facts, order, startup, cost: Math.max(startup, plan.facts.cost) },
  };
}

/** The leaf read on its own, with the variable ascending within each key; null = no order gives that. */
function listPlan({ spec, label }: Leaf, variable: string, context: PlanContext): Plan | null {
  const { graphs, pattern, time } = spec.request;
  const constants = (['s', 'p', 'o'] as const).filter((position) => pattern[position]?.kind === 'id');
  const order = (['POSG', 'SPOG', 'OSPG'] as const).find((candidate) => ascends(candidate, spec, constants, variable));
  if (order === undefined) return null;
  const variables = spec.outputs.map((output) => output.variable);
  const { rows } = context.snapshot.estimate({ graphs, pattern, time });
  const facts = { variables, certain: new Set(variables), order: [], rows, startup: 0, cost: 0, distinct: new Map() };
  return { action: { kind: 'scan', spec: { ...spec, request: { ...spec.request, order } }, label }, inputs: [], facts };
}

/** Constants come first, and before the variable only what makes the key. */
function ascends(order: Order, spec: ScanSpec, constants: readonly TermColumn[], variable: string): boolean {
  const positions = POSITIONS[order];
  if (!positions.slice(0, constants.length).every((position) => constants.includes(position))) return false;
  for (const position of positions.slice(constants.length)) {
    const output = spec.outputs.find((candidate) => candidate.position === position);
    if (output === undefined) return false;
    if (output.variable === variable) return true;
  }
  return false;
}
