/**
 * Adds one variable to the rows of an input where several patterns bind it at once: a step of a
 * worst-case optimal join (Ngo, Ré, Rudra, "Skew strikes back", 2013), by intersecting sorted lists as
 * leapfrog joins do (Veldhuizen, "Leapfrog triejoin", 2014). A triangle so never makes the open paths of
 * two edges that pairwise joins would make.
 *
 *  1. Each pattern is read once and made into lists: for each key that the input may have, the ids of
 *     the variable, ascending (`sorted-lists.ts`).
 *  2. For each row of the input, its list of each pattern is found, and the lists are intersected. An id
 *     that stands in a list several times counts as often.
 *
 * Where the lists do not fit into memory, hash joins do the work one pattern after the other. The output
 * keeps the order of the input.
 */

import { invariant } from '../../../base/errors.js';
import { threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import { KernelNumbers } from '../../runtime/kernel-columns.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import { BuildTable } from '../tables/build-table.js';
import { type JoinRun, joinRun } from '../tables/join-run.js';
import { rowPairs } from '../tables/row-pairs.js';
import { joinedVariables } from '../tables/table-join.js';
import { HashJoinOperator } from './hash-join.js';
import { JoinOutput } from './join-output.js';
import { SortedLists } from './sorted-lists.js';

export interface LeapfrogSpec {
  /** The variable that every list binds. */
  readonly variable: string;
  /** By list: the variables that it shares with the input. */
  readonly keys: readonly (readonly string[])[];
}

/** Rows of the input and ids of their lists that a slice looks at: about a millisecond. */
const STEPS_PER_SLICE = 131_072;
/** The state of the kernel: words in front of the lists, and of each list. */
const STATE_WORDS = 6;
const LIST_WORDS = 6;

export class LeapfrogJoinOperator extends WorkOperator {
  private readonly tables: readonly BuildTable[];
  private readonly lists: SortedLists[] = [];
  private readonly output: JoinOutput;
  private readonly pairsMax: number;
  /** The lists in place of the rows of the second side. */
  private found: QueryBatch = { rows: 0, columns: [] };
  /** Does the work where the lists do not fit. */
  private instead: Operator | null = null;
  /** By list: group of each row of the batch. */
  private readonly groups: readonly KernelNumbers[];
  /** Where the kernel is; null until there are lists. */
  private state: Uint32Array | null = null;
  private readonly pairs = rowPairs();

  constructor(
    private readonly input: Operator,
    private readonly patterns: readonly Operator[],
    private readonly spec: LeapfrogSpec,
    private readonly budget: MemoryBudget,
    private readonly run: JoinRun = joinRun(),
    shown: readonly string[] = [...input.variables, spec.variable],
  ) {
    super(shown, [input, ...patterns]);
    this.tables = patterns.map((pattern, list) => {
      const keys = { certain: spec.keys[list] as readonly string[], loose: [] };
      return new BuildTable(pattern, input.variables, keys, run, budget);
    });
    this.output = new JoinOutput(shown, input.variables, [spec.variable]);
    this.pairsMax = batchRowsFor(shown.length);
    this.groups = patterns.map(() => new KernelNumbers(BATCH_ROWS));
  }

  protected *work(): Work<void, QueryBatch> {
    if (!(yield* this.makeLists())) {
      this.instead = this.pairwise();
      return yield* this.instead.batches();
    }
    if (this.tables.some((table) => table.store.rows === 0)) return;
    for (let step = this.input.next(); step !== null; step = this.input.next()) {
      if (step === PENDING) {
        yield PENDING;
        continue;
      }
      const state = this.begin(step);
      while ((state[2] as number) < step.rows) {
        const count = this.intersectSome(state);
        invariant(count <= this.pairsMax, 'a step of a join makes as many pairs as a batch has rows');
        yield count === 0 ? PENDING : this.output.gather(step, this.found, count);
      }
    }
  }

  /** Reads one pattern after the other, and makes its lists; false when they do not fit. */
  private *makeLists(): Work<boolean> {
    for (const [at, table] of this.tables.entries()) {
      if (!(yield* table.make()) || !table.tryTake(SortedLists.bytesFor(table.store.rows))) return false;
      const list = new SortedLists(table, (this.patterns[at] as Operator).variables.indexOf(this.spec.variable));
      this.lists.push(list);
      yield* list.fill();
    }
    const { ids } = this.lists[0] as SortedLists;
    this.found = { rows: ids.length / 2, columns: [ids] };
    return true;
  }

  /** The same join pattern by pattern. */
  private pairwise(): Operator {
    const { variable, keys } = this.spec;
    return this.tables.reduce((joined: Operator, table, list) => {
      const certain = list === 0 ? (keys[list] as readonly string[]) : [...(keys[list] as readonly string[]), variable];
      const last = list === this.tables.length - 1;
      const all = joinedVariables(joined.variables, [variable]);
      const shown = last ? this.variables : all;
      return new HashJoinOperator(joined, table.replay(), { certain, loose: [] }, this.budget, this.run, shown);
    }, this.input);
  }

  /** Gives the state of the kernel. */
  private begin(batch: QueryBatch): Uint32Array {
    const { lists, tables, groups } = this;
    const words = STATE_WORDS + LIST_WORDS * lists.length;
    this.state ??= threadWords(threadMemory().allocate(4 * words), words);
    const { state } = this;
    state.fill(0);
    state[0] = lists.length;
    state[1] = batch.rows;
    for (let list = 0; list < lists.length; list++) {
      const table = tables[list] as BuildTable;
      const numbers = groups[list] as KernelNumbers;
      const made = lists[list] as SortedLists;
      numbers.reserve(batch.rows);
      table.groups.probe(batch.columns, table.probeKeys, batch.rows, numbers.words);
      const at = STATE_WORDS + LIST_WORDS * list;
      state[at] = numbers.words.byteOffset;
      state[at + 1] = made.startsAt;
      state[at + 2] = made.ids.byteOffset;
    }
    return state;
  }

  /** Fills the pairs (row, place in the first list); returns how many there are. */
  private intersectSome({ byteOffset }: Uint32Array): number {
    const { pairs, pairsMax } = this;
    const { kernels } = threadMemory();
    return kernels.intersectLists(
      byteOffset,
      STEPS_PER_SLICE,
      pairsMax,
      pairs.first.byteOffset,
      pairs.second.byteOffset,
    );
  }

  override close(): void {
    super.close();
    this.instead?.close();
    for (const table of this.tables) table.release();
    for (const list of this.lists) list.release();
    for (const numbers of this.groups) numbers.release();
    if (this.state !== null) threadMemory().free(this.state.byteOffset, 4 * this.state.length);
    this.state = null;
    this.output.release();
  }
}
