/**
 * Evaluates shapes over sets of nodes: the values of the path for all nodes of a batch at once, then one
 * constraint after the other over the columns of these values.
 *
 *  - Whether a node conforms to a shape that another asks about is found out once and remembered.
 *  - A shape that asks about itself has the greatest fixed point of its cycle: every node is taken to conform
 *    until something shows that it does not; what is found is evaluated again until nothing new fails.
 */

import { BATCH_ROWS } from '../storage/scan.js';
import type { Check, Evaluation, Reporter } from './checks/check.js';
import { checkOf } from './checks/index.js';
import { ClassTree } from './class-tree.js';
import type { DataGraph } from './data-graph.js';
import { type IdSet, part } from './id-columns.js';
import { CachedJudge, type Judge, UNDECIDED, YES } from './judges/judge.js';
import type { Pace } from './pace.js';
import type { Path } from './path.js';
import { identity, PathValues } from './path-values.js';
import { RecursiveShapes } from './recursive-shapes.js';
import type { Constraint, Shape } from './shapes.js';

/** Nodes of a batch whose path may lead anywhere. */
const CLOSURE_ROWS = 256;

export class Evaluator implements Evaluation {
  readonly classes: ClassTree;
  readonly paths: PathValues;
  readonly #checks = new Map<Constraint, Check>();
  readonly #judges = new Map<Shape, Judge>();
  readonly #recursive: RecursiveShapes;

  constructor(
    readonly view: DataGraph,
    readonly pace: Pace,
  ) {
    this.classes = new ClassTree(view);
    this.paths = new PathValues(view);
    this.#recursive = new RecursiveShapes((shape, nodes, answers) => this.#mark(shape, nodes, answers));
  }

  async evaluate(shape: Shape, nodes: IdSet, reporter: Reporter): Promise<void> {
    if (shape.deactivated || nodes.count === 0) return;
    const step = shape.path !== null && isUnbounded(shape.path) ? CLOSURE_ROWS : BATCH_ROWS;
    for (let from = 0; from < nodes.count; from += step) {
      await this.pace.turn();
      const to = Math.min(nodes.count, from + step);
      const offset = from === 0 ? reporter : shifted(reporter, from);
      await this.#batch(shape, part(nodes, from, to), offset);
    }
  }

  async #batch(shape: Shape, nodes: IdSet, reporter: Reporter): Promise<void> {
    const values = shape.path === null ? identity(nodes) : this.paths.of(nodes, shape.path);
    for (let at = 0; at < shape.constraints.length; at++) {
      const constraint = shape.constraints[at] as Constraint;
      let check = this.#checks.get(constraint);
      if (check === undefined) {
        check = checkOf(constraint, this);
        this.#checks.set(constraint, check);
      }
      const running = check.run({ shape, nodes, values, constraint: at, reporter });
      if (running !== undefined) await running;
    }
  }

  judgeOf(shape: Shape): Judge {
    let judge = this.#judges.get(shape);
    if (judge === undefined) {
      judge =
        shape.cycle < 0
          ? new CachedJudge(
              () => UNDECIDED,
              (nodes, answers) => this.#mark(shape, nodes, answers),
            )
          : this.#recursive.judgeOf(shape);
      this.#judges.set(shape, judge);
    }
    return judge;
  }

  /** Which nodes conform, without results. */
  async #mark(shape: Shape, nodes: IdSet, answers: Uint8Array): Promise<void> {
    answers.fill(YES, 0, nodes.count);
    await this.evaluate(shape, nodes, new MarkReporter(answers));
  }
}

/** Only notes that a node has failed. */
class MarkReporter implements Reporter {
  constructor(private readonly answers: Uint8Array) {}

  fail(_constraint: number, row: number): void {
    this.answers[row] = 0;
  }

  inner(): null {
    return null;
  }
}

/** The same for rows of a batch that begins later. */
function shifted(reporter: Reporter, from: number): Reporter {
  return {
    fail: (constraint, row, low, high, notes) => reporter.fail(constraint, row + from, low, high, notes),
    inner: (shape, nodes, weights) => reporter.inner(shape, nodes, weights),
  };
}

function isUnbounded(path: Path): boolean {
  if (path.kind === 'zeroOrMore' || path.kind === 'oneOrMore') return true;
  if ('path' in path) return isUnbounded(path.path);
  return 'paths' in path && path.paths.some(isUnbounded);
}
