/**
 * Joins of one subject with several of its properties, made one operator (`execute/join/star-join.ts`):
 *
 *  - Lookups of patterns by the same variable, one above another, inner and optional. A lookup between them by
 *    another variable, or a filter, goes above the star, unless it leaves few of many rows.
 *  - Patterns of one constant subject with few rows each, which the order of joins multiplies with each other.
 *
 * It goes over the finished plan: the search for an order knows single patterns only, and the costs it compares are
 * about the same.
 */

import { variablesOf } from '../../algebra/mentioned.js';
import { isStar, type StarLeg, type StarSpec } from '../../execute/join/star-join.js';
import { distinctOf, type Plan, type PlanFacts, usesOrder } from '../../physical/plan.js';

/** So few rows are looked up for all patterns, whatever the first ones leave of them. */
const FEW_ROWS = 512;
/** Of many rows this share has to pass a pattern or a filter for those above it to be looked up with it. */
const KEPT_SHARE_MIN = 0.5;
/** Objects of a subject and predicate, on average: a star holds those of a batch of subjects. */
const OBJECTS_MAX = 16;
const LEGS_MAX = 32;
/** Rows that patterns of a constant subject may make together. */
const CONSTANT_ROWS_MAX = 256;

type Request = StarLeg['scan']['request'];

/** A pattern of a star, with the variable of its objects; null = no column of them. */
interface Candidate {
  readonly leg: StarLeg;
  readonly subject: StarSpec['subject'];
  readonly variable: string | null;
  readonly facts: PlanFacts;
  /** Rows for one row of the input. */
  readonly fanOut: number;
  readonly cost: number;
}

/** `ordered`: what stands above relies on the order of the plan's rows. */
export function joinStars(plan: Plan, ordered = false): Plan {
  const star = variableStar(plan, ordered);
  if (star !== null) return joinStars(star, ordered);
  const inputs = plan.inputs.map((input, at) => joinStars(input, relies(plan, at, ordered)));
  const changed = inputs.some((input, at) => input !== plan.inputs[at]) ? withInputs(plan, inputs) : plan;
  return (ordered ? null : constantStar(changed)) ?? changed;
}

/** Lookups like to go forward, but do without. */
function relies(plan: Plan, input: number, ordered: boolean): boolean {
  return isLookup(plan) ? ordered : usesOrder(plan, input, ordered);
}

const isLookup = ({ action }: Plan): boolean => action.kind === 'indexJoin' || action.kind === 'starJoin';

// Lookups by one variable.

function variableStar(plan: Plan, ordered: boolean): Plan | null {
  const top = lookupOf(plan);
  if (top === null) return null;
  const found = [top];
  /** What goes above the star, the uppermost first. */
  const lifted: Plan[] = [];
  let base = inputOf(plan);
  let passed: Plan[] = [];
  for (let below = base; found.length < LEGS_MAX; below = inputOf(below)) {
    if (!keepsRows(below)) break;
    const next = lookupOf(below);
    if (next !== null && isSame(next, top) && isStar(starOf([next, ...found]))) {
      found.push(next);
      lifted.push(...passed);
      passed = [];
      base = inputOf(below);
    } else if (canBeLifted(below) && found.every(({ variable }) => !mentions(below, variable))) passed.push(below);
    else break;
  }
  if (found.length < 2) return null;
  const legs = found.reverse();
  const star: Plan = {
    action: { kind: 'starJoin', spec: starOf(legs) },
    inputs: [base],
    facts: starFacts(base.facts, legs),
  };
  const whole = lifted.reduceRight((below, one) => withInputs(one, [below, ...one.inputs.slice(1)]), star);
  if (ordered && !plan.facts.order.every((name, at) => whole.facts.order[at] === name)) return null;
  return { ...whole, facts: { ...whole.facts, rows: plan.facts.rows, cost: plan.facts.cost } };
}

function starOf(legs: readonly Candidate[]): StarSpec {
  return { subject: (legs[0] as Candidate).subject, legs: legs.map(({ leg }) => leg) };
}

const inputOf = (plan: Plan): Plan => plan.inputs[0] as Plan;

