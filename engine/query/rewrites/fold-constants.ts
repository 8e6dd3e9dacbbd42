/**
 * Expressions without variables are evaluated once; a filter that is surely true goes, and one that
 * surely is not true leaves nothing. An expression that is an error stays, and is one in every row; so does
 * one that takes long, since nothing looks at the deadline here.
 */

import type { Algebra, NodeOf } from '../algebra/algebra.js';
import { type Expression, someExpression, VOLATILE } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { scopeOf } from '../algebra/scope.js';
import { castFunction } from '../expressions/functions/casts.js';
import { compileScalar, truthOf } from '../expressions/scalar.js';
import { QueryScope } from '../terms/query-scope.js';
import { type Rewrite, rewriteOf } from './rewrite.js';

export const foldConstants: Rewrite = rewriteOf('fold-constants', fold);

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

function foldFilter(node: NodeOf<'filter'>): Algebra {
  if (!isConstant(node.condition)) return node;
  if (truthOf(evaluate(node.condition)) === true) return node.input;
  return { kind: 'empty', variables: [...scopeOf(node.input).variables] };
}

function foldExpression(expression: Expression): Expression {
  if (!('args' in expression)) return expression;
  const folded: Expression = { ...expression, args: expression.args.map(foldExpression) };
  if (!isConstant(folded)) return folded;
  const operand = evaluate(folded);
  return operand === null ? folded : { kind: 'term', term: operand.term };
}

/** Nothing in it depends on the row, the query or the call. */
function isConstant(expression: Expression): boolean {
  if (variablesOf(expression).size > 0) return false;
  return !someExpression(
    expression,
    (part) =>
      part.kind === 'exists' ||
      // Functions that are not known stay, and are refused when the query is run.
      (part.kind === 'function' && castFunction(part.iri) === null) ||
      (part.kind === 'call' && (VOLATILE.has(part.operator) || OF_THE_QUERY.has(part.operator))),
  );
}

/** Functions that know when the query began. */
const OF_THE_QUERY: ReadonlySet<string> = new Set(['now']);

class TakesLong extends Error {}

function evaluate(expression: Expression) {
  const scope = new QueryScope();
  scope.watch(() => {
    throw new TakesLong();
  });
  try {
    return compileScalar(expression, () => () => null, scope)(0);
  } catch (error) {
    if (error instanceof TakesLong) return null;
    throw error;
  }
}
