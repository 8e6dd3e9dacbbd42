/**
 * SUM and AVG. Both are exact for integers and decimals, whatever their size: as long as a sum fits,
 * it is a whole number of at most 2^53 with a scale, read from the ids themselves; beyond that, and
 * for floats and numbers that are not inlined, a value of `rdf/values` takes its place. A double makes the
 * sum a double. Anything that is no number, an unbound variable included, makes the result an error.
 * Without any value both are the integer 0.
 */

import {
  arithmetic,
  decimalValue,
  integerValue,
  isNumeric,
  type NumericValue,
  toDouble,
} from '../../rdf/values/index.js';
import {
  auxiliaryOfHigh,
  INTEGER_PREFIX,
  numericOfHalves,
  signedOfHalves,
  tagOfHigh,
} from '../../storage/ids/halves.js';
import { TAG } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import type { QueryBatch } from '../operators/batch.js';
import type { MemoryAccount } from '../operators/memory.js';
import { Accumulator, grownBytes, grownFloats } from './accumulator.js';
import { AggregatedValues } from './aggregated-values.js';
import { writeValue } from './write-value.js';

/** What the sum of a group is. Integer comes first: an empty group is the integer 0. */
const STATE = { integer: 0, decimal: 1, double: 2, value: 3, error: 4 } as const;

/** Begins no id. */
const NO_PREFIX = 0xffff;

/** Scales further apart are left to exact values; the power is an exact double. */
const SCALE_STEP_MAX = 15;
const POWERS = Float64Array.from({ length: SCALE_STEP_MAX + 1 }, (_, power) => 10 ** power);
/** A value object with its big integer, roughly. */
const VALUE_BYTES = 120;
/** Adding two such values takes about as long as a few characters do. */
const VALUE_WORK = 4;

export class SumAccumulator extends Accumulator {
  protected readonly groupBytes = 2 * Float64Array.BYTES_PER_ELEMENT + 4;
  private states = new Uint8Array(0);
  private scales = new Uint8Array(0);
  /** Upper 16 bits of ids that are added without a further look. */
  private prefixes = new Uint16Array(0);
  private sums = new Float64Array(0);
  private counts = new Float64Array(0);
  /** By group, where the state is `value`. */
  private readonly exact = new Map<number, NumericValue>();
  private readonly values: AggregatedValues;
  private readonly average: boolean;

  constructor(
    aggregate: Aggregate,
    private readonly context: BatchContext,
    budget: MemoryAccount,
    grouped: boolean,
  ) {
    super(budget);
    this.average = aggregate.function === 'avg';
    this.values = new AggregatedValues(aggregate, context, budget, grouped);
  }

  add(batch: QueryBatch, groups: Int32Array): void {
    this.values.read(batch, groups);
    this.addRows();
  }

  override finish(): boolean {
    return this.values.takeIn(() => this.addRows());
  }

  private addRows(): void {
    const { sums, counts, prefixes } = this;
    const { count, groups, ids } = this.values;
    for (let row = 0; row < count; row++) {
      const group = groups[row] as number;
      const low = ids[2 * row] as number;
      const high = ids[2 * row + 1] as number;
      counts[group] = (counts[group] as number) + 1;
      if (high >>> 16 === prefixes[group]) {
        const total = (sums[group] as number) + signedOfHalves(low, high);
        if (total <= Number.MAX_SAFE_INTEGER && total >= Number.MIN_SAFE_INTEGER) {
          sums[group] = total;
          continue;
        }
      }
      this.addRow(group, row, low, high);
      prefixes[group] = this.prefixOf(group);
    }
  }

  /** What an id begins with whose payload adds to the sum of a group just as it is. */
  private prefixOf(group: number): number {
    if (this.states[group] === STATE.integer) return INTEGER_PREFIX;
    return this.states[group] === STATE.decimal ? (TAG.decimal << 8) | (this.scales[group] as number) : NO_PREFIX;
  }

  private addRow(group: number, row: number, low: number, high: number): void {
    const state = this.states[group] as number;
    if (state === STATE.error) return;
    const tag = tagOfHigh(high);
    const number = numericOfHalves(low, high);
    if (!Number.isNaN(number) && state <= STATE.double) {
      const exact = tag === TAG.integer || tag === TAG.decimal;
      if (exact && state !== STATE.double) {
        if (this.addScaled(group, tag, low, high)) return;
      } else if (exact || tag === TAG.double) {
        const sum = state === STATE.double ? (this.sums[group] as number) : toDouble(this.sumOf(group));
        this.sums[group] = sum + number;
        this.states[group] = STATE.double;
        return;
      }
    }
    this.addValue(group, row);
  }

  /** False when the sum no longer fits. */
  private addScaled(group: number, tag: number, low: number, high: number): boolean {
    const scale = tag === TAG.decimal ? auxiliaryOfHigh(high) : 0;
    let amount = signedOfHalves(low, high);
    let sum = this.sums[group] as number;
    const held = this.scales[group] as number;
    if (Math.abs(scale - held) > SCALE_STEP_MAX) return false;
    if (scale > held) sum *= POWERS[scale - held] as number;
    else if (scale < held) amount *= POWERS[held - scale] as number;
    const total = sum + amount;
    // Each of them must be exact for the sum to be.
    if (!Number.isSafeInteger(sum) || !Number.isSafeInteger(amount) || !Number.isSafeInteger(total)) return false;
    this.sums[group] = total;
    this.scales[group] = Math.max(scale, held);
    if (tag === TAG.decimal) this.states[group] = STATE.decimal;
    return true;
  }

  private addValue(group: number, row: number): void {
    const value = this.values.operandAt(row)?.value ?? null;
    const sum = value === null || !isNumeric(value) ? null : arithmetic('+', this.sumOf(group), value);
    this.context.terms.scope.spend(VALUE_WORK);
    if (sum === null) {
      this.exact.delete(group);
      this.states[group] = STATE.error;
      return;
    }
    if (this.states[group] !== STATE.value) this.take(VALUE_BYTES);
    this.states[group] = STATE.value;
    this.exact.set(group, sum);
  }

  private sumOf(group: number): NumericValue {
    const sum = this.sums[group] as number;
    switch (this.states[group]) {
      case STATE.integer:
        return integerValue(sum);
      case STATE.decimal:
        return arithmetic(
          '+',
          decimalValue({ unscaled: BigInt(sum), scale: this.scales[group] as number }),
          ZERO,
        ) as NumericValue;
      case STATE.double:
        return { kind: 'double', value: sum };
      default:
        return this.exact.get(group) as NumericValue;
    }
  }

  write(column: IdColumn, row: number, group: number): void {
    writeValue(this.resultOf(group), column, row, this.context.terms);
  }

  private resultOf(group: number): NumericValue | null {
    if (this.states[group] === STATE.error) return null;
    const sum = this.sumOf(group);
    const count = this.counts[group] as number;
    return this.average && count > 0 ? arithmetic('/', sum, integerValue(count)) : sum;
  }

  protected resize(groups: number): void {
    this.states = grownBytes(this.states, groups);
    this.scales = grownBytes(this.scales, groups);
    const prefixes = new Uint16Array(groups).fill(INTEGER_PREFIX);
    prefixes.set(this.prefixes);
    this.prefixes = prefixes;
    this.sums = grownFloats(this.sums, groups);
    this.counts = grownFloats(this.counts, groups);
  }

  override release(): void {
    this.exact.clear();
    this.values.release();
    super.release();
  }
}

/** Adding it brings a decimal into its shortest form. */
const ZERO = decimalValue({ unscaled: 0n, scale: 0 });
