/** OPTIONAL whose meaning a condition narrows: rows with a match, rows without one, matches of its own. */

import { type Algebra, filtered, type NodeOf } from '../algebra/algebra.js';
import { conjunctionOf, conjunctsOf, type Expression, hasExists } from '../algebra/expression.js';
import { collectPatternVariables, variablesOf } from '../algebra/mentioned.js';
import { scopeOf } from '../algebra/scope.js';
import { type Rewrite, rewriteOf, uncorrelatedRewrite } from './rewrite.js';

/**
 * `OPTIONAL { … ?x … } FILTER(!BOUND(?x))` asks for rows without a match: a NOT EXISTS, which ends at the first match of a row
 * and makes no rows of the others. Sound where every match binds ?x, nothing else binds it, and the optional side means the
 * same with the values of the row in it: patterns, joins and filters of their own variables.
 */
export const absentOptionals: Rewrite = uncorrelatedRewrite('absent-optionals', (node) => {
  if (node.kind !== 'filter') return node;
  let { input } = node;
  const left = conjunctsOf(node.condition).filter((condition) => {
    const name = unboundOf(condition);
    const without = name === null ? null : withoutMatch(input, name);
    if (without !== null) input = without;
    return without === null;
  });
  return input === node.input ? node : filtered(input, left);
});

/** The variable of `!BOUND(?x)`. */
function unboundOf(condition: Expression): string | null {
  if (condition.kind !== 'call' || condition.operator !== '!') return null;
  const [bound] = condition.args;
  if (bound?.kind !== 'call' || bound.operator !== 'bound') return null;
  const [variable] = bound.args;
  return variable?.kind === 'variable' ? variable.name : null;
}

/** The rows of the node that leave the variable unbound; null where that is not told by one OPTIONAL. */
function withoutMatch(node: Algebra, name: string): Algebra | null {
  if (node.kind === 'filter') {
    const input = withoutMatch(node.input, name);
    return input === null ? null : { ...node, input };
  }
  if (node.kind !== 'leftJoin') return null;
  if (scopeOf(node.right).certain.has(name)) return scopeOf(node.left).variables.has(name) ? null : absence(node);
  const mentioned = new Set<string>(node.condition === null ? [] : variablesOf(node.condition));
  collectPatternVariables(node.right, mentioned);
  // What the optional side shares with it must be bound by the rows themselves.
  const { variables, certain } = scopeOf(node.left);
  if (mentioned.has(name) || [...mentioned].some((shared) => variables.has(shared) && !certain.has(shared)))
    return null;
  const left = withoutMatch(node.left, name);
  return left === null ? null : { ...node, left };
}

function absence({ left, right, condition }: NodeOf<'leftJoin'>): Algebra | null {
  const conditions = condition === null ? [] : conjunctsOf(condition);
  const { certain } = scopeOf(right);
  const own = scopeOf(left);
  const isTold = (name: string): boolean =>
    certain.has(name) || (own.variables.has(name) && !scopeOf(right).variables.has(name));
  if (!isPlain(right)) return null;
  if (conditions.some((part) => hasExists(part) || ![...variablesOf(part)].every(isTold))) return null;
  return filtered(left, [{ kind: 'exists', negated: true, pattern: filtered(right, conditions) }]);
}

/** Patterns, joins, and filters that read what these bind. */
export function isPlain(node: Algebra): boolean {
  switch (node.kind) {
    case 'patterns':
    case 'closure':
      return true;
    case 'join':
      return node.inputs.every(isPlain);
    case 'filter': {
      const { certain } = scopeOf(node.input);
      const names = [...variablesOf(node.condition)];
      return !hasExists(node.condition) && names.every((name) => certain.has(name)) && isPlain(node.input);
    }
    default:
      return false;
  }
}

/**
 * What the condition of an OPTIONAL says of the optional side alone becomes a filter inside that side. A
 * pair of rows joins when its values satisfy each part of the condition; a part whose variables the
 * optional side always binds has the same answer for its row alone.
 */
