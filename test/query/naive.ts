/**
 * The meaning of a query, the slow and obvious way: solutions are maps of terms, joins are nested
 * loops, nothing is planned. The oracle of the engine in the tests of properties.
 */

import type { Aggregate, Algebra, PatternTerm, QuadPattern } from '../../engine/query/algebra/algebra.js';
import type { Expression } from '../../engine/query/algebra/expression.js';
import { type Quad, type Term, terms, XSD } from '../../engine/rdf/terms.js';
import {
  arithmetic,
  compareTerms,
  effectiveBoolean,
  isNumeric,
  literalOf,
  negate,
  orderTerms,
  parseValue,
  sameTerm,
} from '../../engine/rdf/values/index.js';

export type Solution = ReadonlyMap<string, Term>;

/** Quads of the default graph have the default graph as their graph. */
export class NaiveStore {
  constructor(readonly quads: readonly Quad[]) {}

  get namedGraphs(): Term[] {
    const found: Term[] = [];
    for (const { graph } of this.quads) {
      if (graph.termType !== 'DefaultGraph' && !found.some((known) => known.equals(graph))) found.push(graph);
    }
    return found;
  }
}

export function evaluate(node: Algebra, store: NaiveStore): Solution[] {
  switch (node.kind) {
    case 'unit':
      return [new Map()];
    case 'empty':
      return [];
    case 'patterns':
      return node.patterns.map((pattern) => matches(pattern, store)).reduce(join, [new Map()]);
    case 'graphs':
      return graphs(node.name, store);
    case 'values':
      return node.rows.map((row) => solution(node.variables.map((name, at) => [name, row[at] ?? null] as const)));
    case 'join':
      return node.inputs.map((input) => evaluate(input, store)).reduce(join, [new Map()]);
    case 'filter':
      return evaluate(node.input, store).filter((row) => truth(value(node.condition, row)) === true);
    case 'extend':
      return evaluate(node.input, store).map((row) => solution([...row, [node.variable, value(node.expression, row)]]));
    case 'group':
      return group(node, evaluate(node.input, store));
    case 'project':
      return evaluate(node.input, store).map((row) =>
        solution(node.variables.map((name) => [name, row.get(name) ?? null] as const)),
      );
    case 'distinct':
      return distinct(evaluate(node.input, store));
    case 'reduced':
      return evaluate(node.input, store);
    case 'sort':
      return evaluate(node.input, store).sort((a, b) => {
        for (const { expression, descending } of node.keys) {
          const order = orderTerms(value(expression, a), value(expression, b));
          if (order !== 0) return descending ? -order : order;
        }
        return 0;
      });
    case 'slice':
      return evaluate(node.input, store).slice(node.offset, node.limit === null ? undefined : node.offset + node.limit);
    case 'countPattern':
      throw new Error('only rewrites make this');
    default:
      throw new Error(`no ${node.kind} here`);
  }
}

function solution(entries: Iterable<readonly [string, Term | null]>): Solution {
  return new Map([...entries].filter((entry): entry is readonly [string, Term] => entry[1] !== null));
}

function matches(pattern: QuadPattern, store: NaiveStore): Solution[] {
  const found: Solution[] = [];
  for (const quad of store.quads) {
    if ((pattern.g === null) !== (quad.graph.termType === 'DefaultGraph')) continue;
    const row = new Map<string, Term>();
    const parts = [
      [pattern.s, quad.subject],
      [pattern.p, quad.predicate],
      [pattern.o, quad.object],
      [pattern.g, quad.graph],
    ] as const;
    if (parts.every(([wanted, term]) => wanted === null || binds(wanted, term, row))) found.push(row);
  }
  return found;
}

function binds(wanted: PatternTerm, term: Term, row: Map<string, Term>): boolean {
  if (wanted.kind === 'term') return sameTerm(wanted.term, term);
  const known = row.get(wanted.name);
  if (known !== undefined) return sameTerm(known, term);
  row.set(wanted.name, term);
  return true;
}

function graphs(name: PatternTerm, store: NaiveStore): Solution[] {
  if (name.kind === 'variable') return store.namedGraphs.map((graph) => new Map([[name.name, graph]]));
  return store.namedGraphs.some((graph) => graph.equals(name.term)) ? [new Map()] : [];
}

function join(left: Solution[], right: Solution[]): Solution[] {
  return left.flatMap((a) => right.filter((b) => compatible(a, b)).map((b) => new Map([...a, ...b])));
}

function compatible(a: Solution, b: Solution): boolean {
  for (const [name, term] of a) {
    const other = b.get(name);
    if (other !== undefined && !sameTerm(term, other)) return false;
  }
  return true;
}

export function keyOf(row: Solution, names: Iterable<string>): string {
  return JSON.stringify([...names].map((name) => row.get(name) ?? null));
}

