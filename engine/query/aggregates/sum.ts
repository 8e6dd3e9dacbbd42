/**
 * SUM and AVG. Both are exact for integers and decimals, whatever their size: as long as a sum fits,
 * it is a whole number of at most 2^53 with a scale, read from the ids themselves; beyond that, and
 * for floats and exact numbers that are not inlined, a value of `rdf/values` takes its place. A double makes the
 * sum a double. Anything that is no number, an unbound variable included, makes the result an error.
 * Without any value both are the integer 0.
 */

import { threadMemory } from '../../kernels/thread-memory.js';
import {
  arithmetic,
  decimalValue,
  integerValue,
  isNumeric,
  type NumericValue,
  SHORT_DIVISOR_MAX,
  shortQuotientText,
  toDouble,
} from '../../rdf/values/index.js';
import { numericOfHalves, tagOfHigh, writeDecimalHalves, writeIntegerHalves } from '../../storage/ids/halves.js';
import { TAG } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { LOCAL_DOUBLE, LOCAL_HIGH } from '../terms/local-dictionary.js';
import { Operand } from '../terms/operand.js';
import { isStoredDouble } from '../terms/stored-facts.js';
import { Accumulator } from './accumulator.js';

/** What the sum of a group is, as `sumGroups` has it. Integer comes first: an empty group is the integer 0. */
const STATE = { integer: 0, decimal: 1, double: 2, value: 3, error: 4 } as const;

/** Of each group the sum and the number of its rows as doubles, then its state and the scale of its sum, a byte each. */
const RECORD_BYTES = 24;
const RECORD_DOUBLES = RECORD_BYTES / 8;
const STATE_BYTE = 16;
const SCALE_BYTE = 17;

/** Sums of a greater scale are divided the exact way. */
const SCALE_MAX = 12;
/** Digits that an average may have more than the sum when it is its own id. */
const SHORT_DIGITS = 3;
/** A value object with its big integer, roughly. */
const VALUE_BYTES = 120;
/** Adding two such values takes about as long as a few characters do. */
const VALUE_WORK = 4;

export class SumAccumulator extends Accumulator {
  protected readonly groupBytes = RECORD_BYTES;
  /** By group, where the state is `value`. */
  private readonly exact = new Map<number, NumericValue>();
  private readonly average = this.aggregate.function === 'avg';

  protected addRows(): void {
    const { kernels } = threadMemory();
    const { values, address, doubles } = this;
    const [idsAt, groupsAt] = [values.idsAt(), values.groupsAt()];
    this.addByKernel(
      (row) => kernels.sumGroups(idsAt, groupsAt, row, values.count, address),
      (group, row) => {
        const counted = RECORD_DOUBLES * group + 1;
        doubles[counted] = (doubles[counted] as number) + 1;
        this.addRow(group, row, values.ids[2 * row] as number, values.ids[2 * row + 1] as number);
      },
    );
  }

  override merge(records: number, count: number, groups: Int32Array): void {
    const memory = threadMemory();
    const sums = memory.doublesAt(records, RECORD_DOUBLES * count);
    const bytes = memory.bytesAt(records, RECORD_BYTES * count);
    for (let at = 0; at < count; at++) {
      const group = groups[at] as number;
      const counted = RECORD_DOUBLES * group + 1;
      this.doubles[counted] = (this.doubles[counted] as number) + (sums[RECORD_DOUBLES * at + 1] as number);
      const state = bytes[RECORD_BYTES * at + STATE_BYTE] as number;
      const scale = bytes[RECORD_BYTES * at + SCALE_BYTE] as number;
      this.mergeSum(group, sums[RECORD_DOUBLES * at] as number, state, scale);
    }
  }

  /** Adds a sum as a kernel has it. */
  private mergeSum(group: number, sum: number, state: number, scale: number): void {
    const { doubles } = this;
    const own = this.stateOf(group);
    if (
      own === STATE.error ||
      (own <= STATE.decimal && state <= STATE.decimal && this.mergeExact(group, sum, state, scale))
    )
      return;
    if (own <= STATE.double && (own === STATE.double || state === STATE.double)) {
      doubles[RECORD_DOUBLES * group] = toDouble(this.sumOf(group)) + toDouble(valueOfSum(sum, state, scale));
      this.setState(group, STATE.double);
      return;
    }
    const total = arithmetic('+', this.sumOf(group), valueOfSum(sum, state, scale)) as NumericValue;
    if (own !== STATE.value) this.take(VALUE_BYTES);
    this.setState(group, STATE.value);
    this.exact.set(group, total);
  }

  /** Adds digits of a scale to the digits that are there; false, and nothing added, when they do not fit. */
  private mergeExact(group: number, digits: number, state: number, scale: number): boolean {
    const held = this.bytes[RECORD_BYTES * group + SCALE_BYTE] as number;
    const most = Math.max(held, scale);
    if (most > Math.min(held, scale) + SCALE_MAX) return false;
    const sum = (this.doubles[RECORD_DOUBLES * group] as number) * 10 ** (most - held);
    const amount = digits * 10 ** (most - scale);
    const total = sum + amount;
    if (Math.max(Math.abs(sum), Math.abs(amount), Math.abs(total)) > Number.MAX_SAFE_INTEGER) return false;
    this.doubles[RECORD_DOUBLES * group] = total;
    this.bytes[RECORD_BYTES * group + SCALE_BYTE] = most;
    if (state === STATE.decimal) this.setState(group, STATE.decimal);
    return true;
  }