export const filterOptionals: Rewrite = rewriteOf('filter-optionals', (node) => {
  if (node.kind !== 'leftJoin' || node.condition === null) return node;
  const { certain } = scopeOf(node.right);
  const isOwn = (part: Expression): boolean => {
    const names = variablesOf(part);
    return names.size > 0 && !hasExists(part) && [...names].every((name) => certain.has(name));
  };
  const parts = conjunctsOf(node.condition);
  const own = parts.filter(isOwn);
  if (own.length === 0) return node;
  const condition = conjunctionOf(parts.filter((part) => !own.includes(part)));
  return { ...node, right: filtered(node.right, own), condition };
});

/**
 * `OPTIONAL { … ?x … } FILTER(?x = 5)` drops every row without a match, whose ?x is unbound: the OPTIONAL becomes a join, whose
 * parts the planner may read in any order. Sound where the condition is false or an error while the variable is
 * unbound, and nothing beside the optional side binds it.
 */
export const joinOptionals: Rewrite = uncorrelatedRewrite('join-optionals', (node) => {
  if (node.kind !== 'filter') return node;
  let { input } = node;
  for (const name of variablesOf(node.condition))
    if (rejectsUnbound(node.condition, name)) input = requireBound(input, name);
  return input === node.input ? node : { ...node, input };
});

/** Operators that may have a value although an argument is an error. */
const LENIENT: ReadonlySet<string> = new Set(['&&', '||', 'bound', 'if', 'coalesce', 'in', 'notin']);

/** True when the condition surely holds for no row that leaves the variable unbound. */
function rejectsUnbound(condition: Expression, name: string): boolean {
  if (failsUnbound(condition, name)) return true;
  if (condition.kind !== 'call') return false;
  const { operator, args } = condition;
  switch (operator) {
    case '&&':
      return args.some((arg) => rejectsUnbound(arg, name));
    case '||':
      return args.every((arg) => rejectsUnbound(arg, name));
    case 'bound':
      return isVariable(args[0] as Expression, name);
    default:
      return false;
  }
}

/** True when the expression surely is an error while the variable is unbound. */
function failsUnbound(expression: Expression, name: string): boolean {
  if (isVariable(expression, name)) return true;
  if (expression.kind === 'function') return expression.args.some((arg) => failsUnbound(arg, name));
  if (expression.kind !== 'call') return false;
  const { operator, args } = expression;
  if (!LENIENT.has(operator)) return args.some((arg) => failsUnbound(arg, name));
  return (operator === 'in' || operator === 'notin') && failsUnbound(args[0] as Expression, name);
}

function isVariable(expression: Expression, name: string): boolean {
  return expression.kind === 'variable' && expression.name === name;
}

/** The node, perhaps without rows that leave the variable unbound. */
function requireBound(node: Algebra, name: string): Algebra {
  const binds = (part: Algebra): boolean => scopeOf(part).variables.has(name);
  switch (node.kind) {
    case 'leftJoin': {
      if (!binds(node.right)) return withLeft(node, requireBound(node.left, name));
      if (binds(node.left)) return node;
      const joined: Algebra = { kind: 'join', inputs: [node.left, node.right] };
      return node.condition === null ? joined : { kind: 'filter', input: joined, condition: node.condition };
    }
    case 'minus':
      return withLeft(node, requireBound(node.left, name));
    case 'filter':
    case 'extend': {
      if (node.kind === 'extend' && node.variable === name) return node;
      const input = requireBound(node.input, name);
      return input === node.input ? node : { ...node, input };
    }
    case 'join': {
      if (node.inputs.filter(binds).length !== 1) return node;
      const inputs = node.inputs.map((input) => (binds(input) ? requireBound(input, name) : input));
      return inputs.every((input, at) => input === node.inputs[at]) ? node : { ...node, inputs };
    }
    default:
      return node;
  }
}

function withLeft(node: NodeOf<'leftJoin' | 'minus'>, left: Algebra): Algebra {
  return left === node.left ? node : { ...node, left };
}
