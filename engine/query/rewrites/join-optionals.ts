/**
 * `OPTIONAL { … ?x … } FILTER(?x = 5)` drops every row without a match, whose ?x is unbound: the OPTIONAL becomes a join, whose
 * parts the planner may read in any order. Sound where the condition is false or an error while the variable is
 * unbound, and nothing beside the optional side binds it.
 *
 * Inside EXISTS the row that is asked for may bind the variable: there all stays.
 */

import type { Algebra } from '../algebra/algebra.js';
import { rewriteUp } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { scopeOf } from '../algebra/scope.js';
import type { Rewrite } from './rewrite.js';

export const joinOptionals: Rewrite = {
  name: 'join-optionals',
  apply: (algebra, { correlated }) => (correlated === true ? algebra : rewriteUp(algebra, joinOptional)),
};

/** Operators that may have a value although an argument is an error. */
const LENIENT: ReadonlySet<string> = new Set(['&&', '||', 'bound', 'if', 'coalesce', 'in', 'notin']);

function joinOptional(node: Algebra): Algebra {
  if (node.kind !== 'filter') return node;
  let { input } = node;
  for (const name of variablesOf(node.condition))
    if (rejectsUnbound(node.condition, name)) input = requireBound(input, name);
  return input === node.input ? node : { ...node, input };
}

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

function withLeft(node: Extract<Algebra, { kind: 'leftJoin' | 'minus' }>, left: Algebra): Algebra {
  return left === node.left ? node : { ...node, left };
}
