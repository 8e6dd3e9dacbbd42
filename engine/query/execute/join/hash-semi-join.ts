/**
 * The rows of one side that have, or have not, a partner on the other: EXISTS, NOT EXISTS and MINUS by
 * a hash table. MINUS takes a row away when a partner agrees with it and binds one of its variables too
 * (SPARQL 1.1, 18.5, Minus); keys that both sides always bind see to that by themselves. Under a condition on both
 * rows the partners of a row are tried until one meets it: all that share its keys, or, where the condition compares a
 * value of the partner with what the row has, those that the comparison leaves (`partner-ranges.ts`).
 */

import type { Expression } from '../../algebra/expression.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { columnsOf, type Operator } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';
import { type PartnerRangeSpec, PartnerRanges } from '../range-join/range-index.js';
import { PartnerRounds } from '../range-join/range-probe.js';
import type { HashJoinKeys } from '../tables/build-table.js';
import { type JoinPiece, type JoinRun, WHOLE_JOIN } from '../tables/join-run.js';
import { LoosePairs, OPEN } from '../tables/nullable-pairs.js';
import { PairCursor } from '../tables/pair-cursor.js';
import { rowPairs } from '../tables/row-pairs.js';
import { joinedVariables, TableJoinOperator } from '../tables/table-join.js';
import { JoinOutput } from './join-output.js';
import { PairCondition } from './pair-condition.js';

/** Partners that one call looks at. */
const PARTNERS_PER_CALL = 65_536;

/** What partners have to meet besides the keys. */
export interface PartnerCondition {
  readonly expression: Expression;
  readonly terms: QueryTerms;
  /** Comparisons that are parts of the condition; null = none by which partners are found. */
  readonly range: PartnerRangeSpec | null;
}

export class HashSemiJoinOperator extends TableJoinOperator {
  protected readonly dropsLonely: boolean;
  private readonly cursor: PairCursor;
  private readonly loose: LoosePairs | null;
  private readonly output: JoinOutput;
  /** Of the rows that share the keys, some may yet not be partners. */
  private readonly choosy: boolean;
  private readonly sharingMatters: boolean;
  /** By row of the batch: 1 = it has a partner. */
  private matched = new Uint8Array(0);
  /** By row: whether it has to be compared with those that share its keys; null = all have to. */
  private open: Uint8Array | null = null;
  private row = 0;
  /** Rows of the group at hand that are no partners of the row. */
  private refused = 0;
  private done = false;
  private readonly test: PairCondition | null;
  private readonly pairsMax: number;
  private rounds: PartnerRounds | null = null;
  private ranges: PartnerRanges | null = null;
  /** Whether the partners have been sorted, or need not be. */
  private prepared = false;
  private begun = false;

  constructor(
    input: Operator,
    partners: Operator,
    keys: HashJoinKeys,
    private readonly anti: boolean,
    budget: MemoryBudget,
    run: JoinRun = WHOLE_JOIN,
    shown: readonly string[] = input.variables,
    private readonly condition: PartnerCondition | null = null,
  ) {
    super(input, partners, keys, budget, shown, run);
    this.dropsLonely = !anti;
    this.sharingMatters = keys.certain.length === 0;
    this.choosy = keys.loose.length > 0 || this.sharingMatters;
    this.cursor = new PairCursor(this.table.groups, false);
    this.loose = keys.loose.length === 0 ? null : new LoosePairs(this.table);
    this.output = new JoinOutput(shown, input.variables, []);
    this.pairsMax = batchRowsFor(joinedVariables(input.variables, partners.variables).length);
    this.test =
      condition === null
        ? null
        : new PairCondition(condition.expression, input.variables, partners.variables, keys.loose, condition.terms);
  }

  protected again(input: Operator, partners: Operator, shown: readonly string[], run: JoinRun): Operator {
    const { keys, anti, budget, condition } = this;
    return new HashSemiJoinOperator(input, partners, keys, anti, budget, run, shown, condition);
  }

  /** Pairs that the condition has been tested on. */
  get pairsTested(): number {
    return this.rounds?.pairs ?? 0;
  }

  protected begin(batch: QueryBatch): void {
    this.begun = false;
    this.cursor.begin(batch, this.table.probeKeys);
    if (this.matched.length < batch.rows) this.matched = new Uint8Array(batch.rows);
    else if (this.test !== null) this.matched.fill(0, 0, batch.rows);
    this.open = this.loose?.markMatched(batch, this.matched, this.sharingMatters) ?? null;
    this.row = 0;
    this.refused = 0;
    this.done = false;
  }

