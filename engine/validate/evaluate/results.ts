/** Results of a validation as ids; terms are made of them when a report is written. */

import { SvcError } from '../../base/errors.js';
import type { FailureNotes, Reporter } from '../checks/check.js';
import type { DataGraph } from '../data/data-graph.js';
import { grown, type IdSet } from '../data/id-columns.js';
import type { Constraint, Shape, Shapes } from '../shapes/shapes.js';

/** Words of one result: halves of focus node and value, then shape, constraint, root shape, count. */
const WORDS = 8;
const NO_COUNT = 0xffffffff;

/** Most results of one validation; a report of these takes some hundred megabytes. */
export const RESULTS_MAX = 500_000;

/** One result; where ids stand, they are of the view of the results. */
export interface RawResult {
  readonly focusLow: number;
  readonly focusHigh: number;
  /** 0 and 0 = no value. */
  readonly valueLow: number;
  readonly valueHigh: number;
  readonly shape: Shape;
  readonly constraint: Constraint;
  /** The shape whose target the evaluation came from. */
  readonly root: Shape;
  /** Of counts: how many there are; else null. */
  readonly count: number | null;
  readonly notes: FailureNotes | null;
}

export class Results {
  #words = new Uint32Array(64 * WORDS);
  #notes = new Map<number, FailureNotes>();
  count = 0;

  /** The view stays open for as long as results are read; the caller closes it. */
  constructor(
    readonly shapes: Shapes,
    readonly view: DataGraph,
  ) {}

  push(words: readonly number[], notes: FailureNotes | undefined): void {
    if (this.count === RESULTS_MAX) throw tooMany();
    if ((this.count + 1) * WORDS > this.#words.length) {
      this.#words = grown(this.#words, 2 * this.#words.length);
    }
    this.#words.set(words, this.count * WORDS);
    this.#words[this.count * WORDS + 7] = notes?.count ?? NO_COUNT;
    if (notes?.path !== undefined || notes?.message !== undefined) this.#notes.set(this.count, notes);
    this.count++;
  }

  at(index: number): RawResult {
    const from = index * WORDS;
    const word = (offset: number): number => this.#words[from + offset] as number;
    const shape = this.shapes.shapes[word(4)] as Shape;
    const count = word(7);
    return {
      focusLow: word(0),
      focusHigh: word(1),
      valueLow: word(2),
      valueHigh: word(3),
      shape,
      constraint: shape.constraints[word(5)] as Constraint,
      root: this.shapes.shapes[word(6)] as Shape,
      count: count === NO_COUNT ? null : count,
      notes: this.#notes.get(index) ?? null,
    };
  }

  *[Symbol.iterator](): Generator<RawResult> {
    for (let index = 0; index < this.count; index++) yield this.at(index);
  }
}

function tooMany(): SvcError {
  return new SvcError('limit_exceeded', `the data break the shapes in more than ${RESULTS_MAX} places`, {
    hint: 'mend what most of them have in common first, or validate a part of the data',
  });
}

/** Writes down the failures of one shape over a set of nodes. */
export class RecordReporter implements Reporter {
  constructor(
    private readonly results: Results,
    private readonly shape: Shape,
    private readonly root: Shape,
    private readonly nodes: IdSet,
    /** How many results each node stands for: as often as it is a value; null = one. */
    private readonly weights: Uint32Array | null = null,
  ) {}

  get failures(): number {
    return this.results.count;
  }

  fail(constraint: number, row: number, low: number, high: number, notes?: FailureNotes): void {
    const { ids } = this.nodes;
    const words = [ids[2 * row] as number, ids[2 * row + 1] as number, low, high];
    words.push(this.shape.index, constraint, this.root.index);
    for (let left = this.weights?.[row] ?? 1; left > 0; left--) this.results.push(words, notes);
  }

  inner(shape: Shape, nodes: IdSet, weights: Uint32Array | null): Reporter {
    return new RecordReporter(this.results, shape, this.root, nodes, weights);
  }
}
