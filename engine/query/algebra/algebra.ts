/**
 * The algebra of a query: SPARQL 1.1 section 18 as one discriminated union, independent of the
 * parser behind it. GRAPH is already pushed into the patterns, blank nodes of the text are already
 * variables (their names begin with `_:`, which no query can write), variables that a subquery hides
 * are already renamed (`name~1`), so that everything below knows variables and terms only, and equal
 * names mean equal variables.
 */

import type { Term } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { Operator } from './operators.js';
import type { Path } from './path.js';

export type PatternTerm =
  | { readonly kind: 'variable'; readonly name: string }
  | {
      readonly kind: 'term';
      readonly term: Term;
      /** A predicate that a property path names; subclass inference leaves it alone. */
      readonly inPath?: true;
    };

/** A class with all classes below it. */
export interface ClassSet {
  readonly type: Term;
  /** The ids of all of them, ascending. */
  readonly ids: readonly TermId[];
}

export interface QuadPattern {
  readonly s: PatternTerm;
  readonly p: PatternTerm;
  readonly o: PatternTerm;
  /** null = the default graph of the query. */
  readonly g: PatternTerm | null;
}

/** A remote member that has solutions of a pattern. */
export interface MemberSource {
  readonly name: string;
  /** As many as it said, or a guess. */
  readonly rows: number;
}

export type AggregateFunction = 'count' | 'sum' | 'avg' | 'min' | 'max' | 'sample' | 'group_concat';

export interface Aggregate {
  /** Where the result goes. */
  readonly variable: string;
  readonly function: AggregateFunction;
  readonly distinct: boolean;
  /** Rows of one group with the same value come one after the other; marked by the planner only. */
  readonly adjacent?: true;
  /** null = COUNT(*). */
  readonly expression: Expression | null;
  /** Of GROUP_CONCAT; null = one space. */
  readonly separator: string | null;
}

export interface SortKey {
  readonly expression: Expression;
  readonly descending: boolean;
}

export type Algebra =
  /** One solution that binds nothing. */
  | { readonly kind: 'unit' }
  /** No solution. */
  | { readonly kind: 'empty'; readonly variables: readonly string[] }
  | { readonly kind: 'patterns'; readonly patterns: readonly QuadPattern[] }
  /**
   * A path of arbitrary or optional length (SPARQL 1.1, 9.3): each pair of ends once, in each graph.
   * Sequences, alternatives and inverses outside of it are joins, unions and patterns by now.
   */
  | {
      readonly kind: 'closure';
      readonly s: PatternTerm;
      readonly path: Path;
      readonly o: PatternTerm;
      readonly g: PatternTerm | null;
      readonly min: 0 | 1;
      /** null = any number of steps. */
      readonly max: 1 | null;
    }
  /** Each subject that ROOT says to be of one of the classes, once; made by subclass inference. */
  | { readonly kind: 'instances'; readonly subject: PatternTerm; readonly classes: ClassSet }
  /** The graphs that `GRAPH` may range over, for a group that has no pattern of its own. */
  | { readonly kind: 'graphs'; readonly name: PatternTerm }
  /**
   * The input evaluated once for each graph that the variable ranges over, for groups whose meaning
   * depends on seeing one graph at a time (subqueries, MINUS). The patterns inside name the variable.
   */
  | { readonly kind: 'eachGraph'; readonly variable: string; readonly input: Algebra }
  | {
      readonly kind: 'values';
      readonly variables: readonly string[];
      readonly rows: readonly (readonly (Term | null)[])[];
    }
  /** Rows that an operator above hands down (EXISTS, OPTIONAL row by row); made by the planner only. */
  | {
      readonly kind: 'outer';
      readonly variables: readonly string[];
      readonly certain: readonly string[];
      /** Where the operator puts them. */
      readonly slot: number;
      /** How many at a time, at most. */
      readonly rows: number;
      /** Different values of each variable among them, by its place; absent = as many as rows. */
      readonly distinct: readonly number[];
    }
  | { readonly kind: 'join'; readonly inputs: readonly Algebra[] }
  /** OPTIONAL; the condition sees the variables of both sides. */
  | {
      readonly kind: 'leftJoin';
      readonly left: Algebra;
      readonly right: Algebra;
      readonly condition: Expression | null;
    }
  | { readonly kind: 'union'; readonly inputs: readonly Algebra[] }
  | { readonly kind: 'minus'; readonly left: Algebra; readonly right: Algebra }
  /** Solutions of another endpoint; `query` is a SELECT of exactly `variables`. */
  | {
      readonly kind: 'service';
      readonly endpoint: string;
      readonly silent: boolean;
      readonly query: string;
      readonly variables: readonly string[];
    }
  /** Rows that a function of the store gives, of what it is given (ruling R67); it reads one graph, null = the default graph. */
  | {
      readonly kind: 'tableFunction';
      readonly iri: string;
      /** Arguments and results by their names. */
      readonly args: readonly { readonly name: string; readonly value: PatternTerm }[];
      readonly g: PatternTerm | null;
    }
  /**
   * Solutions of patterns over all members of a federation that have some, each once; made when a query is distributed.
   * Several patterns are those of a group that one remote answers whole.
   */
  | {
      readonly kind: 'members';
      readonly patterns: readonly QuadPattern[];
      /** This store is one of the members. */
      readonly local: boolean;
      readonly sources: readonly MemberSource[];
      /** Conditions that remotes may test besides; what stands above tests them again. */
      readonly conditions: readonly Expression[];
    }
  /**
   * Pairs of ends that steps lead from one to the other, as in a closure, where the steps are solutions of the first input:
   * their ends are `from` and `to`. The second input has every node of the graph, as `node`; none = it does not matter.
   */
  | {
      readonly kind: 'walk';
      readonly inputs: readonly Algebra[];
      readonly from: string;
      readonly to: string;
      readonly node: string;
      readonly s: PatternTerm;
      readonly o: PatternTerm;
      readonly min: 0 | 1;
      readonly max: 1 | null;
      /** The path as SPARQL writes it. */
      readonly label: string;
    }
  | { readonly kind: 'filter'; readonly input: Algebra; readonly condition: Expression }
  | { readonly kind: 'extend'; readonly input: Algebra; readonly variable: string; readonly expression: Expression }
  | {
      readonly kind: 'group';
      readonly input: Algebra;
      readonly keys: readonly string[];
      readonly aggregates: readonly Aggregate[];
    }
  /** The number of matches of one pattern, from storage, without a scan. */
  | { readonly kind: 'countPattern'; readonly pattern: QuadPattern; readonly variables: readonly string[] }
  | {
      readonly kind: 'sort';
      readonly input: Algebra;
      readonly keys: readonly SortKey[];
      /** Rows that are wanted at most, when a slice stands above; null = all. */
      readonly limit: number | null;
    }
  | { readonly kind: 'project'; readonly input: Algebra; readonly variables: readonly string[] }
  | { readonly kind: 'distinct'; readonly input: Algebra }
  /** REDUCED: duplicates may be dropped. */
  | { readonly kind: 'reduced'; readonly input: Algebra }
  | {
      readonly kind: 'slice';
      readonly input: Algebra;
      readonly offset: number;
      readonly limit: number | null;
      /** Of the rows of each of its values by themselves, which every row has; by the planner only. */
      readonly per?: string;
    };

