/** What the planner tells the operators of paths: the path over ids, the graphs, the two ends. */

import type { TermId } from '../../../storage/ids/layout.js';
import type { GraphSet, ScanPattern, TimeSlice } from '../../../storage/seam/scan.js';
import type { PatternTerm } from '../../algebra/algebra.js';
import type { PathState } from './automaton.js';

/** A step of the path; negated steps list the payloads of the predicates that they leave out. */
export type WalkStep =
  | { readonly kind: 'predicate'; readonly predicate: TermId; readonly backward: boolean }
  | { readonly kind: 'negated'; readonly except: ReadonlySet<number>; readonly backward: boolean }
  /** A predicate that the store does not know. */
  | { readonly kind: 'never' };

/** An end of the path: a variable, or a term, which need not be a node of the graph. */
export type ClosureEnd =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'term'; readonly id: TermId };

/** A path as its query has it; the terms are told apart, since a kept plan may serve others. */
export interface ClosureLabel {
  readonly s: PatternTerm;
  /** As SPARQL writes it. */
  readonly path: string;
  readonly o: PatternTerm;
  readonly g: PatternTerm | null;
}

export interface ClosureSpec {
  /** What EXPLAIN shows. */
  readonly label: ClosureLabel;
  readonly graphs: GraphSet;
  readonly time: TimeSlice;
  /** Each graph is walked by itself, and the variable names it; null = one graph, or one merged of several. */
  readonly graphVariable: string | null;
  /** The graphs that the variable ranges over; null = those with rows in the time slice, to be found out. */
  readonly graphIds: readonly TermId[] | null;
  readonly steps: readonly WalkStep[];
  readonly states: readonly PathState[];
  /** The end that walks begin at: the subject, or the object of a path that is read backwards. */
  readonly from: ClosureEnd;
  readonly to: ClosureEnd;
  /** Nodes of the graph are related to themselves. */
  readonly empty: boolean;
  /** Terms of the query are related to themselves, nodes or not. */
  readonly emptyAnywhere: boolean;
}

/** All rows of a step. */
export function patternOf(step: WalkStep | undefined): ScanPattern {
  return step?.kind === 'predicate' ? { p: { kind: 'id', id: step.predicate } } : {};
}

export function isBackward(step: WalkStep | undefined): boolean {
  return step !== undefined && step.kind !== 'never' && step.backward;
}
