/**
 * ASK queries that are answered by a few lookups, without a plan: what a policy claims about a node is asked once for each
 * node that a write touches, in a state that is gone right after. Which queries can be asked so is told by their form:
 *
 *  1. Triple patterns, those of GRAPH among them, and paths of any length of the default graph, joined, united, optional, taken away, with values,
 *     conditions on values and on whether others exist or not, subqueries, groups and their aggregates.
 *  2. Not what leaves a choice to whoever answers (LIMIT, SAMPLE, GROUP_CONCAT, RAND), nor paths and groups without patterns in GRAPH,
 *     nor SERVICE.
 *
 * The work is bounded (`search.ts`): a question that looks at more rows is left to the planner, too, which knows better ways.
 */

import type { TermId } from '../../storage/ids/layout.js';
import type { Aggregate, Algebra, Expression, ParsedQuery } from '../algebra/algebra.js';
import { conjunctsOf, isRepeatable } from '../algebra/expression.js';
import { asTooDeep } from '../parse/guard.js';
import type { Conditions } from './conditions.js';
import type { Lookups } from './lookups.js';
import { Search, TOO_MUCH } from './search.js';

/** Whether a query can be asked so. */
export function isDirect({ form, dataset, algebra }: ParsedQuery): boolean {
  return form === 'ask' && dataset === null && isSimple(algebra);
}

function isSimple(node: Algebra): boolean {
  switch (node.kind) {
    case 'unit':
    case 'empty':
    case 'values':
      return true;
    case 'patterns':
      return true;
    case 'closure':
      return node.g === null;
    case 'join':
    case 'union':
      return node.inputs.every(isSimple);
    case 'filter':
      return isSimple(node.input) && conjunctsOf(node.condition).every(isDecidable);
    case 'leftJoin':
      return isSimple(node.left) && isSimple(node.right) && conditionsOf(node.condition).every(isDecidable);
    case 'minus':
      return isSimple(node.left) && isSimple(node.right);
    case 'extend':
      return isSimple(node.input) && isRepeatable(node.expression);
    case 'group':
      return isSimple(node.input) && node.aggregates.every(isSettled);
    case 'project':
    case 'reduced':
    case 'sort':
      return isSimple(node.input);
    case 'distinct':
      return node.input.kind === 'project' && isSimple(node.input);
    default:
      return false;
  }
}

const conditionsOf = (condition: Expression | null): Expression[] => (condition === null ? [] : conjunctsOf(condition));

const isDecidable = (condition: Expression): boolean =>
  condition.kind === 'exists' ? isSubstitutable(condition.pattern, true) : isRepeatable(condition);

/**
 * Whether a pattern of EXISTS, with the values of a solution in the places of its variables, is what is found by looking it up
 * with these bound. `isFirst`: nothing of the pattern itself is bound yet.
 */
function isSubstitutable(node: Algebra, isFirst: boolean): boolean {
  switch (node.kind) {
    case 'unit':
      return true;
    case 'patterns':
      // A value in the place of the variable of GRAPH may name a graph over which the variable does not range.
      return node.patterns.every(({ g }) => g?.kind !== 'variable');
    case 'join':
      return node.inputs.every((input, at) => isSubstitutable(input, isFirst && at === 0));
    case 'union':
      return node.inputs.every((input) => isSubstitutable(input, isFirst));
    case 'filter':
      return isFirst && isSubstitutable(node.input, true) && conjunctsOf(node.condition).every(isDecidable);
    default:
      return false;
  }
}

/** Whatever the sequence of its rows, it is the same. */
function isSettled({ function: name, distinct, expression }: Aggregate): boolean {
  if (name === 'sample' || name === 'group_concat') return false;
  return expression === null ? !distinct : isRepeatable(expression);
}

/** Whether the query is true with a term for a variable; null: it has to be planned. */
export function askDirectly(
  { algebra }: ParsedQuery,
  { variable, id }: { readonly variable: string; readonly id: TermId | null },
  lookups: Lookups,
  conditions: Conditions,
): boolean | null {
  try {
    return new Search({ variable, id }, lookups, conditions).exists(algebra);
  } catch (error) {
    if (error === TOO_MUCH) return null;
    throw asTooDeep(error);
  } finally {
    conditions.forget();
  }
}
