/** Group graph patterns and subqueries of Traqula's algebra to ours. */

import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import type { Aggregate, Algebra, SortKey } from '../algebra/algebra.js';
import { type Expression, hasExists } from '../algebra/expression.js';
import { collectPatternVariables } from '../algebra/mentioned.js';
import { renameVariables } from '../algebra/rename.js';
import { scopeOf } from '../algebra/scope.js';
import { isTableFunction } from '../functions/table-function.js';
import { refuseUngrouped } from './grouping.js';
import { translateExpression } from './translate-expression.js';
import { translateGraph, withGraph } from './translate-graph.js';
import { translatePath } from './translate-path.js';
import { translateTableFunction } from './translate-table-function.js';
import { translateTriples } from './translate-triples.js';
import type { GraphScope, ServiceQuery, Translation } from './translation.js';
import type { TraqulaAlgebra } from './traqula.js';
import { unsupported } from './unsupported.js';

type Operation = TraqulaAlgebra.Operation;

export class PatternTranslation implements Translation {
  readonly written: ReadonlySet<string>;
  private taken = 0;

  constructor(
    private readonly text: string,
    private readonly serviceQuery: ServiceQuery,
    readonly baseIri: string | null,
  ) {
    this.written = new Set(
      Array.from(text.matchAll(/[?$]([\p{L}\p{N}\p{M}_\u00b7\u203f\u2040]+)/gu), ([, name]) => name as string),
    );
  }

  fresh(): string {
    this.taken++;
    return `_:~${this.taken}`;
  }

  hidden(name: string): string {
    this.taken++;
    return `${name.replace(/~\d+$/, '')}~${this.taken}`;
  }

  expression(expression: TraqulaAlgebra.Expression, graph: GraphScope): Expression {
    return translateExpression(expression, graph, this);
  }

  pattern(operation: Operation, graph: GraphScope): Algebra {
    switch (operation.type) {
      case 'bgp':
        return translateTriples(operation.patterns, graph, this);
      case 'path':
        return translatePath(operation, graph, this);
      case 'join':
        return { kind: 'join', inputs: operation.input.map((input) => this.pattern(input, graph)) };
      case 'union':
        return { kind: 'union', inputs: operation.input.map((input) => this.pattern(input, graph)) };
      case 'leftjoin':
        return this.leftJoin(operation, graph);
      case 'minus': {
        const [left, right] = operation.input;
        return { kind: 'minus', left: this.pattern(left, graph), right: this.pattern(right, graph) };
      }
      case 'graph':
        return translateGraph(operation, this);
      case 'filter': {
        const condition = this.expression(operation.expression, graph);
        return { kind: 'filter', input: this.inputOf(operation.input, [condition], graph), condition };
      }
      case 'extend':
        return this.extend(operation, graph);
      case 'values':
        return translateValues(operation);
      case 'group':
        return this.group(operation, graph);
      case 'orderby': {
        const keys = operation.expressions.map((expression) => this.sortKey(expression, graph));
        const expressions = keys.map((key) => key.expression);
        return { kind: 'sort', input: this.inputOf(operation.input, expressions, graph), keys, limit: null };
      }
      case 'service':
        return isTableFunction(operation.name.value)
          ? translateTableFunction(operation, graph, this)
          : this.service(operation);
      case 'project':
      case 'distinct':
      case 'reduced':
      case 'slice':
        return this.subquery(operation, graph);
      default:
        throw unsupported(operation.type.toUpperCase());
    }
  }

  /** The projection and what stands around it; `projected` may change the columns. */
  modifiers(
    operation: Operation,
    projected: (names: string[], input: Algebra) => string[],
    graph: GraphScope,
  ): Algebra {
    switch (operation.type) {
      case 'slice': {
        const input = this.modifiers(operation.input, projected, graph);
        return { kind: 'slice', input, offset: operation.start, limit: operation.length ?? null };
      }
      case 'distinct':
        return { kind: 'distinct', input: this.modifiers(operation.input, projected, graph) };
      case 'reduced':
        return { kind: 'reduced', input: this.modifiers(operation.input, projected, graph) };
      case 'project': {
        const input = this.pattern(operation.input, graph);
        const names = operation.variables.map((variable) => variable.value);
        refuseUngrouped(names, input, this.text);
        return { kind: 'project', input, variables: projected(names, input) };
      }
      default:
        return this.pattern(operation, graph);
    }
  }

