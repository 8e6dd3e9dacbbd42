/**
 * Lets joins carry only the columns that something above them reads: the variables of each join are
 * narrowed to what is shown, compared or computed with further up. Operators that only hand rows on
 * follow their inputs.
 */

import type { Expression } from '../../algebra/expression.js';
import { collectVariables } from '../../algebra/mentioned.js';
import type { Plan } from '../../physical/plan.js';

type Names = ReadonlySet<string>;

/** The plan without the columns that nobody reads; its own stay all. */
export function dropUnread(plan: Plan): Plan {
  return narrowed(plan, new Set(plan.facts.variables));
}

function narrowed(plan: Plan, read: Names): Plan {
  const { action, inputs, facts } = plan;
  if (inputs.length === 0) return plan;
  switch (action.kind) {
    case 'mergeJoin':
    case 'hashJoin':
      return joined(plan, withNames(read, sharedOf(plan)), read);
    case 'hashLeftJoin': {
      const tested = action.condition === null ? [] : [action.condition];
      return joined(plan, withExpressions(withNames(read, sharedOf(plan)), tested), read);
    }
    case 'hashSemiJoin': {
      const shared = sharedOf(plan);
      const [input, partners] = inputs as [Plan, Plan];
      const tested = action.condition === null ? [] : [action.condition];
      const { range } = action;
      const sought = range === undefined ? [] : [range.value, ...range.bounds.map(({ variable }) => variable)];
      const kept = [
        narrowed(input, withExpressions(withNames(read, [...shared, ...sought]), tested)),
        narrowed(partners, withExpressions(new Set([...shared, ...sought]), tested)),
      ];
      return {
        ...plan,
        inputs: kept,
        facts: { ...facts, variables: facts.variables.filter((name) => read.has(name)) },
      };
    }
    case 'intersectJoin': {
      const [input, ...patterns] = inputs as [Plan, ...Plan[]];
      const below = withNames(read, action.spec.keys.flat());
      const variables = facts.variables.filter((name) => read.has(name));
      return { ...plan, inputs: [narrowed(input, below), ...patterns], facts: { ...facts, variables } };
    }
    case 'indexJoin': {
      const keys = action.probe.parts.flatMap((part) => (part.kind === 'key' ? [part.variable] : []));
      const compared = action.probe.residual.map(({ variable }) => variable);
      return following(plan, withNames(read, [...keys, ...compared]));
    }
    case 'starJoin': {
      const { subject } = action.spec;
      return following(plan, subject.kind === 'key' ? withNames(read, [subject.variable]) : read);
    }
    case 'filter':
      return following(plan, withExpressions(read, action.conditions));
    case 'extend':
      return following(plan, withExpressions(read, [action.expression]));
    case 'sort':
      return following(
        plan,
        withExpressions(
          read,
          action.keys.map((key) => key.expression),
        ),
      );
    case 'slice':
      return following(plan, read);
    case 'aggregate': {
      const wholeRows = action.aggregates.some(({ distinct, expression }) => distinct && expression === null);
      const counted = action.aggregates.flatMap(({ expression }) => (expression === null ? [] : [expression]));
      const below = wholeRows ? (inputs[0] as Plan).facts.variables : [];
      return { ...plan, inputs: narrowAll(inputs, withExpressions(new Set([...action.keys, ...below]), counted)) };
    }
    case 'project':
      return { ...plan, inputs: narrowAll(inputs, new Set(facts.variables)) };
    default:
      return withAction(plan);
  }
}

/** An operator that may read all of its inputs' columns. */
function withAction(plan: Plan): Plan {
  const inputs = plan.inputs.map(dropUnread);
  const { action } = plan;
  return action.kind === 'apply'
    ? { ...plan, inputs, action: { ...action, inner: dropUnread(action.inner) } }
    : { ...plan, inputs };
}

function joined(plan: Plan, below: Names, read: Names): Plan {
  const variables = plan.facts.variables.filter((name) => read.has(name));
  return { ...plan, inputs: narrowAll(plan.inputs, below), facts: { ...plan.facts, variables } };
}

/** An operator that gives the columns of its first input and some of its own. */
function following(plan: Plan, below: Names): Plan {
  const before = plan.inputs[0] as Plan;
  const inputs = narrowAll(plan.inputs, below);
  const dropped = new Set(before.facts.variables);
  for (const name of (inputs[0] as Plan).facts.variables) dropped.delete(name);
  if (dropped.size === 0) return { ...plan, inputs };
  const variables = plan.facts.variables.filter((name) => !dropped.has(name));
  return { ...plan, inputs, facts: { ...plan.facts, variables } };
}

function narrowAll(inputs: readonly Plan[], read: Names): Plan[] {
  return inputs.map((input) => narrowed(input, read));
}

function sharedOf({ inputs }: Plan): string[] {
  const [first, second] = inputs as [Plan, Plan];
  return first.facts.variables.filter((name) => second.facts.variables.includes(name));
}

function withNames(read: Names, names: readonly string[]): Names {
  return names.every((name) => read.has(name)) ? read : new Set([...read, ...names]);
}

function withExpressions(read: Names, expressions: readonly Expression[]): Names {
  const all = new Set(read);
  for (const expression of expressions) collectVariables(expression, all);
  return all;
}
