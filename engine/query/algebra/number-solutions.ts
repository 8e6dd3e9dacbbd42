/**
 * Gives solutions an identity where BNODE(label) needs one: the same label is the same blank node
 * within a solution, and another in the next. Operators know rows only, so a hidden variable with a
 * fresh blank node is bound before the first of the expressions of a solution, and handed to BNODE as
 * its second argument. Where all labels of a solution are one expression, that node is itself the one of the label.
 */

import { terms, XSD_STRING } from '../../rdf/terms.js';

import { type Algebra, expressionsOf, mapChildren, mapExpressions, type NodeOf } from './algebra.js';
import {
  type CallExpression,
  callOf,
  type Expression,
  isVolatile,
  mapExists,
  mapOperands,
  someExpression,
  variableOf,
} from './expression.js';

type Chained = NodeOf<'extend' | 'filter' | 'sort' | 'slice'>;

/** The whole pattern of a query, once. */
export function numberSolutions(algebra: Algebra): Algebra {
  let taken = 0;
  return number(algebra, () => `_:~solution${++taken}`);
}

type Fresh = () => string;

function number(node: Algebra, fresh: Fresh): Algebra {
  const chain: (Chained | NodeOf<'group'>)[] = [];
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
  const labels = labelsOf(chain.flatMap((link) => expressionsOf(link)));
  const name = labels.length > 0 ? fresh() : null;
  const isOnlyOne = labels.length === 1 && !isVolatile(labels[0] as Expression);
  let input = number(bottom, fresh);
  if (name !== null) {
    input = { kind: 'extend', input, variable: name, expression: callOf('bnode') };
  }
  for (const link of chain.reverse()) {
    const numbered = mapExpressions(link, (expression) => withSolution(expression, name, isOnlyOne)) as typeof link;
    input = numberExists({ ...numbered, input }, fresh);
  }
  return input;
}

function isChained(node: Algebra): node is Chained {
  return node.kind === 'extend' || node.kind === 'filter' || node.kind === 'sort' || node.kind === 'slice';
}

/** Each labelling expression once. */
function labelsOf(expressions: readonly Expression[]): readonly Expression[] {
  const labels = new Map<string, Expression>();
  const visit = (part: Expression): boolean => {
    if (isLabelled(part)) labels.set(JSON.stringify(part.args[0]), part.args[0] as Expression);
    return false;
  };
  for (const expression of expressions) someExpression(expression, visit);
  return [...labels.values()];
}

function isLabelled(expression: Expression): expression is CallExpression {
  return expression.kind === 'call' && expression.operator === 'bnode' && expression.args.length === 1;
}

function withSolution(expression: Expression, name: string | null, isOnlyOne: boolean): Expression {
  if (name === null) return expression;
  const mapped = mapOperands(expression, (operand) => withSolution(operand, name, isOnlyOne));
  if (!isLabelled(mapped)) return mapped;
  const node = variableOf(name);
  return isOnlyOne ? ofString(mapped.args[0] as Expression, node) : { ...mapped, args: [...mapped.args, node] };
}

const STRING: Expression = { kind: 'term', term: terms.namedNode(XSD_STRING) };
const FAILURE = callOf('coalesce');

/** The node where the label is a string; an error elsewhere. */
function ofString(label: Expression, node: Expression): Expression {
  return callOf('if', callOf('=', callOf('datatype', label), STRING), node, FAILURE);
}

/** Patterns of EXISTS have solutions of their own. */
function numberExists(node: Algebra, fresh: Fresh): Algebra {
  return mapExists(node, (pattern) => number(pattern, fresh));
}
