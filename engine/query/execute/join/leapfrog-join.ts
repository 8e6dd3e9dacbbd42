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

import { threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import { KernelNumbers } from '../../runtime/kernel-columns.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { Operator, PENDING, type Step } from '../../runtime/operator.js';
import { BuildTable } from '../tables/build-table.js';
import { type JoinRun, joinRun } from '../tables/join-run.js';
import { rowPairs } from '../tables/row-pairs.js';
import { joinedVariables } from '../tables/table-join.js';
import { HashJoinOperator } from './hash-join.js';
import { JoinOutput } from './join-output.js';
import { SortedLists } from './sorted-lists.js';

export interface IntersectSpec {
  /** The variable that every list binds. */
  readonly variable: string;
  /** By list: the variables that it shares with the input. */
  readonly keys: readonly (readonly string[])[];
}

/** Rows of the input and ids of their lists that one call looks at: about a millisecond. */
const STEPS_PER_CALL = 131_072;
/** The state of the kernel: words in front of the lists, and of each list. */
const STATE_WORDS = 6;
const LIST_WORDS = 6;

export class IntersectJoinOperator extends Operator {
  private readonly tables: readonly BuildTable[];
  private readonly lists: SortedLists[] = [];
  private making: SortedLists | null = null;
  private readonly output: JoinOutput;
  private readonly pairsMax: number;
  /** The lists in place of the rows of the second side. */
  private found: QueryBatch = { rows: 0, columns: [] };
  /** Does the work where the lists do not fit. */
  private instead: Operator | null = null;
  private batch: QueryBatch | null = null;
  /** By list: group of each row of the batch. */
  private readonly groups: readonly KernelNumbers[];
  /** Where the kernel is; null until there are lists. */
  private state: Uint32Array | null = null;
  private readonly pairs = rowPairs();

  constructor(
    private readonly input: Operator,
    private readonly patterns: readonly Operator[],
    private readonly spec: IntersectSpec,
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

  protected step(): Step {
    if (this.instead === null && this.lists.length < this.tables.length) {
      this.buildSome();
      return PENDING;
    }
    if (this.instead !== null) return this.instead.next();
    if (this.tables.some((table) => table.store.rows === 0)) return null;
    if (this.batch === null) {
      const step = this.input.next();
      if (step === null || step === PENDING) return step;
      this.begin(step);
    }
    const batch = this.batch as QueryBatch;
    const count = this.intersectSome();
    if ((this.state?.[2] as number) >= batch.rows) this.batch = null;
    return count === 0 ? PENDING : this.output.gather(batch, this.found, count);
  }

  /** Reads the pattern whose turn it is, and makes its lists. */
  private buildSome(): void {
    const { lists, tables } = this;
    const list = this.making;
    if (list !== null) {
      if (!list.work()) return;
      this.making = null;
      lists.push(list);
      if (lists.length === 1) this.found = { rows: list.ids.length / 2, columns: [list.ids] };
      return;
    }
    const table = tables[lists.length] as BuildTable;
    if (!table.work()) return;
    if (!table.isWhole || !table.tryTake(SortedLists.bytesFor(table.store.rows))) {
      this.instead = this.pairwise();
      return;
    }
    const pattern = this.patterns[lists.length] as Operator;
    this.making = new SortedLists(table, pattern.variables.indexOf(this.spec.variable));
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

  private begin(batch: QueryBatch): void {
    this.batch = batch;
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
  }

  /** Fills the pairs (row, place in the first list); returns how many there are. */
  private intersectSome(): number {
    const { pairs, pairsMax } = this;
    const { byteOffset } = this.state as Uint32Array;
    const { kernels } = threadMemory();
    return kernels.intersectLists(
      byteOffset,
      STEPS_PER_CALL,
      pairsMax,
      pairs.first.byteOffset,
      pairs.second.byteOffset,
    );
  }

  override close(): void {
    this.instead?.close();
    for (const table of this.tables) table.release();
    for (const list of this.lists) list.release();
    this.making?.release();
    for (const numbers of this.groups) numbers.release();
    if (this.state !== null) threadMemory().free(this.state.byteOffset, 4 * this.state.length);
    this.state = null;
    this.output.release();
    super.close();
  }
}
