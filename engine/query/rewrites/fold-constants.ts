/**
 * Expressions without variables are evaluated once; a filter that is surely true goes, and one that
 * surely is not true leaves nothing. An expression that is an error stays, and is one in every row.
 */

import { type Algebra, rewriteUp } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { scopeOf } from '../algebra/scope.js';
import { compileScalar, truthOf } from '../expressions/scalar.js';
import type { Rewrite } from './rewrite.js';

export const foldConstants: Rewrite = {
  name: 'fold-constants',
  apply: (algebra) => rewriteUp(algebra, fold),
};

function fold(node: Algebra): Algebra {
  switch (node.kind) {
    case 'extend':
      return { ...node, expression: foldExpression(node.expression) };
    case 'sort':
      return { ...node, keys: node.keys.map((key) => ({ ...key, expression: foldExpression(key.expression) })) };
    case 'filter':
      return foldFilter({ ...node, condition: foldExpression(node.condition) });
    default:
      return node;
  }
}

function foldFilter(node: Extract<Algebra, { kind: 'filter' }>): Algebra {
  if (variablesOf(node.condition).size > 0) return node;
  if (truthOf(evaluate(node.condition)) === true) return node.input;
  return { kind: 'empty', variables: [...scopeOf(node.input).variables] };
}

function foldExpression(expression: Expression): Expression {
  if (expression.kind !== 'call') return expression;
  const folded: Expression = { ...expression, args: expression.args.map(foldExpression) };
  if (variablesOf(folded).size > 0) return folded;
  const operand = evaluate(folded);
  return operand === null ? folded : { kind: 'term', term: operand.term };
}

function evaluate(expression: Expression) {
  return compileScalar(expression, () => () => null)(0);
}
