/** COUNT: rows, or rows in which the expression has a value. SAMPLE: the value of the first row that has one. */

import { keptInMemory, threadMemory, threadWords } from '../../kernels/thread-memory.js';
import { integerValue } from '../../rdf/values/index.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import { Operand } from '../terms/operand.js';
import { Accumulator } from './accumulator.js';

const room = keptInMemory((memory) => memory.wordsAt(memory.allocate(8 * BATCH_ROWS), 2 * BATCH_ROWS));

export class CountAccumulator extends Accumulator {
  protected readonly groupBytes = Float64Array.BYTES_PER_ELEMENT;

  protected addRows(): void {
    const { values, address, doubles } = this;
    const { count } = values;
    const wholeRows = this.aggregate.expression === null;
    if (wholeRows && !this.grouped) doubles[0] = (doubles[0] as number) + count;
    else if (count > 0) {
      threadMemory().kernels.countRows(wholeRows ? 0 : values.idsAt(), values.groupsAt(), count, address);
    }
  }

  override merge(records: number, count: number, groups: Int32Array): void {
    const { doubles } = this;
    const counted = threadMemory().doublesAt(records, count);
    for (let at = 0; at < count; at++) {
      const group = groups[at] as number;
      doubles[group] = (doubles[group] as number) + (counted[at] as number);
    }
  }

  write(column: IdColumn, first: number, count: number): void {
    const written = room();
    const done = threadMemory().kernels.integerIds(this.address + 8 * first, 8, count, written.byteOffset);
    column.set(written.subarray(0, 2 * done));
    for (let row = done; row < count; row++) {
      const value = integerValue(this.doubles[first + row] as number);
      this.terms.matched.write(Operand.ofValue(value), column, row);
    }
  }
}

export class SampleAccumulator extends Accumulator {
  protected readonly groupBytes = 2 * Uint32Array.BYTES_PER_ELEMENT;

  protected addRows(): void {
    const { values, address } = this;
    if (values.count === 0) return;
    threadMemory().kernels.sampleGroups(values.idsAt(), values.groupsAt(), values.count, address);
  }

  override merge(records: number, count: number, groups: Int32Array): void {
    this.values.readIds(threadWords(records, 2 * count), count, groups);
    this.addRows();
  }

  write(column: IdColumn, first: number, count: number): void {
    column.set(this.words.subarray(2 * first, 2 * (first + count)));
    this.terms.matched.adopt(column, count);
  }
}