  /** Variables that a subquery does not select are its own: they get names that nothing else has. */
  private subquery(operation: Operation, graph: GraphScope): Algebra {
    let shown: readonly string[] = [];
    const node = this.modifiers(
      operation,
      (names) => {
        shown = names;
        return names;
      },
      graph,
    );
    const mentioned = new Set<string>();
    collectPatternVariables(node, mentioned);
    const names = new Map<string, string>();
    for (const name of mentioned) {
      const isGraph = graph?.kind === 'variable' && graph.name === name;
      if (!shown.includes(name) && !isGraph && !name.startsWith('_:')) names.set(name, this.hidden(name));
    }
    return renameVariables(node, names);
  }

  /** EXISTS asks about the graph of the row, so that rows have to know it. */
  private inputOf(operation: Operation, expressions: readonly Expression[], graph: GraphScope): Algebra {
    const input = this.pattern(operation, graph);
    return expressions.some(hasExists) ? withGraph(input, graph) : input;
  }

  private leftJoin(operation: TraqulaAlgebra.LeftJoin, graph: GraphScope): Algebra {
    const condition = operation.expression === undefined ? null : this.expression(operation.expression, graph);
    const [left, right] = operation.input;
    return {
      kind: 'leftJoin',
      left: withGraph(this.pattern(left, graph), graph),
      right: this.pattern(right, graph),
      condition,
    };
  }

  private extend(operation: TraqulaAlgebra.Extend, graph: GraphScope): Algebra {
    const variable = operation.variable.value;
    const expression = this.expression(operation.expression, graph);
    const input = this.inputOf(operation.input, [expression], graph);
    if (scopeOf(input).variables.has(variable)) {
      throw new SvcError('parse_error', `the variable ?${variable} is bound already where AS ?${variable} binds it`);
    }
    return { kind: 'extend', input, variable, expression };
  }

  private group(operation: TraqulaAlgebra.Group, graph: GraphScope): Algebra {
    const keys = operation.variables.map((variable) => variable.value);
    const aggregates = operation.aggregates.map((aggregate) => this.aggregate(aggregate, graph));
    const expressions = aggregates.flatMap(({ expression }) => (expression === null ? [] : [expression]));
    return { kind: 'group', input: this.inputOf(operation.input, expressions, graph), keys, aggregates };
  }

  private aggregate(aggregate: TraqulaAlgebra.BoundAggregate, graph: GraphScope): Aggregate {
    const whole = aggregate.expression.subType === 'wildcard';
    return {
      variable: aggregate.variable.value,
      function: aggregate.aggregator,
      distinct: aggregate.distinct,
      expression: whole ? null : this.expression(aggregate.expression, graph),
      separator: aggregate.separator ?? null,
    };
  }

  private sortKey(expression: TraqulaAlgebra.Expression, graph: GraphScope): SortKey {
    const wrapped = expression as TraqulaAlgebra.OperatorExpression;
    if (expression.subType === 'operator' && wrapped.operator === 'desc') {
      return { expression: this.expression(wrapped.args[0] as TraqulaAlgebra.Expression, graph), descending: true };
    }
    return { expression: this.expression(expression, graph), descending: false };
  }

  private service(operation: TraqulaAlgebra.Service): Algebra {
    if (operation.name.termType === 'Variable') {
      throw new SvcError('invalid_request', `SERVICE ?${operation.name.value}: the endpoint has to be an IRI`, {
        hint: 'name one of the endpoints that federation.service_endpoints lists',
      });
    }
    const inside = scopeOf(
      new PatternTranslation(this.text, this.serviceQuery, null).pattern(operation.input, null),
    ).variables;
    const variables = [...inside].filter((name) => this.written.has(name));
    return {
      kind: 'service',
      endpoint: operation.name.value,
      silent: operation.silent,
      query: this.serviceQuery(operation.input, variables),
      variables,
    };
  }
}

function translateValues(operation: TraqulaAlgebra.Values): Algebra {
  const variables = operation.variables.map((variable) => variable.value);
  const twice = variables.find((name, index) => variables.indexOf(name) !== index);
  if (twice !== undefined) throw new SvcError('parse_error', `VALUES names the variable ?${twice} twice`);
  const rows = operation.bindings.map((binding) =>
    variables.map((name) => (binding[name] ?? binding[`?${name}`] ?? null) as Term | null),
  );
  return { kind: 'values', variables, rows };
}
