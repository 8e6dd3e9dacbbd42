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

import type { IdColumn } from '../../storage/scan.js';
import { batchRowsFor, type QueryBatch } from './batch.js';
import { BuildTable } from './build-table.js';
import { HashJoinOperator } from './hash-join.js';
import { JoinOutput } from './join-output.js';
import { pairs } from './join-pairs.js';
import type { MemoryBudget } from './memory.js';
import { Operator, PENDING, type Step } from './operator.js';
import { endOfRun, firstNotBelow, isBelow } from './sorted-ids.js';
import { SortedLists } from './sorted-lists.js';
import { type JoinRun, joinRun } from './spill/join-run.js';
import { joinedVariables } from './table-join.js';

export interface IntersectSpec {
  /** The variable that every list binds. */
  readonly variable: string;
  /** By list: the variables that it shares with the input. */
  readonly keys: readonly (readonly string[])[];
}

/** Rows of the input and ids of their lists that one call looks at: about a millisecond. */
const STEPS_PER_CALL = 131_072;

type Outcome = 'found' | 'ended' | 'unfinished';

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
  private row = 0;
  private entered = false;
  /** By list: group of each row of the batch. */
  private readonly groups: Int32Array[];
  /** By list: the place at hand, and the end of the list of the row. */
  private readonly at: Int32Array;
  private readonly ends: Int32Array;
  private stepsLeft = 0;
  /** How often the match at hand has been given. */
  private given = 0;

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
    this.groups = patterns.map(() => new Int32Array(0));
    this.at = new Int32Array(patterns.length);
    this.ends = new Int32Array(patterns.length);
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
    const batch = this.batch as unknown as QueryBatch;
    const count = this.intersectSome(batch);
    if (this.row >= batch.rows) this.batch = null;
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
    this.row = 0;
    this.entered = false;
    this.tables.forEach((table, list) => {
      if ((this.groups[list] as Int32Array).length < batch.rows) this.groups[list] = new Int32Array(batch.rows);
      table.groups.probe(batch.columns, table.probeKeys, batch.rows, this.groups[list] as Int32Array);
    });
  }

  /** Fills the pairs (row, place in the first list); returns how many there are. */
  private intersectSome(batch: QueryBatch): number {
    let count = 0;
    this.stepsLeft = STEPS_PER_CALL;
    while (this.row < batch.rows) {
      const outcome = this.entered || this.enter() ? this.align() : 'ended';
      if (outcome === 'unfinished' || this.stepsLeft-- <= 0) return count;
      if (outcome === 'ended') {
        this.entered = false;
        this.row++;
        continue;
      }
      const times = this.timesFound();
      const place = this.at[0] as number;
      while (this.given < times) {
        if (count === this.pairsMax) return count;
        pairs.first[count] = this.row;
        pairs.second[count++] = place;
        this.given++;
      }
      this.given = 0;
      this.at[0] = place + 1;
    }
    return count;
  }

  /** Goes to the beginning of the lists of the row; false when one of them is empty. */
  private enter(): boolean {
    for (let list = 0; list < this.lists.length; list++) {
      const group = (this.groups[list] as Int32Array)[this.row] as number;
      if (group < 0) return false;
      const lists = this.lists[list] as SortedLists;
      this.at[list] = lists.startOf(group);
      this.ends[list] = lists.endOf(group);
    }
    this.entered = true;
    return true;
  }

  /** Moves on to the next id that stands in all lists, or to the end of one. */
  private align(): Outcome {
    const { at, ends, lists } = this;
    for (;;) {
      const outcome = this.alignTwo();
      if (outcome !== 'found') return outcome;
      const { ids: first } = lists[0] as SortedLists;
      const low = first[2 * (at[0] as number)] as number;
      const high = first[2 * (at[0] as number) + 1] as number;
      let alike = true;
      for (let list = 2; list < lists.length && alike; list++) {
        const { ids } = lists[list] as SortedLists;
        const end = ends[list] as number;
        let place = at[list] as number;
        if (place < end && isBelow(ids, place, low, high)) place = firstNotBelow(ids, place, end, low, high);
        at[list] = place;
        if (place === end) return 'ended';
        alike = ids[2 * place] === low && ids[2 * place + 1] === high;
      }
      if (alike) return 'found';
      at[0] = (at[0] as number) + 1;
    }
  }

  /** The same for the first two lists. */
  private alignTwo(): Outcome {
    const { at, ends } = this;
    const { ids: first } = this.lists[0] as SortedLists;
    const { ids: second } = this.lists[1] as SortedLists;
    const firstEnd = ends[0] as number;
    const secondEnd = ends[1] as number;
    let mine = at[0] as number;
    let other = at[1] as number;
    const galloping = isLopsided(firstEnd - mine, secondEnd - other);
    let steps = this.stepsLeft;
    let outcome: Outcome = 'unfinished';
    while (steps-- > 0) {
      if (mine >= firstEnd || other >= secondEnd) {
        outcome = 'ended';
        break;
      }
      const low = first[2 * mine] as number;
      const high = first[2 * mine + 1] as number;
      const otherLow = second[2 * other] as number;
      const otherHigh = second[2 * other + 1] as number;
      if (low === otherLow && high === otherHigh) {
        outcome = 'found';
        break;
      }
      if (high < otherHigh || (high === otherHigh && low < otherLow)) {
        mine = galloping ? firstNotBelow(first, mine, firstEnd, otherLow, otherHigh) : mine + 1;
      } else other = galloping ? firstNotBelow(second, other, secondEnd, low, high) : other + 1;
    }
    at[0] = mine;
    at[1] = other;
    this.stepsLeft = steps;
    return outcome;
  }

  /** How often the id at hand stands in the other lists, all together. */
  private timesFound(): number {
    let times = 1;
    for (let list = 1; list < this.lists.length; list++) {
      const place = this.at[list] as number;
      times *= endOfRun(this.lists[list]?.ids as IdColumn, place, this.ends[list] as number) - place;
    }
    return times;
  }

  override close(): void {
    this.instead?.close();
    for (const table of this.tables) table.release();
    super.close();
  }
}

/** One list is so much longer than the other that it is better to gallop. */
function isLopsided(first: number, second: number): boolean {
  return first > 8 * second || second > 8 * first;
}
