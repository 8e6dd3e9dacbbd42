/**
 * `FILTER(LCASE(?a) = STR(?b))` between parts that share no variable joins them by the text: each part gets the text as a
 * variable, in place of all pairs being compared. Sound where `=` is true of the same terms only, which it is as soon as one
 * side is a string or an IRI that a function makes; rows for which the function is an error go.
 */

import { type Algebra, filtered } from '../algebra/algebra.js';
import { callOf, type Expression, formatExpression, isRepeatable, variableOf } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { scopeOf } from '../algebra/scope.js';
import { joinOf } from './normalise-joins.js';
import { connected, partsOf } from './push-joins.js';
import { type Rewrite, uncorrelatedRewrite } from './rewrite.js';

export const joinTexts: Rewrite = uncorrelatedRewrite('join-texts', joinText);

/** Functions whose values are strings, with a language or without, and IRIs. */
const TEXTS =
  /^(str|lcase|ucase|concat|substr|strbefore|strafter|replace|encode_for_uri|lang|datatype|iri|md5|sha(1|256|384|512))$/;

function joinText(node: Algebra): Algebra {
  if (node.kind !== 'filter') return node;
  const { condition } = node;
  if (condition.kind !== 'call' || condition.operator !== '=' || !isRepeatable(condition)) return node;
  const [first, second] = condition.args as [Expression, Expression];
  if (!isText(first) && !isText(second)) return node;
  if (![first, second].every((side) => isText(side) || side.kind === 'variable')) return node;
  return joined(node.input, first, second) ?? node;
}

function isText(expression: Expression): boolean {
  return expression.kind === 'call' && TEXTS.test(expression.operator);
}

/** The parts of the node joined by the two texts, below its filters; null where they are connected otherwise. */
function joined(node: Algebra, first: Expression, second: Expression): Algebra | null {
  if (node.kind === 'filter') {
    const input = joined(node.input, first, second);
    return input === null ? null : { ...node, input };
  }
  const parts = partsOf(node);
  const one = connected(variablesOf(first), parts);
  const apart = parts.filter((part) => !one.has(part));
  const other = connected(variablesOf(second), apart);
  if (!makes(one, first) || !makes(other, second)) return null;
  const key = second.kind === 'variable' ? second.name : first.kind === 'variable' ? first.name : keyOf(first, second);
  const rest = apart.filter((part) => !other.has(part));
  return {
    kind: 'join',
    inputs: [withText(joinOf([...one]), key, first), withText(joinOf([...other]), key, second), ...rest],
  };
}

/** A variable that no query can name. Once two parts are joined by it they are connected, so that no two have the same name. */
function keyOf(first: Expression, second: Expression): string {
  return `_:~${formatExpression(first)} = ${formatExpression(second)}`;
}

function withText(input: Algebra, variable: string, expression: Expression): Algebra {
  if (expression.kind === 'variable' && expression.name === variable) return input;
  return filtered({ kind: 'extend', input, variable, expression }, [callOf('bound', variableOf(variable))]);
}

function makes(parts: ReadonlySet<Algebra>, expression: Expression): boolean {
  const names = [...variablesOf(expression)];
  return names.length > 0 && names.every((name) => [...parts].some((part) => scopeOf(part).certain.has(name)));
}
