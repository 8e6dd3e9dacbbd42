/**
 * `FILTER(sameTerm(?a, ?b))` says that two variables are one, and so does `FILTER(?a = ?b)` where one of them is a subject or a
 * predicate, since IRIs and blank nodes are equal to themselves alone: one name stands for both in the patterns, so that they are joined by it, and the other
 * is bound again above them. Sound where the group surely binds both, and each part has either both in patterns alone, or one of them:
 * there another name changes nothing.
 */

import { type Algebra, filtered, namesOf, unfiltered } from '../algebra/algebra.js';
import { type Expression, hasExists, variableOf } from '../algebra/expression.js';
import { collectPatternVariables, someNode } from '../algebra/mentioned.js';
import { renameVariables } from '../algebra/rename.js';
import { scopeOf } from '../algebra/scope.js';
import { joinOf } from './normalise-joins.js';
import { type Rewrite, uncorrelatedRewrite } from './rewrite.js';

export const unifyVariables: Rewrite = uncorrelatedRewrite('unify-variables', unify);

function unify(node: Algebra): Algebra {
  if (node.kind !== 'filter') return node;
  const names = comparedNames(node.condition);
  const { input, conditions } = unfiltered(node.input);
  if (names === null || (input.kind !== 'patterns' && input.kind !== 'join') || conditions.some(hasExists)) return node;
  const [kept, gone] = names;
  const parts = input.kind === 'join' ? input.inputs : [input];
  const bySameTerm = node.condition.kind === 'call' && node.condition.operator === 'sameterm';
  if (!bySameTerm && !names.some((name) => parts.some((part) => isResource(part, name)))) return node;
  if (!names.every((name) => parts.some((part) => scopeOf(part).certain.has(name)))) return node;
  if (!parts.every((part) => takesOneName(part, kept, gone))) return node;
  const renamed = renameVariables(filtered(joinOf(parts), conditions), new Map([[gone, kept]]));
  return { kind: 'extend', input: renamed, variable: gone, expression: variableOf(kept) };
}

function comparedNames(condition: Expression): readonly [string, string] | null {
  if (condition.kind !== 'call' || (condition.operator !== '=' && condition.operator !== 'sameterm')) return null;
  const [first, second] = condition.args as [Expression, Expression];
  if (first.kind !== 'variable' || second.kind !== 'variable' || first.name === second.name) return null;
  return [first.name, second.name];
}

/** Every row of the part binds the variable to an IRI or a blank node. */
function isResource(part: Algebra, name: string): boolean {
  return part.kind === 'patterns' && part.patterns.some(({ s, p }) => namesOf([s, p]).includes(name));
}

function takesOneName(part: Algebra, kept: string, gone: string): boolean {
  const mentioned = new Set<string>();
  collectPatternVariables(part, mentioned);
  if (!mentioned.has(gone)) return true;
  const { variables, certain } = scopeOf(part);
  if (variables.has(gone) && !certain.has(gone)) return false;
  if (mentioned.has(kept) && part.kind !== 'patterns') return false;
  // What names a graph ranges over other graphs than a constant does; functions and endpoints know their variables by name.
  return !someNode(part, (inner) => {
    if (/^(service|tableFunction|graphs|eachGraph)$/.test(inner.kind)) return true;
    const graphs =
      inner.kind === 'patterns' ? inner.patterns.map(({ g }) => g) : inner.kind === 'closure' ? [inner.g] : [];
    return namesOf(graphs).some((name) => name === kept || name === gone);
  });
}