function distinct(rows: Solution[]): Solution[] {
  const seen = new Map<string, Solution>();
  for (const row of rows) {
    const key = keyOf(row, [...row.keys()].sort());
    const names = JSON.stringify([...row.keys()].sort());
    if (!seen.has(names + key)) seen.set(names + key, row);
  }
  return [...seen.values()];
}

function group(node: Extract<Algebra, { kind: 'group' }>, rows: Solution[]): Solution[] {
  const groups = new Map<string, Solution[]>();
  if (node.keys.length === 0) groups.set('', []);
  for (const row of rows) {
    const key = node.keys.length === 0 ? '' : keyOf(row, node.keys);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((members) => {
    const keys = node.keys.map((name) => [name, members[0]?.get(name) ?? null] as const);
    return solution([
      ...keys,
      ...node.aggregates.map((aggregate) => [aggregate.variable, integer(count(aggregate, members))] as const),
    ]);
  });
}

function count({ distinct: once, expression }: Aggregate, rows: Solution[]): number {
  if (expression === null) return once ? distinct(rows.map(visible)).length : rows.length;
  const values = rows.map((row) => value(expression, row)).filter((term) => term !== null);
  return once ? new Set(values.map((term) => JSON.stringify(term))).size : values.length;
}

function visible(row: Solution): Solution {
  return new Map([...row].filter(([name]) => !name.startsWith('_:')));
}

function integer(number: number): Term {
  return terms.literal(String(number), terms.namedNode(`${XSD}integer`));
}

/** Null = an error. */
function value(expression: Expression, row: Solution): Term | null {
  if (expression.kind === 'variable') return row.get(expression.name) ?? null;
  if (expression.kind === 'term') return expression.term;
  if (expression.kind !== 'call') throw new Error(`no ${expression.kind} here`);
  const { operator, args } = expression;
  const arg = (index: number): Term | null => value(args[index] as Expression, row);
  switch (operator) {
    case '&&':
      return boolean(both(truth(arg(0)), truth(arg(1))));
    case '||':
      return boolean(either(truth(arg(0)), truth(arg(1))));
    case '!':
      return boolean(negated(truth(arg(0))));
    case 'bound':
      return boolean(arg(0) !== null);
    case 'in':
    case 'notin': {
      const found = args
        .slice(1)
        .map((_, index) => equal(arg(0), arg(index + 1)))
        .reduce(either, false);
      return boolean(operator === 'in' ? found : negated(found));
    }
    case 'if': {
      const condition = truth(arg(0));
      return condition === null ? null : condition ? arg(1) : arg(2);
    }
    case 'coalesce':
      return args.map((_, index) => arg(index)).find((term) => term !== null) ?? null;
    default:
      return strict(
        operator,
        args.map((_, index) => arg(index)),
      );
  }
}

function strict(operator: string, args: (Term | null)[]): Term | null {
  const [a, b] = args;
  if (a === null || a === undefined || b === null) return null;
  const literal = a.termType === 'Literal' ? a : null;
  switch (operator) {
    case 'sameterm':
      return boolean(sameTerm(a, b as Term));
    case 'isiri':
      return boolean(a.termType === 'NamedNode');
    case 'isblank':
      return boolean(a.termType === 'BlankNode');
    case 'isliteral':
      return boolean(literal !== null);
    case 'isnumeric':
      return boolean(literal !== null && isNumeric(parseValue(literal)));
    case 'str':
      return a.termType === 'BlankNode' ? null : terms.literal(a.value);
    case 'lang':
      return literal && terms.literal(literal.language);
    case 'datatype':
      return literal?.datatype ?? null;
    case 'uminus':
    case 'uplus': {
      const negative = literal && negate(parseValue(literal));
      return negative && (operator === 'uplus' ? a : literalOf(negative));
    }
    case '+':
    case '-':
    case '*':
    case '/': {
      if (literal === null || b?.termType !== 'Literal') return null;
      const result = arithmetic(operator, parseValue(literal), parseValue(b));
      return result && literalOf(result);
    }
    default:
      return boolean(compareTerms(operator as '=', a, b as Term));
  }
}

type Truth = boolean | null;

function truth(term: Term | null): Truth {
  return term === null ? null : effectiveBoolean(term);
}

function boolean(result: Truth): Term | null {
  return result === null ? null : terms.literal(String(result), terms.namedNode(`${XSD}boolean`));
}

function both(a: Truth, b: Truth): Truth {
  return a === false || b === false ? false : a === null || b === null ? null : true;
}

function either(a: Truth, b: Truth): Truth {
  return a === true || b === true ? true : a === null || b === null ? null : false;
}

function negated(a: Truth): Truth {
  return a === null ? null : !a;
}

function equal(a: Term | null, b: Term | null): Truth {
  return a === null || b === null ? null : compareTerms('=', a, b);
}
