/**
 * A query for many rows of terms at once: variables of the text stand for the terms of each row, as if they had been
 * replaced (`bind.ts`) and the query asked once for each. The rows are joined into every group whose conditions read the
 * variables, where they are bound then as a replaced variable is.
 *
 * That does not hold for every query. What looks at all solutions together (LIMIT, groups, subqueries), and paths of
 * length zero, which begin at any term that is given but of themselves only at what the data has, is left to be asked row by row.
 */
import type { Term } from '../../rdf/terms.js';
import { type Algebra, expressionsOf, type NodeOf, type ParsedQuery } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';
import { someNode, someNodeIn, variablesOf } from '../algebra/mentioned.js';

type Values = NodeOf<'values'>;

/**
 * The query for all rows: a SELECT whose variables are those of the query and `names`. Of ASK it gives the rows for which
 * the answer is true, each once. Null where rows have to be asked for one by one.
 */
export function bindEach(
  query: ParsedQuery,
  names: readonly string[],
  rows: readonly (readonly Term[])[],
): ParsedQuery | null {
  const values: Values = { kind: 'values', variables: names, rows };
  if (query.form === 'ask') {
    const input = join(query.algebra, values);
    if (input === null) return null;
    const algebra: Algebra = { kind: 'distinct', input: { kind: 'project', input, variables: names } };
    return { ...query, form: 'select', variables: names, algebra };
  }
  if (query.form !== 'select') return null;
  const variables = [...query.variables, ...names.filter((name) => !query.variables.includes(name))];
  const algebra = joinOuter(query.algebra, values, variables);
  return algebra === null ? null : { ...query, variables, algebra };
}

/** Down to the projection of the query itself. */
function joinOuter(node: Algebra, values: Values, variables: readonly string[]): Algebra | null {
  if (node.kind !== 'distinct' && node.kind !== 'reduced' && node.kind !== 'project') return null;
  const { input } = node;
  // The sequence of solutions says nothing here.
  const below = node.kind === 'project' && input.kind === 'sort' ? input.input : input;
  const inner = node.kind === 'project' ? join(below, values) : joinOuter(below, values, variables);
  if (inner === null) return null;
  return node.kind === 'project' ? { ...node, input: inner, variables } : { ...node, input: inner };
}

function join(node: Algebra, values: Values): Algebra | null {
  switch (node.kind) {
    case 'unit':
      return values;
    case 'patterns':
    case 'graphs':
    case 'instances':
      return { kind: 'join', inputs: [values, node] };
    case 'closure':
      return node.min === 0 ? null : { kind: 'join', inputs: [values, node] };
    case 'join':
    case 'union': {
      const isUnion = node.kind === 'union';
      const inputs = node.inputs.map((input, at) => joinSide(input, values, isUnion || at === 0));
      return inputs.every((input) => input !== null) ? { ...node, inputs } : null;
    }
    case 'leftJoin': {
      if (node.condition !== null && hasPathOfNoLength(node.condition)) return null;
      const left = join(node.left, values);
      const right = joinSide(node.right, values, false);
      return left === null || right === null ? null : { ...node, left, right };
    }
    case 'filter':
    case 'extend': {
      if (hasPathOfNoLength(node.kind === 'filter' ? node.condition : node.expression)) return null;
      const input = join(node.input, values);
      return input === null ? null : { ...node, input };
    }
    default:
      return null;
  }
}

/** One side of several: the rows have to be there where its conditions read them. */
function joinSide(node: Algebra, values: Values, always: boolean): Algebra | null {
  const joined = join(node, values);
  return joined === null || always || readsOf(node, values.variables) ? joined : node;
}

function readsOf(pattern: Algebra, names: readonly string[]): boolean {
  const reads = (expression: Expression): boolean => names.some((name) => variablesOf(expression).has(name));
  return someNode(pattern, (node) => expressionsOf(node).some(reads));
}

function hasPathOfNoLength(expression: Expression): boolean {
  return someNodeIn(expression, (node) => node.kind === 'closure' && node.min === 0);
}
