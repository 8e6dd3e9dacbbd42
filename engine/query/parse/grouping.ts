/**
 * What a query with groups may select (SPARQL 1.1, 11.4): keys of GROUP BY, aggregates, and expressions of these
 * and of names that stand before them in the list. An aggregate anywhere makes a group of all rows, in HAVING
 * and ORDER BY too. The parser looks at a part of the cases only.
 */

import { SvcError } from '../../base/errors.js';
import type { Algebra, NodeOf } from '../algebra/algebra.js';
import { type Expression, someExpression } from '../algebra/expression.js';
import { scopeOf } from '../algebra/scope.js';
import { findVariable, positionAt } from './position.js';

/** `input` is what the projection of `names` stands on; nothing happens where it has no groups. */
export function refuseUngrouped(names: readonly string[], input: Algebra, text: string): void {
  const selected: NodeOf<'extend'>[] = [];
  let node = input;
  while (node.kind === 'sort' || node.kind === 'extend' || node.kind === 'filter') {
    if (node.kind === 'extend') selected.push(node);
    node = node.input;
  }
  if (node.kind !== 'group') return;
  for (const extend of selected) refuseUnknown(extend.expression, extend.input, text);
  const { variables } = scopeOf(input);
  const ungrouped = names.find((name) => !variables.has(name));
  if (ungrouped !== undefined) throw ungroupedError(ungrouped, text);
}

/** Patterns of EXISTS have variables of their own. */
function refuseUnknown(expression: Expression, input: Algebra, text: string): void {
  const { variables } = scopeOf(input);
  someExpression(expression, (part) => {
    if (part.kind === 'variable' && !variables.has(part.name)) throw ungroupedError(part.name, text);
    return false;
  });
}

export function ungroupedError(name: string, text: string): SvcError {
  const at = findVariable(text, name);
  return new SvcError('parse_error', `the variable ?${name} is selected but neither grouped nor aggregated`, {
    ...(at === null ? {} : { position: positionAt(text, at) }),
    hint: 'put it into GROUP BY or an aggregate; a grouped expression is selected by a name: GROUP BY (… AS ?name)',
  });
}
