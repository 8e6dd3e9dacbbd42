/**
 * Gives solutions an identity where BNODE(label) needs one: the same label is the same blank node
 * within a solution, and another in the next. Operators know rows only, so a hidden variable with a
 * fresh blank node is bound before the first of the expressions of a solution, and handed to BNODE as
 * its second argument.
 */

import { type Algebra, expressionsOf, mapChildren, mapExpressions } from './algebra.js';
import { type Expression, mapOperands, someExpression } from './expression.js';

type Chained = Extract<Algebra, { kind: 'extend' | 'filter' | 'sort' | 'slice' }>;

/** The whole pattern of a query, once. */
export function numberSolutions(algebra: Algebra): Algebra {
  let taken = 0;
  return number(algebra, () => `_:~solution${++taken}`);
}

type Fresh = () => string;

function number(node: Algebra, fresh: Fresh): Algebra {
  const chain: (Chained | Extract<Algebra, { kind: 'group' }>)[] = [];
  let bottom = node;
  // The expressions of these are about one solution; those of a group about the ones it is made of.
  while (isChained(bottom)) {
    chain.push(bottom);
    bottom = bottom.input;
  }
  if (chain.length === 0 && bottom.kind === 'group') {
    chain.push(bottom);
    bottom = bottom.input;
  }
  if (chain.length === 0) return mapChildren(numberExists(node, fresh), (child) => number(child, fresh));
  const labelled = chain.some((link) =>
    expressionsOf(link).some((expression) => someExpression(expression, isLabelled)),
  );
  const name = labelled ? fresh() : null;
  let input = number(bottom, fresh);
  if (name !== null) {
    input = { kind: 'extend', input, variable: name, expression: { kind: 'call', operator: 'bnode', args: [] } };
  }
  for (const link of chain.reverse()) {
    const numbered = mapExpressions(link, (expression) => withSolution(expression, name)) as typeof link;
    input = numberExists({ ...numbered, input }, fresh);
  }
  return input;
}

function isChained(node: Algebra): node is Chained {
  return node.kind === 'extend' || node.kind === 'filter' || node.kind === 'sort' || node.kind === 'slice';
}

function isLabelled(expression: Expression): boolean {
  return expression.kind === 'call' && expression.operator === 'bnode' && expression.args.length === 1;
}

function withSolution(expression: Expression, name: string | null): Expression {
  if (name === null) return expression;
  const mapped = mapOperands(expression, (operand) => withSolution(operand, name));
  if (mapped.kind !== 'call' || !isLabelled(mapped)) return mapped;
  return { ...mapped, args: [...mapped.args, { kind: 'variable', name }] };
}

/** Patterns of EXISTS have solutions of their own. */
function numberExists(node: Algebra, fresh: Fresh): Algebra {
  const enter = (expression: Expression): Expression =>
    expression.kind === 'exists'
      ? { ...expression, pattern: number(expression.pattern, fresh) }
      : mapOperands(expression, enter);
  return mapExpressions(node, enter);
}