  protected joinSome(batch: QueryBatch): QueryBatch | null {
    const { piece } = this.run;
    if (this.test !== null) {
      if (!this.tryPartners(batch, this.test)) return null;
    } else if (this.choosy) {
      if (!this.lookForPartners(batch)) return null;
    } else if (piece === null) {
      this.done = true;
      return this.output.gatherSome(batch, this.table.store, this.cursor.listMatched(!this.anti));
    } else this.cursor.markMatched(this.matched);
    this.done = true;
    if (piece !== null) this.carryMatches(piece, batch.rows);
    // Only the last piece of the partners tells.
    return piece?.last === false ? null : this.give(batch);
  }

  protected isDone(): boolean {
    return this.done;
  }

  /** True when all rows of the batch have been looked at. */
  private lookForPartners(batch: QueryBatch): boolean {
    const { cursor, table } = this;
    let left = PARTNERS_PER_CALL;
    for (; this.row < batch.rows; this.row++) {
      if (this.open !== null && this.open[this.row] !== OPEN) continue;
      const group = cursor.groupAt(this.row);
      const all = group < 0 ? 0 : table.groups.rowsIn(group);
      while (this.refused < all && !this.agrees(batch, table.groups.rowAt(group, this.refused))) {
        this.refused++;
        if (left-- === 0) return false;
      }
      this.matched[this.row] = this.refused < all ? 1 : 0;
      this.refused = 0;
    }
    return true;
  }

  /** Tries some pairs; true when there are no more. */
  private tryPartners(batch: QueryBatch, test: PairCondition): boolean {
    const { cursor, table, matched } = this;
    if (!this.prepared && !this.prepare()) return false;
    const rounds = this.rounds as PartnerRounds;
    if (!this.begun) {
      this.ranges?.begin(batch);
      rounds.begin(cursor, batch.rows, matched);
      this.begun = true;
    }
    const filled = rounds.fill(cursor, this.pairsMax, matched);
    const kept = test.keep(batch, table.store, table.keepCompatible(batch, filled));
    const { first } = rowPairs();
    for (let pair = 0; pair < kept; pair++) matched[first[pair] as number] = 1;
    return rounds.atEnd;
  }

  /** Sorts the partners by what they are compared by, where memory has room for that; false = call again. */
  private prepare(): boolean {
    const { table } = this;
    if (this.rounds === null) {
      this.ranges = this.sortedPartners();
      this.rounds = new PartnerRounds(table.groups, this.ranges);
    }
    if (this.ranges?.work() === false) return false;
    if (this.ranges !== null) table.give(PartnerRanges.bytesOfMaking(table.store.rows));
    this.prepared = true;
    return true;
  }

  private sortedPartners(): PartnerRanges | null {
    const { table, condition, probe, inputs } = this;
    const range = condition?.range ?? null;
    // Keys that never come twice leave one partner at most.
    if (condition === null || range === null || table.groups.unique) return null;
    if (!table.tryTake(PartnerRanges.bytesFor(table.store.rows))) return null;
    const bounds = columnsOf(
      probe.variables,
      range.bounds.map(({ variable }) => variable),
    );
    const value = (inputs[1] as Operator).variables.indexOf(range.value);
    return new PartnerRanges(table.groups, table.store, value, range, bounds, condition.terms);
  }

  private agrees(batch: QueryBatch, candidate: number): boolean {
    const { table, row } = this;
    if (!table.compatible(batch, row, candidate)) return false;
    return !this.sharingMatters || table.shareLoose(batch, row, candidate);
  }

  /** What the pieces before have found counts too. */
  private carryMatches(piece: JoinPiece, rows: number): void {
    for (let row = 0; row < rows; row++) {
      if (this.matched[row] === 1) piece.matched.add(this.rowsBefore + row);
      else if (piece.matched.has(this.rowsBefore + row)) this.matched[row] = 1;
    }
  }

  private give(batch: QueryBatch): QueryBatch | null {
    const count = listRows(this.matched, this.anti ? 0 : 1, batch.rows);
    return this.output.gatherSome(batch, this.table.store, count);
  }

  protected release(): void {
    this.cursor.release();
    this.loose?.release();
    this.output.release();
    this.test?.release();
  }
}

/** Puts the rows with the wanted mark into the pairs. */
function listRows(marks: Uint8Array, wanted: number, rows: number): number {
  const { first } = rowPairs();
  let count = 0;
  for (let row = 0; row < rows; row++) {
    first[count] = row;
    if (marks[row] === wanted) count++;
  }
  return count;
}
