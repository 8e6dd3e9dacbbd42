/**
 * MIN and MAX over any terms, by the order of ORDER BY; of terms that tie in it the one that a fixed
 * rule puts first (or last), so that the answer does not depend on the sequence of rows. Numbers
 * and times are compared without their terms. An error in one row makes the result an error.
 */

import { threadMemory, threadWords } from '../../kernels/thread-memory.js';
import { orderTermsStrictly, orderValues } from '../../rdf/values/index.js';
import { idOfHalves, millisecondsOfHalves, numericOfHalves } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { copyId } from '../runtime/batch.js';
import { LOCAL_HIGH, LOCAL_OTHER } from '../terms/local-dictionary.js';
import { Operand } from '../terms/operand.js';
import { isStoredDouble } from '../terms/stored-facts.js';
import { Accumulator } from './accumulator.js';

/** Of each group its best id and, in the third word, whether there is one; `extremeGroups` has the states. */
const RECORD_BYTES = 16;
const RECORD_WORDS = RECORD_BYTES / 4;
const STATE_WORD = 2;
const STATE_ERROR = 2;
/** A decoded term with its value, roughly. */
const OPERAND_BYTES = 250;

export class ExtremeAccumulator extends Accumulator {
  protected readonly groupBytes = RECORD_BYTES;
  /** The best terms of groups that had to be decoded. */
  private readonly operands = new Map<number, { readonly id: TermId; readonly operand: Operand }>();
  /** 1 when the greater one is better, -1 when the lesser one is. */
  private readonly direction = this.aggregate.function === 'max' ? 1 : -1;

  protected addRows(): void {
    const { kernels } = threadMemory();
    const { values, address } = this;
    const greatest = this.direction > 0 ? 1 : 0;
    const [idsAt, groupsAt] = [values.idsAt(), values.groupsAt()];
    this.addByKernel(
      (row) => kernels.extremeGroups(idsAt, groupsAt, row, values.count, address, greatest),
      (group, row) => this.addRow(group, row),
    );
  }

  /** The best of other rows are values as those of rows are. */
  override merge(records: number, count: number, groups: Int32Array): void {
    const best = threadWords(records, RECORD_WORDS * count);
    const ids = new Uint32Array(2 * count);
    for (let at = 0; at < count; at++) {
      ids[2 * at] = best[RECORD_WORDS * at] as number;
      ids[2 * at + 1] = best[RECORD_WORDS * at + 1] as number;
    }
    this.values.readIds(ids, count, groups);
    this.addRows();
  }

  /** Of a group that has a best term. */
  private addRow(group: number, row: number): void {
    const quick = this.compareIds(row, RECORD_WORDS * group);
    const order = quick === 0 ? this.compareTerms(group, row) : quick;
    if (order * this.direction > 0) copyId(this.values.ids, row, this.words, (RECORD_WORDS / 2) * group);
  }

  /** 0 where the ids do not decide. Different doubles of two numbers stand for numbers in that order. */
  private compareIds(row: number, word: number): number {
    const { ids } = this.values;
    const { words } = this;
    const [lowA, highA] = [ids[2 * row] as number, ids[2 * row + 1] as number];
    const [lowB, highB] = [words[word] as number, words[word + 1] as number];
    const numberA = this.numberOf(lowA, highA);
    const numberB = this.numberOf(lowB, highB);
    if (numberA < numberB) return -1;
    if (numberA > numberB) return 1;
    // Dates and dateTimes are different kinds, which the tag tells apart.
    if (highA >>> 24 !== highB >>> 24) return 0;
    const timeA = millisecondsOfHalves(lowA, highA);
    const timeB = millisecondsOfHalves(lowB, highB);
    return timeA < timeB ? -1 : timeA > timeB ? 1 : 0;
  }

  /** NaN for what is no number, or none that is known without its term. */
  private numberOf(low: number, high: number): number {
    const { local, doubles } = this.terms;
    if (isStoredDouble(high)) return doubles.factOf(low, high);
    const isComputed = high === LOCAL_HIGH && local.kinds[low] !== LOCAL_OTHER;
    return isComputed ? (local.numbers[low] as number) : numericOfHalves(low, high);
  }

  private compareTerms(group: number, row: number): number {
    const challenger = this.values.operandAt(row) as Operand;
    const best = this.bestOf(group);
    const order = challenger.value !== null && best.value !== null ? orderValues(challenger.value, best.value) : 0;
    return order !== 0 ? order : orderTermsStrictly(challenger.term, best.term);
  }

  private bestOf(group: number): Operand {
    const { words } = this;
    const id = idOfHalves(words[RECORD_WORDS * group] as number, words[RECORD_WORDS * group + 1] as number);
    const held = this.operands.get(group);
    if (held?.id === id) return held.operand;
    if (held === undefined) this.take(OPERAND_BYTES);
    const operand = new Operand(this.terms.termOf(id));
    this.operands.set(group, { id, operand });
    return operand;
  }

  write(column: IdColumn, first: number, count: number): void {
    const { words } = this;
    for (let row = 0; row < count; row++) {
      const at = RECORD_WORDS * (first + row);
      const failed = words[at + STATE_WORD] === STATE_ERROR;
      column[2 * row] = failed ? 0 : (words[at] as number);
      column[2 * row + 1] = failed ? 0 : (words[at + 1] as number);
    }
    this.terms.matched.adopt(column, count);
  }

  override release(): void {
    this.operands.clear();
    super.release();
  }
}
