/**
 * Replaces variables by terms at every depth, those that a subquery or GRAPH hides under another name
 * included. What was a column is none any more: VALUES keeps the rows that agree with the term,
 * projections and groups lose it. A variable that the text itself assigns can not be replaced.
 */

import { SvcError } from '../../base/errors.js';
import { type Term, terms, XSD } from '../../rdf/terms.js';
import {
  type Algebra,
  mapChildren,
  mapExpressions,
  mapPatternTerms,
  type NodeOf,
  type PatternTerm,
} from '../algebra/algebra.js';
import { type Expression, mapOperands } from '../algebra/expression.js';

type Values = ReadonlyMap<string, Term>;

const TRUE: Expression = { kind: 'term', term: terms.literal('true', terms.namedNode(`${XSD}boolean`)) };

/** Subqueries give the variables that they hide names of their own: `name~1`. */
export function nameInText(name: string): string {
  return name.replace(/~\d+$/, '');
}

export function substituteParameters(node: Algebra, values: Values): Algebra {
  const inner = mapChildren(node, (child) => substituteParameters(child, values));
  const replaced = replaceOwn(inner, values);
  return mapExpressions(replaced, (expression) => inExpression(expression, values));
}

function givenFor(name: string, values: Values): Term | undefined {
  return values.get(nameInText(name));
}

function replaceOwn(given: Algebra, values: Values): Algebra {
  const node = mapPatternTerms(given, (term) => placed(term, values));
  const others = (names: readonly string[]): string[] => names.filter((name) => givenFor(name, values) === undefined);
  switch (node.kind) {
    case 'eachGraph': {
      const term = givenFor(node.variable, values);
      if (term === undefined) return node;
      return { kind: 'join', inputs: [{ kind: 'graphs', name: { kind: 'term', term } }, node.input] };
    }
    case 'values':
      return inValues(node, values);
    case 'empty':
    case 'project':
      return { ...node, variables: others(node.variables) };
    case 'extend':
      refuseAssigned([node.variable], values);
      return node;
    case 'group':
      return inGroup(node, values);
    case 'service':
      return inService(node, values);
    default:
      return node;
  }
}

function placed(position: PatternTerm, values: Values): PatternTerm {
  const term = position.kind === 'variable' ? givenFor(position.name, values) : undefined;
  return term === undefined ? position : { kind: 'term', term };
}

function inExpression(expression: Expression, values: Values): Expression {
  if (expression.kind === 'variable') return placed(expression, values);
  if (expression.kind === 'exists') {
    return { ...expression, pattern: substituteParameters(expression.pattern, values) };
  }
  if (expression.kind === 'call' && expression.operator === 'bound') {
    const [variable] = expression.args;
    return variable?.kind === 'variable' && givenFor(variable.name, values) !== undefined ? TRUE : expression;
  }
  return mapOperands(expression, (operand) => inExpression(operand, values));
}

function inValues(node: NodeOf<'values'>, values: Values): Algebra {
  const wanted = node.variables.map((name) => givenFor(name, values));
  if (wanted.every((term) => term === undefined)) return node;
  const isOther = (_: unknown, column: number): boolean => wanted[column] === undefined;
  const rows = node.rows.filter((row) =>
    row.every((term, column) => term === null || (wanted[column]?.equals(term) ?? true)),
  );
  return { ...node, variables: node.variables.filter(isOther), rows: rows.map((row) => row.filter(isOther)) };
}

/** Without its last key a group would be one group even of no solutions, so it keeps a key that is constant. */
function inGroup(node: NodeOf<'group'>, values: Values): Algebra {
  refuseAssigned(
    node.aggregates.map(({ variable }) => variable),
    values,
  );
  const keys = node.keys.filter((key) => givenFor(key, values) === undefined);
  if (keys.length > 0 || node.keys.length === 0) return { ...node, keys };
  const variable = `_:group ${node.keys[0]}`;
  const input: Algebra = { kind: 'extend', input: node.input, variable, expression: TRUE };
  return { ...node, input, keys: [variable] };
}

/** The other endpoint gets the term as a binding. */
function inService(node: NodeOf<'service'>, values: Values): Algebra {
  const variables = node.variables.filter((name) => givenFor(name, values) !== undefined);
  const mentioned = [...values.keys()].filter((name) => mentions(node.query, name));
  const hidden = mentioned.find((name) => !variables.some((variable) => nameInText(variable) === name));
  if (hidden !== undefined) {
    throw new SvcError(
      'unsupported',
      `the parameter '${hidden}' stands inside of SERVICE where no pattern binds ?${hidden}`,
      {
        hint: `bind it outside: BIND(?${hidden} AS ?other), and use ?other in a pattern`,
      },
    );
  }
  if (variables.length === 0) return node;
  const row = variables.map((name) => givenFor(name, values) as Term);
  return {
    kind: 'project',
    input: { kind: 'join', inputs: [{ kind: 'values', variables, rows: [row] }, node] },
    variables: node.variables.filter((name) => !variables.includes(name)),
  };
}

function mentions(query: string, name: string): boolean {
  return new RegExp(`[?$]${name}(?![\\p{L}\\p{N}\\p{M}_\\u00b7\\u203f\\u2040])`, 'u').test(query);
}

function refuseAssigned(names: readonly string[], values: Values): void {
  const assigned = names.find((name) => givenFor(name, values) !== undefined);
  if (assigned === undefined) return;
  const name = nameInText(assigned);
  throw new SvcError('invalid_request', `the parameter '${name}' can't be given: the text itself assigns ?${name}`, {
    hint: 'give the parameter another name than that of a variable after AS',
  });
}