/** A lookup of a pattern's objects by its subject. */
function lookupOf(plan: Plan): Candidate | null {
  const { action, facts } = plan;
  if (action.kind === 'starJoin') return onlyLeg(plan, action.spec);
  if (action.kind !== 'indexJoin') return null;
  const { scan, parts, residual, optional = false } = action.probe;
  const keys = parts.filter((part) => part.kind === 'key');
  const [key] = keys;
  if (key === undefined || keys.length > 1 || key.position !== 's' || residual.length > 0) return null;
  if (!isProperty(scan)) return null;
  const before = inputOf(plan).facts;
  const fanOut = facts.rows / Math.max(1, before.rows);
  if (fanOut > OBJECTS_MAX) return null;
  return {
    leg: { scan, need: optional ? 'optional' : 'required', label: action.label },
    subject: { kind: 'key', variable: key.variable },
    variable: scan.outputs.find(({ position }) => position === 'o')?.variable ?? null,
    facts,
    fanOut,
    cost: facts.cost - before.cost,
  };
}

/** A star of one pattern: a test of existence that has been planned as one. */
function onlyLeg(plan: Plan, { subject, legs }: StarSpec): Candidate | null {
  const [leg] = legs as [StarLeg, ...StarLeg[]];
  if (legs.length > 1 || leg.need !== 'exists' || subject.kind === 'constant') return null;
  const { facts } = plan;
  const before = inputOf(plan).facts;
  const fanOut = facts.rows / Math.max(1, before.rows);
  return { leg, subject, variable: null, facts, fanOut, cost: facts.cost - before.cost };
}

/** A pattern with a constant predicate, of which no graph is asked. */
function isProperty({ request, outputs, equal }: StarLeg['scan']): boolean {
  return (
    request.pattern.p?.kind === 'id' &&
    equal.length === 0 &&
    outputs.every(({ position }) => position === 's' || position === 'o')
  );
}

function isSame(one: Candidate, other: Candidate): boolean {
  const [a, b] = [one.subject, other.subject];
  const same =
    a.kind === 'key' ? b.kind === 'key' && a.variable === b.variable : b.kind === 'constant' && a.id === b.id;
  return same && asksAlike(one.leg.scan.request, other.leg.scan.request);
}

function asksAlike(a: Request, b: Request): boolean {
  const graphs =
    a.graphs.kind === 'one' ? b.graphs.kind === 'one' && a.graphs.graph === b.graphs.graph : a.graphs === b.graphs;
  return graphs && a.time === b.time;
}

/** What is above a plan may run for all rows of its input as well. */
function keepsRows(plan: Plan): boolean {
  const [input] = plan.inputs;
  if (input === undefined) return false;
  return input.facts.rows <= FEW_ROWS || plan.facts.rows >= KEPT_SHARE_MIN * input.facts.rows;
}

/** Operators that look at each row of their first input on its own. */
function canBeLifted({ action, inputs }: Plan): boolean {
  if (inputs.length !== 1) return false;
  return action.kind === 'filter' || action.kind === 'indexJoin' || action.kind === 'starJoin';
}

/** A filter may name a variable that is bound further up only. */
function mentions({ action, facts }: Plan, variable: string | null): boolean {
  if (variable === null) return false;
  if (action.kind === 'filter') return action.conditions.some((condition) => variablesOf(condition).has(variable));
  return facts.variables.includes(variable);
}

function starFacts(base: PlanFacts, legs: readonly Candidate[]): PlanFacts {
  const { subject } = legs[0] as Candidate;
  const variables = [...base.variables];
  const certain = new Set(base.certain);
  const distinct = new Map(base.distinct);
  let { rows, cost } = base;
  for (const { leg, variable, facts, fanOut, cost: added } of legs) {
    rows *= leg.need === 'optional' ? Math.max(1, fanOut) : fanOut;
    cost += added;
    if (variable === null || variables.includes(variable)) continue;
    variables.push(variable);
    distinct.set(variable, distinctOf(facts, variable));
    if (leg.need !== 'optional') certain.add(variable);
  }
  const sorted =
    subject.kind === 'key' && base.order[0] === subject.variable && legs.every(({ leg }) => leg.need !== 'optional');
  return { variables, certain, order: sorted ? [subject.variable] : [], rows, startup: base.startup, cost, distinct };
}

// Patterns of a constant subject.

/** A star of one subject, or a pattern that may become one, and what stands above it, the uppermost first. */
interface Bottom {
  readonly legs: readonly Candidate[];
  readonly above: readonly Plan[];
}

