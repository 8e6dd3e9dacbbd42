/**
 * Traqula's algebra to ours. GRAPH is pushed into the patterns on the way, so that a pattern knows
 * which graphs it reads; a group under GRAPH that has no pattern of its own is joined with the graphs
 * that exist. As in most engines, ?g of `GRAPH ?g { … }` is visible to the filters inside the braces.
 */

import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import type { Aggregate, Algebra, ParsedQuery, PatternTerm, QuadPattern, SortKey } from '../algebra/algebra.js';
import { scopeOf } from '../algebra/scope.js';
import { hasVariable, translateExpression } from './translate-expression.js';
import type { TraqulaAlgebra } from './traqula.js';
import { UNSUPPORTED_NODES, unsupported } from './unsupported.js';

type Operation = TraqulaAlgebra.Operation;
type GraphScope = PatternTerm | null;

/** The whole query: modifiers at the top, then the pattern. */
export function translateQuery(operation: Operation, star: boolean): ParsedQuery {
  if (operation.type === 'from') {
    const parsed = translateQuery(operation.input, star);
    const dataset = {
      defaultGraphs: operation.default.map((name) => name.value),
      namedGraphs: operation.named.map((name) => name.value),
    };
    return { ...parsed, dataset };
  }
  if (containsNode(operation, 'ask')) {
    return {
      form: 'ask',
      variables: [],
      algebra: translateModifiers(operation, false),
      dataset: null,
      template: [],
      described: [],
    };
  }
  const algebra = translateModifiers(operation, star);
  return { form: 'select', variables: projectionOf(algebra), algebra, dataset: null, template: [], described: [] };
}

/** True when the node stands at the top, below slices only. */
function containsNode(operation: Operation, type: string): boolean {
  if (operation.type === type) return true;
  return operation.type === 'slice' && containsNode(operation.input, type);
}

function translateModifiers(operation: Operation, star: boolean): Algebra {
  switch (operation.type) {
    case 'slice': {
      const input = translateModifiers(operation.input, star);
      return { kind: 'slice', input, offset: operation.start, limit: operation.length ?? null };
    }
    case 'distinct':
      return { kind: 'distinct', input: translateModifiers(operation.input, star) };
    case 'reduced':
      return { kind: 'reduced', input: translateModifiers(operation.input, star) };
    case 'ask':
      return translatePattern(operation.input, null);
    case 'project': {
      const input = translatePattern(operation.input, null);
      const names = operation.variables.map((variable) => variable.value);
      refuseUngrouped(names, input);
      return { kind: 'project', input, variables: star ? inTextOrder(names, input) : names };
    }
    default:
      throw unsupported(UNSUPPORTED_NODES[operation.type] ?? operation.type.toUpperCase());
  }
}

/** An aggregate in HAVING alone makes a group too, which the parser does not see in the projection. */
function refuseUngrouped(names: readonly string[], input: Algebra): void {
  let node = input;
  while (node.kind === 'sort' || node.kind === 'extend' || node.kind === 'filter') node = node.input;
  if (node.kind !== 'group') return;
  const { variables } = scopeOf(input);
  const ungrouped = names.find((name) => !variables.has(name));
  if (ungrouped === undefined) return;
  throw new SvcError('parse_error', `the variable ?${ungrouped} is selected but neither grouped nor aggregated`);
}

/** The parser sorts the variables of `SELECT *` by name; people expect the order of the text. */
function inTextOrder(names: readonly string[], input: Algebra): string[] {
  const found = [...scopeOf(input).variables].filter((name) => names.includes(name));
  return [...found, ...names.filter((name) => !found.includes(name))];
}

function projectionOf(algebra: Algebra): readonly string[] {
  if (algebra.kind === 'project') return algebra.variables;
  if ('input' in algebra) return projectionOf(algebra.input);
  throw new SvcError('internal', 'a SELECT query has no projection');
}

