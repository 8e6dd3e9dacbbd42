/**
 * `OPTIONAL { … ?x … } FILTER(!BOUND(?x))` asks for rows without a match: a NOT EXISTS, which ends at the first match of a row
 * and makes no rows of the others. Sound where every match binds ?x, nothing else binds it, and the optional side means the
 * same with the values of the row in it: patterns, joins and filters of their own variables.
 *
 * Inside EXISTS the row that is asked for may bind the variable: there all stays.
 */

import type { Algebra } from '../algebra/algebra.js';
import { rewriteUp } from '../algebra/algebra.js';
import { type Expression, hasExists } from '../algebra/expression.js';
import { collectPatternVariables, variablesOf } from '../algebra/mentioned.js';
import { scopeOf } from '../algebra/scope.js';
import type { Rewrite } from './rewrite.js';
import { conjunctsOf } from './split-filters.js';

type LeftJoin = Extract<Algebra, { kind: 'leftJoin' }>;

export const absentOptionals: Rewrite = {
  name: 'absent-optionals',
  apply: (algebra, { correlated }) => (correlated === true ? algebra : rewriteUp(algebra, absentOptional)),
};

function absentOptional(node: Algebra): Algebra {
  if (node.kind !== 'filter') return node;
  let { input } = node;
  const left = conjunctsOf(node.condition).filter((condition) => {
    const name = unboundOf(condition);
    const without = name === null ? null : withoutMatch(input, name);
    if (without !== null) input = without;
    return without === null;
  });
  if (input === node.input) return node;
  return left.reduceRight<Algebra>((inner, condition) => ({ kind: 'filter', input: inner, condition }), input);
}

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

function absence({ left, right, condition }: LeftJoin): Algebra | null {
  const conditions = condition === null ? [] : conjunctsOf(condition);
  const { certain } = scopeOf(right);
  const own = scopeOf(left);
  const isTold = (name: string): boolean =>
    certain.has(name) || (own.variables.has(name) && !scopeOf(right).variables.has(name));
  if (!isPlain(right)) return null;
  if (conditions.some((part) => hasExists(part) || ![...variablesOf(part)].every(isTold))) return null;
  const pattern = conditions.reduceRight<Algebra>((input, part) => ({ kind: 'filter', input, condition: part }), right);
  return { kind: 'filter', input: left, condition: { kind: 'exists', negated: true, pattern } };
}

/** Patterns, joins, and filters that read what these bind. */
function isPlain(node: Algebra): boolean {
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
