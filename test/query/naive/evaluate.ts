/**
 * The meaning of SPARQL's algebra, the slow and obvious way (SPARQL 1.1, 18.6): every operator is a
 * function over lists of solutions, joins are nested loops, GRAPH evaluates its pattern once a graph,
 * EXISTS evaluates its pattern once a row. It reads the parser's algebra and shares neither the
 * translation nor an operator nor an expression with the engine, whose oracle it is.
 *
 * EXISTS inserts the row into its pattern: triple patterns and paths match what agrees with it, and
 * expressions see it; a subquery sees of it what it projects.
 */

import type { TraqulaAlgebra } from '../../../engine/query/parse/traqula.js';
import type { Term } from '../../../engine/rdf/terms.js';
import { orderTerms } from '../../../engine/rdf/values/index.js';
import { groupRows } from './aggregates.js';
import type { Dataset, Graph } from './dataset.js';
import { evaluateExpression, truth } from './expressions.js';
import { matchPath, matchPatterns, valuesOf } from './patterns.js';
import { compatible, distinct, EMPTY, join, merge, minus, project, type Solution } from './solutions.js';

type Operation = TraqulaAlgebra.Operation;

export interface Scope {
  readonly dataset: Dataset;
  readonly graph: Graph;
  /** What an enclosing EXISTS hands down. */
  readonly outer: Solution;
  readonly written: ReadonlySet<string>;
}

export function evaluate(node: Operation, scope: Scope): Solution[] {
  switch (node.type) {
    case 'bgp':
      return matchPatterns(node.patterns, scope.graph, scope.outer);
    case 'path':
      return matchPath(node, scope.graph, scope.outer);
    case 'join':
      return node.input.map((input) => evaluate(input, scope)).reduce(join, [EMPTY]);
    case 'union':
      return node.input.flatMap((input) => evaluate(input, scope));
    case 'leftjoin':
      return leftJoin(node, scope);
    case 'minus': {
      const [left, right] = node.input;
      return minus(evaluate(left, scope), evaluate(right, scope));
    }
    case 'graph':
      return evaluateGraph(node, scope);
    case 'filter':
      return evaluate(node.input, scope).filter((row) => truth(termOf(node.expression, row, scope)) === true);
    case 'extend':
      return evaluate(node.input, scope).map((row) => {
        const value = termOf(node.expression, row, scope);
        return value === null ? row : merge(row, new Map([[node.variable.value, value]]));
      });
    case 'values':
      return valuesOf(node);
    case 'group':
      return groupRows(evaluate(node.input, scope), {
        keys: node.variables.map(({ value }) => value),
        aggregates: node.aggregates,
        written: scope.written,
        seen: (row) => seenBy(row, scope),
        exists: (pattern, row) => exists(pattern, row, scope),
      });
    case 'orderby':
      return evaluate(node.input, scope).toSorted((a, b) => compareRows(node.expressions, a, b, scope));
    case 'project': {
      const names = node.variables.map(({ value }) => value);
      const inner = { ...scope, outer: project(scope.outer, names) };
      return evaluate(node.input, inner).map((row) => project(row, names));
    }
    case 'distinct':
      return distinct(evaluate(node.input, scope));
    case 'reduced':
      return evaluate(node.input, scope);
    case 'slice': {
      const end = node.length === undefined ? undefined : node.start + node.length;
      return evaluate(node.input, scope).slice(node.start, end);
    }
    case 'nop':
      return [EMPTY];
    default:
      throw new Error(`no operation of kind ${node.type}`);
  }
}

function leftJoin({ input, expression }: TraqulaAlgebra.LeftJoin, scope: Scope): Solution[] {
  const right = evaluate(input[1], scope);
  return evaluate(input[0], scope).flatMap((row) => {
    const joined = join([row], right).filter(
      (both) => expression === undefined || truth(termOf(expression, both, scope)) === true,
    );
    return joined.length > 0 ? joined : [row];
  });
}

function evaluateGraph({ name, input }: TraqulaAlgebra.Graph, scope: Scope): Solution[] {
  if (name.termType !== 'Variable') {
    const graph = scope.dataset.named.get(name.value)?.triples;
    return graph === undefined ? [] : evaluate(input, { ...scope, graph });
  }
  return [...scope.dataset.named.values()].flatMap((graph) =>
    join(evaluate(input, { ...scope, graph: graph.triples }), [new Map([[name.value, graph.name]])]),
  );
}

/** What an expression can look at. */
function seenBy(row: Solution, { outer }: Scope): Solution {
  return merge(outer, row);
}

function termOf(expression: TraqulaAlgebra.Expression, row: Solution, scope: Scope): Term | null {
  return evaluateExpression(expression, seenBy(row, scope), (pattern, seen) => exists(pattern, seen, scope));
}

function exists(pattern: Operation, row: Solution, scope: Scope): boolean {
  return evaluate(pattern, { ...scope, outer: row }).some((solution) => compatible(solution, row));
}

function compareRows(keys: readonly TraqulaAlgebra.Expression[], a: Solution, b: Solution, scope: Scope): number {
  for (const key of keys) {
    const { operator, args } = key as TraqulaAlgebra.OperatorExpression;
    const descending = key.subType === 'operator' && operator === 'desc';
    const expression = descending ? (args[0] as TraqulaAlgebra.Expression) : key;
    const order = orderTerms(termOf(expression, a, scope), termOf(expression, b, scope));
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}