function constantStar(plan: Plan): Plan | null {
  const { action } = plan;
  if (action.kind !== 'hashJoin' && action.kind !== 'hashLeftJoin') return null;
  if (action.keys.certain.length + action.keys.loose.length > 0) return null;
  const [left, right] = plan.inputs as [Plan, Plan];
  const [one, other] = [bottomOf(left), bottomOf(right)];
  if (one === null || other === null) return null;
  const optional = action.kind === 'hashLeftJoin';
  if (optional && (action.condition !== null || other.above.length > 0 || other.legs.length > 1)) return null;
  const more = optional
    ? other.legs.map((leg) => ({ ...leg, leg: { ...leg.leg, need: 'optional' as const } }))
    : other.legs;
  const legs = [...one.legs, ...more];
  const first = legs[0] as Candidate;
  if (legs.length > LEGS_MAX || !legs.every((leg) => isSame(leg, first))) return null;
  if (legs.reduce((rows, { fanOut }) => rows * Math.max(1, fanOut), 1) > CONSTANT_ROWS_MAX) return null;
  if (one.above.some((above) => right.facts.variables.some((name) => mentions(above, name)))) return null;
  if (other.above.some((above) => one.legs.some(({ variable }) => mentions(above, variable)))) return null;
  const spec = starOf(legs);
  if (!isStar(spec)) return null;
  const star: Plan = { action: { kind: 'starJoin', spec }, inputs: [], facts: starFacts(NOTHING, legs) };
  const above = [...one.above, ...other.above];
  const whole = above.reduceRight((below, upper) => withInputs(upper, [below, ...upper.inputs.slice(1)]), star);
  return { ...whole, facts: { ...whole.facts, rows: plan.facts.rows, cost: plan.facts.cost } };
}

const NOTHING: PlanFacts = {
  variables: [],
  certain: new Set(),
  order: [],
  rows: 1,
  startup: 0,
  cost: 0,
  distinct: new Map(),
};

function bottomOf(plan: Plan): Bottom | null {
  const above: Plan[] = [];
  let below = plan;
  for (; canBeLifted(below) || isOwnOptional(below); below = inputOf(below)) above.push(below);
  const { action, facts } = below;
  if (action.kind === 'scan') {
    const leg = constantLeg(below);
    return leg === null ? null : { legs: [leg], above };
  }
  if (action.kind !== 'starJoin' || action.spec.subject.kind !== 'constant') return null;
  const { subject } = action.spec;
  const share = Math.max(1, facts.rows) ** (1 / action.spec.legs.length);
  const legs = action.spec.legs.map((leg): Candidate => {
    const variable = leg.scan.outputs.find(({ position }) => position === 'o')?.variable ?? null;
    return { leg, subject, variable, facts, fanOut: share, cost: facts.cost / action.spec.legs.length };
  });
  return { legs, above };
}

/** An OPTIONAL that shares nothing with its left side. */
function isOwnOptional({ action }: Plan): boolean {
  if (action.kind !== 'hashLeftJoin' || action.condition !== null) return false;
  return action.keys.certain.length + action.keys.loose.length === 0;
}

function constantLeg({ action, facts }: Plan): Candidate | null {
  if (action.kind !== 'scan' || !isProperty(action.spec)) return null;
  const { s } = action.spec.request.pattern;
  if (s?.kind !== 'id' || facts.rows > CONSTANT_ROWS_MAX) return null;
  return {
    leg: { scan: action.spec, need: 'required', label: action.label },
    subject: { kind: 'constant', id: s.id },
    variable: action.spec.outputs[0]?.variable ?? null,
    facts,
    fanOut: facts.rows,
    cost: facts.cost,
  };
}

// Plans over other inputs.

/** Operators that give the columns of their first input, and then their own. */
const FOLLOWING: ReadonlySet<Plan['action']['kind']> = new Set([
  'filter',
  'extend',
  'sort',
  'slice',
  'distinct',
  'indexJoin',
  'starJoin',
  'hashLeftJoin',
  'apply',
]);

function withInputs(plan: Plan, inputs: readonly Plan[]): Plan {
  const { action, facts } = plan;
  if (!FOLLOWING.has(action.kind)) return { ...plan, inputs };
  const before = inputOf(plan).facts;
  const { facts: now } = inputs[0] as Plan;
  const own = facts.variables.filter((name) => !before.variables.includes(name));
  const variables = [...now.variables, ...own.filter((name) => !now.variables.includes(name))];
  const ordered = before.order.every((name, at) => now.order[at] === name);
  const order = ordered ? facts.order : [];
  const rows = facts.rows * Math.max(1, now.rows / Math.max(1, before.rows));
  return {
    action,
    inputs,
    facts: {
      ...facts,
      variables,
      certain: new Set([...facts.certain, ...now.certain]),
      order,
      rows,
      distinct: new Map([...now.distinct, ...facts.distinct]),
    },
  };
}