  private stateOf(group: number): number {
    return this.bytes[RECORD_BYTES * group + STATE_BYTE] as number;
  }

  private setState(group: number, state: number): void {
    this.bytes[RECORD_BYTES * group + STATE_BYTE] = state;
  }

  /** What the kernel leaves: scales far apart, sums that do not fit, and what is no inlined number of these kinds. */
  private addRow(group: number, row: number, low: number, high: number): void {
    const state = this.stateOf(group);
    const { local, doubles } = this.terms;
    const computed = high === LOCAL_HIGH && local.kinds[low] === LOCAL_DOUBLE;
    const stored = isStoredDouble(high);
    const number = computed
      ? (local.numbers[low] as number)
      : stored
        ? doubles.factOf(low, high)
        : numericOfHalves(low, high);
    const tag = tagOfHigh(high);
    const toDoubles =
      computed ||
      stored ||
      tag === TAG.double ||
      (state === STATE.double && (tag === TAG.integer || tag === TAG.decimal));
    if ((computed || !Number.isNaN(number)) && state <= STATE.double && toDoubles) {
      const sum = toDouble(this.sumOf(group));
      this.doubles[RECORD_DOUBLES * group] = sum + number;
      this.setState(group, STATE.double);
    } else this.addValue(group, row);
  }

  private addValue(group: number, row: number): void {
    const value = this.values.operandAt(row)?.value ?? null;
    const sum = value === null || !isNumeric(value) ? null : arithmetic('+', this.sumOf(group), value);
    this.terms.scope.spend(VALUE_WORK);
    if (sum === null) {
      this.exact.delete(group);
      this.setState(group, STATE.error);
      return;
    }
    if (this.stateOf(group) !== STATE.value) this.take(VALUE_BYTES);
    this.setState(group, STATE.value);
    this.exact.set(group, sum);
  }

  private sumOf(group: number): NumericValue {
    const state = this.stateOf(group);
    if (state > STATE.double) return this.exact.get(group) as NumericValue;
    const scale = this.bytes[RECORD_BYTES * group + SCALE_BYTE] as number;
    return valueOfSum(this.doubles[RECORD_DOUBLES * group] as number, state, scale);
  }

  write(column: IdColumn, first: number, count: number): void {
    for (let row = 0; row < count; row++) {
      if (!this.writeShort(first + row, column, row)) {
        this.terms.matched.write(this.resultOf(first + row), column, row);
      }
    }
  }

  /** Writes what is a number of the record; false, and nothing written, for the others. */
  private writeShort(group: number, column: IdColumn, row: number): boolean {
    const { doubles, bytes } = this;
    const state = bytes[RECORD_BYTES * group + STATE_BYTE] as number;
    const scale = bytes[RECORD_BYTES * group + SCALE_BYTE] as number;
    const sum = doubles[RECORD_DOUBLES * group] as number;
    const count = doubles[RECORD_DOUBLES * group + 1] as number;
    const divided = this.average && count > 0;
    if (state === STATE.double) {
      this.terms.matched.writeDouble(divided ? sum / count : sum, column, row);
      return true;
    }
    if (state > STATE.double) return false;
    if (divided)
      return scale <= SCALE_MAX && count <= SHORT_DIVISOR_MAX && this.writeQuotient(sum, scale, count, column, row);
    return state === STATE.integer ? writeIntegerHalves(column, row, sum) : writeDecimalHalves(column, row, sum, scale);
  }

  private writeQuotient(sum: number, scale: number, count: number, column: IdColumn, row: number): boolean {
    let raised = sum;
    // Most averages of few numbers end soon.
    for (let more = 0; more <= SHORT_DIGITS && Math.abs(raised) <= Number.MAX_SAFE_INTEGER; more++) {
      if (raised % count === 0) return writeDecimalHalves(column, row, raised / count, scale + more);
      raised *= 10;
    }
    this.terms.matched.writeDecimal(shortQuotientText(sum, scale, count), column, row);
    return true;
  }

  private resultOf(group: number): Operand | null {
    if (this.stateOf(group) === STATE.error) return null;
    const sum = this.sumOf(group);
    const count = this.doubles[RECORD_DOUBLES * group + 1] as number;
    const result = this.average && count > 0 ? arithmetic('/', sum, integerValue(count)) : sum;
    return result && Operand.ofValue(result);
  }

  override release(): void {
    this.exact.clear();
    super.release();
  }
}

/** A sum as a kernel has it, as a value. */
function valueOfSum(sum: number, state: number, scale: number): NumericValue {
  if (state === STATE.integer) return integerValue(sum);
  if (state === STATE.double) return { kind: 'double', value: sum };
  return arithmetic('+', decimalValue({ unscaled: BigInt(sum), scale }), ZERO) as NumericValue;
}

/** Adding it brings a decimal into its shortest form. */
const ZERO = decimalValue({ unscaled: 0n, scale: 0 });
