/** The check of one constraint over a batch of focus nodes and their values, and the reporter that is told what fails. */

import type { Term } from '../../rdf/terms.js';
import type { ClassTree } from '../data/class-tree.js';
import type { DataGraph, Pairs } from '../data/data-graph.js';
import type { IdSet } from '../data/id-columns.js';
import type { PathValues } from '../data/path-values.js';
import type { Shape } from '../shapes/shapes.js';
import type { ValueTest } from '../value-tests/value-test.js';
import type { YieldTimer } from '../yield-timer.js';

/** What a failure says beyond focus node and value. */
export interface FailureNotes {
  /** Of counts: how many there are. */
  readonly count?: number;
  /** A path in place of that of the shape. */
  readonly path?: Term;
  /** What a SPARQL constraint makes of its message. */
  readonly message?: string;
}

export interface Reporter {
  /** The number of failures so far. */
  readonly failures: number;
  /** `row` is that of the focus node; halves of 0 stand for no value. */
  fail(constraint: number, row: number, low: number, high: number, notes?: FailureNotes): void;
  /**
   * For the results of a property shape about the values: `weights` has how often each of them is a value; null =
   * once. Gives null when results are not wanted, only whether a node conforms.
   */
  inner(shape: Shape, nodes: IdSet, weights: Uint32Array | null): Reporter | null;
}

/** What a constraint is evaluated over. */
export interface Batch {
  readonly shape: Shape;
  readonly nodes: IdSet;
  readonly values: Pairs;
  /** Place of the constraint in its shape. */
  readonly constraint: number;
  readonly reporter: Reporter;
}

/** Tells the reporter of the batch what fails. Makes no promise where there is nothing to wait for. */
export type Check = (batch: Batch) => void | Promise<void>;

/** Data and other shapes, as checks see them. */
export interface Evaluation {
  readonly view: DataGraph;
  readonly classes: ClassTree;
  readonly paths: PathValues;
  /** Whether nodes conform to a shape. */
  testOf(shape: Shape): ValueTest;
  /** All results of a shape about nodes. */
  evaluate(shape: Shape, nodes: IdSet, reporter: Reporter): void | Promise<void>;
  readonly timer: YieldTimer;
}

/** Calls `take` for each row of the nodes with the range of its values, rows without one included. */
export function eachRow(nodes: IdSet, values: Pairs, take: (row: number, from: number, to: number) => void): void {
  const { rows, count } = values;
  for (let row = 0, at = 0; row < nodes.count; row++) {
    const from = at;
    while (at < count && rows[at] === row) at++;
    take(row, from, at);
  }
}
