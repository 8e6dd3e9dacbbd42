/** What the translation of one text carries along: which graph is read, and names nobody has taken. */

import type { Algebra, PatternTerm } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';
import type { TraqulaAlgebra } from './traqula.js';

/** The graph that patterns read; null = the default graph. */
export type GraphScope = PatternTerm | null;

export interface Translation {
  /** Variables that the text writes; the parser invents others, for the steps of paths. */
  readonly written: ReadonlySet<string>;
  /** What IRI() resolves against; null = the text declares none. */
  readonly baseIri: string | null;
  /** A variable that no solution shows. */
  fresh(): string;
  /** The name for a variable that a subquery or GRAPH hides from the rest. */
  hidden(name: string): string;
  pattern(operation: TraqulaAlgebra.Operation, graph: GraphScope): Algebra;
  /** Expressions read the graph of the group they stand in, for EXISTS. */
  expression(expression: TraqulaAlgebra.Expression, graph: GraphScope): Expression;
}

/** The SELECT that asks another endpoint for the solutions of a group. */
export type ServiceQuery = (operation: TraqulaAlgebra.Operation, variables: readonly string[]) => string;
