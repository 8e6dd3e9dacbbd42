/**
 * MIN and MAX over any terms, by the order of ORDER BY; of terms that tie in it the one that a fixed
 * rule puts first (or last), so that the answer does not depend on the sequence of rows. Inlined
 * numbers and times are compared by their ids. An error in one row makes the result an error.
 */

import { orderTermsStrictly, orderValues } from '../../rdf/values/index.js';
import { idOfHalves, millisecondsOfHalves, numericOfHalves, ORDERED_PREFIXES } from '../../storage/ids/halves.js';
import type { IdColumn } from '../../storage/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import { Operand } from '../expressions/operand.js';
import { copyId, type QueryBatch } from '../operators/batch.js';
import { isUnboundAt, sameId } from '../operators/ids.js';
import type { MemoryAccount } from '../operators/memory.js';
import { Accumulator, grownBytes, grownIds } from './accumulator.js';
import { AggregatedValues } from './aggregated-values.js';

const STATE = { empty: 0, found: 1, error: 2 } as const;
/** A decoded term with its value, roughly. */
const OPERAND_BYTES = 250;

export class ExtremeAccumulator extends Accumulator {
  protected readonly groupBytes = 2 * Uint32Array.BYTES_PER_ELEMENT + 1;
  private states = new Uint8Array(0);
  private best: IdColumn = new Uint32Array(0);
  /** The best terms of groups that had to be decoded. */
  private readonly operands = new Map<number, Operand>();
  private readonly values: AggregatedValues;
  /** 1 when the greater one is better, -1 when the lesser one is. */
  private readonly direction: 1 | -1;

  constructor(
    aggregate: Aggregate,
    private readonly context: BatchContext,
    budget: MemoryAccount,
    grouped: boolean,
  ) {
    super(budget);
    this.direction = aggregate.function === 'max' ? 1 : -1;
    // The same value twice changes nothing.
    this.values = new AggregatedValues({ ...aggregate, distinct: false }, context, budget, grouped);
  }

  add(batch: QueryBatch, groups: Int32Array): void {
    this.values.read(batch, groups);
    const { ids } = this.values;
    const { best } = this;
    const greater = this.direction > 0;
    for (let row = 0; row < batch.rows; row++) {
      const group = groups[row] as number;
      const low = ids[2 * row] as number;
      const high = ids[2 * row + 1] as number;
      const bestLow = best[2 * group] as number;
      const bestHigh = best[2 * group + 1] as number;
      if (high >>> 16 !== bestHigh >>> 16 || ORDERED_PREFIXES[high >>> 16] === 0) this.addRow(group, row);
      else if (greater === (high === bestHigh ? low > bestLow : high > bestHigh)) {
        best[2 * group] = low;
        best[2 * group + 1] = high;
        // Decoded again when it is asked for.
        if (this.operands.size > 0) this.operands.delete(group);
      }
    }
  }

  private addRow(group: number, row: number): void {
    const { states, best } = this;
    const { ids } = this.values;
    if (states[group] === STATE.error) return;
    if (isUnboundAt(ids, row)) {
      states[group] = STATE.error;
      best.fill(0, 2 * group, 2 * group + 2);
      this.operands.delete(group);
    } else if (states[group] === STATE.empty || this.isBetter(group, row)) {
      states[group] = STATE.found;
      copyId(ids, row, best, group);
      this.operands.delete(group);
    }
  }

  private isBetter(group: number, row: number): boolean {
    const { ids } = this.values;
    if (sameId(ids, row, this.best, group)) return false;
    const quick = compareInlined(ids, row, this.best, group);
    const order = quick === 0 ? this.compareTerms(group, row) : quick;
    return order * this.direction > 0;
  }

  private compareTerms(group: number, row: number): number {
    const challenger = this.values.operandAt(row) as Operand;
    let best = this.operands.get(group);
    if (best === undefined) {
      const id = idOfHalves(this.best[2 * group] as number, this.best[2 * group + 1] as number);
      best = new Operand(this.context.terms.termOf(id));
      this.take(OPERAND_BYTES);
      this.operands.set(group, best);
    }
    const order = challenger.value !== null && best.value !== null ? orderValues(challenger.value, best.value) : 0;
    return order !== 0 ? order : orderTermsStrictly(challenger.term, best.term);
  }

  write(column: IdColumn, row: number, group: number): void {
    if (this.states[group] === STATE.found) copyId(this.best, group, column, row);
    else column.fill(0, 2 * row, 2 * row + 2);
  }

  protected resize(groups: number): void {
    this.states = grownBytes(this.states, groups);
    this.best = grownIds(this.best, groups);
  }

  override release(): void {
    this.operands.clear();
    this.values.release();
    super.release();
  }
}

/** 0 where the ids do not decide. Different doubles of inlined numbers stand for numbers in that order. */
function compareInlined(a: IdColumn, rowA: number, b: IdColumn, rowB: number): number {
  const [lowA, highA] = [a[2 * rowA] as number, a[2 * rowA + 1] as number];
  const [lowB, highB] = [b[2 * rowB] as number, b[2 * rowB + 1] as number];
  const numberA = numericOfHalves(lowA, highA);
  const numberB = numericOfHalves(lowB, highB);
  if (numberA < numberB) return -1;
  if (numberA > numberB) return 1;
  // Dates and dateTimes are different kinds, which the tag tells apart.
  if (highA >>> 24 !== highB >>> 24) return 0;
  const timeA = millisecondsOfHalves(lowA, highA);
  const timeB = millisecondsOfHalves(lowB, highB);
  return timeA < timeB ? -1 : timeA > timeB ? 1 : 0;
}
