/**
 * A path of arbitrary or optional length whose steps another plan gives, so that they may come from several stores:
 *
 *  1. All steps are read, and all nodes of the graph where a node may be its own end.
 *  2. From each start, or backwards from the end where only that is known, the nodes that can be reached are given, each once,
 *     before the next start begins: what is held are the steps and the nodes that one search has seen.
 */

import { getOrInsert } from '../../../base/maps.js';
import { highOf, lowOf } from '../../../storage/ids/halves.js';
import type { TermId } from '../../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import type { PatternTerm } from '../../algebra/algebra.js';
import { BatchBuffer, type QueryBatch } from '../../runtime/batch.js';
import { idAt } from '../../runtime/ids.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';

/** Entries of a map and of two lists, roughly. */
const BYTES_PER_STEP = 120;
const BYTES_PER_NODE = 60;
/** Nodes that are looked at before control goes back. */
const NODES_PER_SLICE = 4096;

export interface WalkSpec {
  readonly s: PatternTerm;
  readonly o: PatternTerm;
  readonly min: 0 | 1;
  readonly max: 1 | null;
  readonly label: string;
}

type Steps = Map<TermId, TermId[]>;

export class WalkOperator extends WorkOperator {
  private readonly buffer: BatchBuffer;
  private heldBytes = 0;
  /** Of the nodes that the search at hand has seen. */
  private seenBytes = 0;
  private looked = 0;

  constructor(
    variables: readonly string[],
    private readonly steps: Operator,
    private readonly nodes: Operator | null,
    private readonly spec: WalkSpec,
    private readonly terms: QueryTerms,
    private readonly budget: MemoryBudget,
  ) {
    super(variables, nodes === null ? [steps] : [steps, nodes]);
    this.buffer = new BatchBuffer(variables.length, BATCH_ROWS);
  }

  protected *work(): Work<void, QueryBatch> {
    const { s, o, min } = this.spec;
    const start = this.constantOf(s);
    const end = this.constantOf(o);
    const backwards = start === null && end !== null;
    const steps: Steps = new Map();
    yield* this.read(this.steps, ([from, to], row) => {
      const [a, b] = [idAt(from as IdColumn, row), idAt(to as IdColumn, row)];
      this.hold(BYTES_PER_STEP);
      if (backwards) getOrInsert(steps, b, () => []).push(a);
      else getOrInsert(steps, a, () => []).push(b);
    });
    const nodes = new Set<TermId>();
    if (this.nodes !== null) {
      yield* this.read(this.nodes, ([node], row) => {
        this.hold(BYTES_PER_NODE);
        nodes.add(idAt(node as IdColumn, row));
      });
    }
    const only = start ?? end;
    // A term of the query is its own end even where no graph has it.
    const starts = only !== null ? [only] : min === 0 ? nodes : steps.keys();
    for (const from of starts) {
      yield* this.search(from, steps, backwards, end);
      this.forgetSeen();
    }
    if (this.buffer.rows > 0) yield this.buffer;
  }

  private *search(from: TermId, steps: Steps, backwards: boolean, end: TermId | null): Work<void, QueryBatch> {
    const { min, max } = this.spec;
    const seen = new Set<TermId>();
    let frontier: TermId[] = [from];
    if (min === 0) {
      seen.add(from);
      yield* this.give(from, from, backwards, end);
    }
    while (frontier.length > 0) {
      const next: TermId[] = [];
      for (const node of frontier) {
        if (++this.looked % NODES_PER_SLICE === 0) yield PENDING;
        for (const to of steps.get(node) ?? []) {
          if (seen.has(to)) continue;
          seen.add(to);
          next.push(to);
          yield* this.give(from, to, backwards, end);
        }
      }
      this.budget.take(next.length * BYTES_PER_NODE);
      this.seenBytes += next.length * BYTES_PER_NODE;
      frontier = max === 1 ? [] : next;
    }
  }

  private *give(from: TermId, to: TermId, backwards: boolean, end: TermId | null): Work<void, QueryBatch> {
    const { s, o } = this.spec;
    if (s.kind === 'term' && end !== null && to !== end) return;
    if (s.kind === 'variable' && o.kind === 'variable' && s.name === o.name && from !== to) return;
    const { buffer } = this;
    const [a, b] = backwards ? [to, from] : [from, to];
    let column = 0;
    const write = (id: TermId): void => {
      (buffer.columns[column] as IdColumn).set([lowOf(id), highOf(id)], 2 * buffer.rows);
      column++;
    };
    if (s.kind === 'variable') write(a);
    if (o.kind === 'variable' && !(s.kind === 'variable' && s.name === o.name)) write(b);
    buffer.rows++;
    if (!buffer.full) return;
    yield buffer;
    buffer.clear();
  }

  private *read(input: Operator, take: (columns: readonly IdColumn[], row: number) => void): Work {
    for (let step = input.next(); step !== null; step = input.next()) {
      if (step !== PENDING) for (let row = 0; row < step.rows; row++) take(step.columns, row);
      yield PENDING;
    }
  }

  private constantOf(term: PatternTerm): TermId | null {
    return term.kind === 'term' ? this.terms.encode(term.term) : null;
  }

  private forgetSeen(): void {
    this.budget.give(this.seenBytes);
    this.seenBytes = 0;
  }

  private hold(bytes: number): void {
    this.budget.take(bytes);
    this.heldBytes += bytes;
  }

  override close(): void {
    super.close();
    this.forgetSeen();
    this.budget.give(this.heldBytes);
    this.heldBytes = 0;
  }
}
