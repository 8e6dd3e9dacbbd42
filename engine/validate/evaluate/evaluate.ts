/**
 * Evaluates shapes over sets of nodes: the values of the path for all nodes of a batch at once, then one
 * constraint after the other over the columns of these values.
 *
 *  - Whether a node conforms to a shape that another shape refers to is found out once and remembered, for all shapes
 *    with the same constraints (`shape-keys.ts`). A shape that all nodes of a small set conform to is not evaluated for
 *    that set again.
 *  - A recursive shape means the greatest fixed point of its cycle: every node is taken to conform until a constraint
 *    fails for it, and the cycle is evaluated again until no further node fails.
 */

import { getOrInsert } from '../../base/maps.js';
import { BATCH_ROWS } from '../../storage/seam/scan.js';
import type { Check, Evaluation, Reporter } from '../checks/check.js';
import { checkOf } from '../checks/index.js';
import { ClassTree } from '../data/class-tree.js';
import type { DataGraph, Pairs } from '../data/data-graph.js';
import { type IdSet, part } from '../data/id-columns.js';
import { PathValues } from '../data/path-values.js';
import { FEW_NODES } from '../data/subject-cache.js';
import type { Path } from '../shapes/path.js';
import type { Constraint, Shape } from '../shapes/shapes.js';
import { afterwards, NO, rememberedTest, UNDECIDED, type ValueTest, YES } from '../value-tests/value-test.js';
import type { YieldTimer } from '../yield-timer.js';
import { RecursiveShapes } from './recursive-shapes.js';

/** Nodes of a batch whose path may lead anywhere. */
const CLOSURE_ROWS = 256;

/** Evaluations over few nodes between two looks at the clock: microseconds each. */
const SMALL_AT_ONCE = 32;

export class Evaluator implements Evaluation {
  readonly classes: ClassTree;
  readonly paths: PathValues;
  readonly #checks = new Map<Constraint, Check>();
  readonly #tests = new Map<number, ValueTest>();
  #small = 1;
  readonly #passed = new WeakMap<IdSet, Set<number>>();
  readonly #recursive: RecursiveShapes;

  constructor(
    readonly view: DataGraph,
    readonly timer: YieldTimer,
  ) {
    this.classes = new ClassTree(view);
    this.paths = new PathValues(view);
    this.#recursive = new RecursiveShapes((shape, nodes, answers) => this.#mark(shape, nodes, answers));
  }

  /** Settles at once, without a promise, where nothing has to be waited for. */
  evaluate(shape: Shape, nodes: IdSet, reporter: Reporter): void | Promise<void> {
    if (shape.deactivated || nodes.count === 0) return;
    const step = shape.path !== null && isUnbounded(shape.path) ? CLOSURE_ROWS : BATCH_ROWS;
    const passed = this.#passedOf(nodes, shape);
    if (passed?.has(shape.key)) return;
    if (this.#isLong(nodes, step)) return this.#batches(shape, nodes, reporter, step);
    const before = reporter.failures;
    const running = this.#batch(shape, nodes, reporter);
    if (passed === null) return running;
    return afterwards(running, () => {
      if (reporter.failures === before) passed.add(shape.key);
    });
  }

  /** Whether there are several batches, or the event loop is due a turn. For few nodes the clock is read now and then only. */
  #isLong({ count }: IdSet, step: number): boolean {
    if (count > step) return true;
    const isAsked = count > FEW_NODES || this.#small++ % SMALL_AT_ONCE === 0;
    return isAsked && this.timer.isDue;
  }

  async #batches(shape: Shape, nodes: IdSet, reporter: Reporter, step: number): Promise<void> {
    for (let from = 0; from < nodes.count; from += step) {
      await this.timer.turn();
      const to = Math.min(nodes.count, from + step);
      const running = this.#batch(shape, part(nodes, from, to), from === 0 ? reporter : shifted(reporter, from));
      if (running !== undefined) await running;
    }
  }

  /** Keys of the shapes that all nodes of a small set conform to; none for recursive shapes, whose cycle is not settled yet. */
  #passedOf(nodes: IdSet, { cycle }: Shape): Set<number> | null {
    if (cycle >= 0 || nodes.count > FEW_NODES) return null;
    return getOrInsert(this.#passed, nodes, () => new Set());
  }

  #batch(shape: Shape, nodes: IdSet, reporter: Reporter): void | Promise<void> {
    return this.#run(shape, nodes, this.paths.ofShape(nodes, shape), reporter, 0);
  }

  /** The constraints of a shape from one on. */
  #run(shape: Shape, nodes: IdSet, values: Pairs, reporter: Reporter, first: number): void | Promise<void> {
    const { constraints } = shape;
    for (let at = first; at < constraints.length; at++) {
      const constraint = constraints[at] as Constraint;
      const check = getOrInsert(this.#checks, constraint, () => checkOf(constraint, this));
      const running = check({ shape, nodes, values, constraint: at, reporter });
      if (running !== undefined) return running.then(() => this.#run(shape, nodes, values, reporter, at + 1));
    }
  }

  testOf(shape: Shape): ValueTest {
    let test = this.#tests.get(shape.key);
    if (test === undefined) {
      const mark = (nodes: IdSet, answers: Uint8Array) => this.#mark(shape, nodes, answers);
      test = shape.cycle < 0 ? rememberedTest(() => UNDECIDED, mark) : this.#recursive.testOf(shape);
      this.#tests.set(shape.key, test);
    }
    return test;
  }

  /** Which nodes conform, without results. */
  #mark(shape: Shape, nodes: IdSet, answers: Uint8Array): void | Promise<void> {
    answers.fill(YES, 0, nodes.count);
    return this.evaluate(shape, nodes, new MarkReporter(answers));
  }
}

/** Only notes that a node has failed. */
class MarkReporter implements Reporter {
  failures = 0;

  constructor(private readonly answers: Uint8Array) {}

  fail(_constraint: number, row: number): void {
    this.answers[row] = NO;
    this.failures++;
  }

  inner(): null {
    return null;
  }
}

/** A reporter for a batch that begins at a later row. */
function shifted(reporter: Reporter, from: number): Reporter {
  return {
    get failures() {
      return reporter.failures;
    },
    fail: (constraint, row, low, high, notes) => reporter.fail(constraint, row + from, low, high, notes),
    inner: (shape, nodes, weights) => reporter.inner(shape, nodes, weights),
  };
}

function isUnbounded(path: Path): boolean {
  if (path.kind === 'zeroOrMore' || path.kind === 'oneOrMore') return true;
  if ('path' in path) return isUnbounded(path.path);
  return 'paths' in path && path.paths.some(isUnbounded);
}