/** The nodes of a kind, or of some. */
export type NodeOf<Kind extends Algebra['kind']> = Extract<Algebra, { kind: Kind }>;

export type Expression =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'term'; readonly term: Term }
  | { readonly kind: 'call'; readonly operator: Operator; readonly args: readonly Expression[] }
  /** A function named by its IRI: casts (SPARQL 1.1, 17.5) and extensions. */
  | { readonly kind: 'function'; readonly iri: string; readonly args: readonly Expression[] }
  /** EXISTS and NOT EXISTS; the pattern reads the variables of the row it is asked for. */
  | { readonly kind: 'exists'; readonly negated: boolean; readonly pattern: Algebra };

export type CallExpression = Extract<Expression, { kind: 'call' }>;
export type ExistsExpression = Extract<Expression, { kind: 'exists' }>;

/** FROM and FROM NAMED, or USING and USING NAMED; null where the text has neither. */
export interface DatasetClause {
  readonly defaultGraphs: readonly string[];
  readonly namedGraphs: readonly string[];
}

export type QueryForm = 'select' | 'ask' | 'construct' | 'describe';

export interface ParsedQuery {
  readonly form: QueryForm;
  /** Projection order of SELECT; what the template or the list of DESCRIBE reads; empty for ASK. */
  readonly variables: readonly string[];
  readonly algebra: Algebra;
  readonly dataset: DatasetClause | null;
  /** Of CONSTRUCT, blank nodes as terms; each solution makes new ones. */
  readonly template: readonly QuadPattern[];
  /** Of DESCRIBE. */
  readonly described: readonly PatternTerm[];
  /** Of a query that was rewritten: the graphs that it could read as it was written. */
  readonly touched?: TouchedGraphs | undefined;
}

export interface TouchedGraphs {
  /** Something is looked for outside of GRAPH. */
  readonly readsDefault: boolean;
  /** What GRAPH names; each once, unless they are places for constants. */
  readonly named: readonly Term[];
  /** There is a GRAPH with a variable. */
  readonly isFree: boolean;
  /** What SERVICE asks, each once; none of it is a graph of this store. */
  readonly endpoints: readonly string[];
}