function translatePattern(operation: Operation, graph: GraphScope): Algebra {
  switch (operation.type) {
    case 'bgp':
      if (operation.patterns.length === 0) return { kind: 'unit' };
      return { kind: 'patterns', patterns: operation.patterns.map((pattern) => translateTriple(pattern, graph)) };
    case 'join':
      return { kind: 'join', inputs: operation.input.map((input) => translatePattern(input, graph)) };
    case 'graph':
      return translateGraph(operation);
    case 'filter': {
      const condition = translateExpression(operation.expression);
      return { kind: 'filter', input: translatePattern(operation.input, graph), condition };
    }
    case 'extend':
      return translateExtend(operation, graph);
    case 'values':
      return translateValues(operation);
    case 'group':
      return translateGroup(operation, graph);
    case 'orderby':
      return {
        kind: 'sort',
        input: translatePattern(operation.input, graph),
        keys: operation.expressions.map(translateSortKey),
        limit: null,
      };
    default:
      throw unsupported(UNSUPPORTED_NODES[operation.type] ?? operation.type.toUpperCase());
  }
}

function translateExtend(operation: TraqulaAlgebra.Extend, graph: GraphScope): Algebra {
  const variable = operation.variable.value;
  const input = translatePattern(operation.input, graph);
  if (scopeOf(input).variables.has(variable)) {
    throw new SvcError('parse_error', `the variable ?${variable} is already in use where AS ?${variable} binds it`);
  }
  return { kind: 'extend', input, variable, expression: translateExpression(operation.expression) };
}

function translateGraph(operation: TraqulaAlgebra.Graph): Algebra {
  const name = patternTerm(operation.name as Term);
  const inner = translatePattern(operation.input, name);
  if (readsGraph(inner, name)) return inner;
  return { kind: 'join', inputs: [{ kind: 'graphs', name }, inner] };
}

/** True when every solution of the node comes from a pattern that is bound to this graph. */
function readsGraph(node: Algebra, name: PatternTerm): boolean {
  switch (node.kind) {
    case 'patterns':
      return node.patterns.some((pattern) => pattern.g === name);
    case 'join':
      return node.inputs.some((input) => readsGraph(input, name));
    case 'filter':
    case 'extend':
      return readsGraph(node.input, name);
    default:
      return false;
  }
}

function translateTriple(pattern: TraqulaAlgebra.Pattern, graph: GraphScope): QuadPattern {
  return {
    s: patternTerm(pattern.subject as Term),
    p: patternTerm(pattern.predicate as Term),
    o: patternTerm(pattern.object as Term),
    g: graph,
  };
}

function patternTerm(term: Term): PatternTerm {
  if (term.termType === 'Variable') return { kind: 'variable', name: term.value };
  if (term.termType === 'BlankNode') return { kind: 'variable', name: `_:${term.value}` };
  if (term.termType === 'Quad' && hasVariable(term)) throw unsupported('a triple term with variables');
  return { kind: 'term', term };
}

function translateValues(operation: TraqulaAlgebra.Values): Algebra {
  const variables = operation.variables.map((variable) => variable.value);
  const rows = operation.bindings.map((binding) =>
    variables.map((name) => (binding[name] ?? binding[`?${name}`] ?? null) as Term | null),
  );
  return { kind: 'values', variables, rows };
}

function translateGroup(operation: TraqulaAlgebra.Group, graph: GraphScope): Algebra {
  const keys = operation.variables.map((variable) => variable.value);
  const aggregates = operation.aggregates.map(translateAggregate);
  return { kind: 'group', input: translatePattern(operation.input, graph), keys, aggregates };
}

function translateAggregate(aggregate: TraqulaAlgebra.BoundAggregate): Aggregate {
  if (aggregate.aggregator !== 'count') throw unsupported(`the aggregate ${aggregate.aggregator.toUpperCase()}`);
  const whole = aggregate.expression.subType === 'wildcard';
  return {
    variable: aggregate.variable.value,
    function: aggregate.aggregator,
    separator: null,
    distinct: aggregate.distinct,
    expression: whole ? null : translateExpression(aggregate.expression),
  };
}

function translateSortKey(expression: TraqulaAlgebra.Expression): SortKey {
  const wrapped = expression as TraqulaAlgebra.OperatorExpression;
  if (expression.subType === 'operator' && wrapped.operator === 'desc') {
    return { expression: translateExpression(wrapped.args[0] as TraqulaAlgebra.Expression), descending: true };
  }
  return { expression: translateExpression(expression), descending: false };
}
