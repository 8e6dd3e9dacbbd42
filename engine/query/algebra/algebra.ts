/**
 * The algebra of a query: SPARQL 1.1 section 18 as one discriminated union, independent of the
 * parser behind it. GRAPH is already pushed into the patterns, blank nodes of the text are already
 * variables (their names begin with `_:`, which no query can write), so that everything below
 * knows variables and terms only.
 */

import type { Term } from '../../rdf/terms.js';
import type { Expression } from './expression.js';

export type PatternTerm =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'term'; readonly term: Term };

export interface QuadPattern {
  readonly s: PatternTerm;
  readonly p: PatternTerm;
  readonly o: PatternTerm;
  /** null = the default graph of the query. */
  readonly g: PatternTerm | null;
}

export interface CountAggregate {
  readonly variable: string;
  readonly distinct: boolean;
  /** null = COUNT(*). */
  readonly expression: Expression | null;
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
  /** The graphs that `GRAPH` may range over, for a group that has no pattern of its own. */
  | { readonly kind: 'graphs'; readonly name: PatternTerm }
  | {
      readonly kind: 'values';
      readonly variables: readonly string[];
      readonly rows: readonly (readonly (Term | null)[])[];
    }
  | { readonly kind: 'join'; readonly inputs: readonly Algebra[] }
  | { readonly kind: 'filter'; readonly input: Algebra; readonly condition: Expression }
  | { readonly kind: 'extend'; readonly input: Algebra; readonly variable: string; readonly expression: Expression }
  | {
      readonly kind: 'group';
      readonly input: Algebra;
      readonly keys: readonly string[];
      readonly aggregates: readonly CountAggregate[];
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
  | { readonly kind: 'slice'; readonly input: Algebra; readonly offset: number; readonly limit: number | null };

export type AlgebraKind = Algebra['kind'];

/** FROM and FROM NAMED; null where the text has neither. */
export interface DatasetClause {
  readonly defaultGraphs: readonly string[];
  readonly namedGraphs: readonly string[];
}

export interface ParsedQuery {
  readonly form: 'select' | 'ask';
  /** Projection order; empty for ASK. */
  readonly variables: readonly string[];
  readonly algebra: Algebra;
  readonly dataset: DatasetClause | null;
}

/** The children of a node, in order. */
export function childrenOf(node: Algebra): readonly Algebra[] {
  if (node.kind === 'join') return node.inputs;
  return 'input' in node ? [node.input] : [];
}

/** The node with its children replaced by `change(child)`; the node itself when nothing changed. */
export function mapChildren(node: Algebra, change: (child: Algebra) => Algebra): Algebra {
  if (node.kind === 'join') {
    const inputs = node.inputs.map(change);
    return inputs.every((input, index) => input === node.inputs[index]) ? node : { ...node, inputs };
  }
  if (!('input' in node)) return node;
  const input = change(node.input);
  return input === node.input ? node : { ...node, input };
}

/** Rebuilds the tree from the leaves up. */
export function rewriteUp(node: Algebra, change: (node: Algebra) => Algebra): Algebra {
  return change(mapChildren(node, (child) => rewriteUp(child, change)));
}
