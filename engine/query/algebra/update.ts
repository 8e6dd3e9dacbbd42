/** SPARQL 1.1 Update as data: one request is a list of operations, run in order in one transaction. */

import type { Quad } from '../../rdf/terms.js';
import type { Algebra, DatasetClause, QuadPattern } from './algebra.js';

/** Graphs that CLEAR and DROP name. */
export type GraphTarget =
  | { readonly kind: 'default' }
  | { readonly kind: 'named' }
  | { readonly kind: 'all' }
  | { readonly kind: 'graph'; readonly iri: string };

/** One graph; null = the default graph. */
export type GraphName = string | null;

export type UpdateOperation =
  /** Blank nodes of INSERT DATA are new ones of the request, the same label the same node. */
  | { readonly kind: 'insertData'; readonly quads: readonly Quad[] }
  | { readonly kind: 'deleteData'; readonly quads: readonly Quad[] }
  | {
      readonly kind: 'modify';
      /** `g` null = the graph of WITH, or the default graph. */
      readonly delete: readonly QuadPattern[];
      readonly insert: readonly QuadPattern[];
      readonly where: Algebra;
      /** The graph of WITH. */
      readonly with: GraphName;
      /** USING and USING NAMED; null = WITH decides what the pattern reads. */
      readonly using: DatasetClause | null;
    }
  | { readonly kind: 'load'; readonly source: string; readonly into: GraphName; readonly silent: boolean }
  | { readonly kind: 'clear' | 'drop'; readonly target: GraphTarget; readonly silent: boolean }
  | { readonly kind: 'create'; readonly graph: string; readonly silent: boolean }
  | {
      readonly kind: 'add' | 'move' | 'copy';
      readonly from: GraphName;
      readonly to: GraphName;
      readonly silent: boolean;
    };

export interface ParsedUpdate {
  readonly operations: readonly UpdateOperation[];
}