export function termsOf({ s, p, o, g }: QuadPattern): readonly (PatternTerm | null)[] {
  return [s, p, o, g];
}

/** The names of the variables among terms. */
export function namesOf(terms: readonly (PatternTerm | null)[]): string[] {
  return terms.flatMap((term) => (term?.kind === 'variable' ? [term.name] : []));
}

/** A node of a subquery, or of the modifiers of a query: what is below it keeps to itself. */
export function isSubquery({ kind }: Algebra): boolean {
  return /^(?:project|group|distinct|reduced|slice|sort)$/.test(kind);
}

/** The children of a node, in order. */
export function childrenOf(node: Algebra): readonly Algebra[] {
  if ('inputs' in node) return node.inputs;
  if ('left' in node) return [node.left, node.right];
  return 'input' in node ? [node.input] : [];
}

/** The node with its children replaced by `change(child)`; the node itself when nothing changed. */
export function mapChildren(node: Algebra, change: (child: Algebra) => Algebra): Algebra {
  if ('inputs' in node) {
    const inputs = node.inputs.map(change);
    return inputs.every((input, index) => input === node.inputs[index]) ? node : { ...node, inputs };
  }
  if ('left' in node) {
    const left = change(node.left);
    const right = change(node.right);
    return left === node.left && right === node.right ? node : { ...node, left, right };
  }
  if (!('input' in node)) return node;
  const input = change(node.input);
  return input === node.input ? node : { ...node, input };
}

/** Rebuilds the tree from the leaves up. Patterns of EXISTS are not entered; `mapExpressions` reaches them. */
export function rewriteUp(node: Algebra, change: (node: Algebra) => Algebra): Algebra {
  return change(mapChildren(node, (child) => rewriteUp(child, change)));
}

/** The node with the expressions of its own (not of its children) replaced by `change(expression)`. */
export function mapExpressions(node: Algebra, change: (expression: Expression) => Expression): Algebra {
  switch (node.kind) {
    case 'filter':
      return { ...node, condition: change(node.condition) };
    case 'leftJoin':
      return node.condition === null ? node : { ...node, condition: change(node.condition) };
    case 'extend':
      return { ...node, expression: change(node.expression) };
    case 'sort':
      return { ...node, keys: node.keys.map((key) => ({ ...key, expression: change(key.expression) })) };
    case 'group':
      return {
        ...node,
        aggregates: node.aggregates.map((aggregate) => ({
          ...aggregate,
          expression: aggregate.expression === null ? null : change(aggregate.expression),
        })),
      };
    default:
      return node;
  }
}

/** The node with the terms of its own patterns replaced. */
export function mapPatternTerms(node: Algebra, change: (term: PatternTerm) => PatternTerm): Algebra {
  switch (node.kind) {
    case 'patterns':
    case 'members':
      return { ...node, patterns: node.patterns.map((pattern) => mapPattern(pattern, change)) };
    case 'walk':
      return { ...node, s: change(node.s), o: change(node.o) };
    case 'countPattern':
      return { ...node, pattern: mapPattern(node.pattern, change) };
    case 'closure':
      return { ...node, s: change(node.s), o: change(node.o), g: node.g && change(node.g) };
    case 'instances':
      return { ...node, subject: change(node.subject) };
    case 'graphs':
      return { ...node, name: change(node.name) };
    case 'tableFunction':
      return {
        ...node,
        args: node.args.map(({ name, value }) => ({ name, value: change(value) })),
        g: node.g && change(node.g),
      };
    default:
      return node;
  }
}

export function mapPattern({ s, p, o, g }: QuadPattern, change: (term: PatternTerm) => PatternTerm): QuadPattern {
  return { s: change(s), p: change(p), o: change(o), g: g && change(g) };
}

/** What stands below the filters of a node, and their conditions, the outermost first. */
export function unfiltered(node: Algebra): { readonly input: Algebra; readonly conditions: readonly Expression[] } {
  const conditions: Expression[] = [];
  let input = node;
  for (; input.kind === 'filter'; input = input.input) conditions.push(input.condition);
  return { input, conditions };
}

/** The node with filters above it, the first condition in the outermost. */
export function filtered(node: Algebra, conditions: readonly Expression[]): Algebra {
  return conditions.reduceRight<Algebra>((input, condition) => ({ kind: 'filter', input, condition }), node);
}

/** The expressions of the node itself. */
export function expressionsOf(node: Algebra): readonly Expression[] {
  switch (node.kind) {
    case 'filter':
      return [node.condition];
    case 'leftJoin':
      return node.condition === null ? [] : [node.condition];
    case 'extend':
      return [node.expression];
    case 'sort':
      return node.keys.map((key) => key.expression);
    case 'group':
      return node.aggregates.flatMap(({ expression }) => (expression === null ? [] : [expression]));
    default:
      return [];
  }
}
