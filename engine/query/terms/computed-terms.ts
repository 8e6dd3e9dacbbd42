/**
 * Ids for the values that a query computes, written into columns. There are two ways to get them:
 *
 *  - `MatchedTerms`: where the value may meet stored terms (in joins, patterns, templates), its id is the one that the store
 *    has for it, if it has one;
 *  - `QueryLocalTerms`: where it meets only its like, the store is not asked.
 *
 * Who opens an operator chooses the way; who writes need not know which it is, nor when terms are forgotten: what is remembered
 * of ids is so for an epoch.
 */

import type { Term } from '../../rdf/terms.js';
import type { Value } from '../../rdf/values/index.js';
import { writeDecimalHalves, writeIntegerHalves } from '../../storage/ids/halves.js';
import { writeTemporalHalves } from '../../storage/ids/inline-values.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { writeId } from '../runtime/batch.js';
import type { LocalDictionary } from './local-dictionary.js';
import type { Operand } from './operand.js';

let epochs = 0;

export abstract class ComputedTerms {
  /** Ids of one epoch are good while it lasts. No two queries or ways have the same. */
  epoch = ++epochs;

  constructor(protected readonly local: LocalDictionary) {}

  abstract encode(term: Term): TermId;

  abstract writeDouble(value: number, column: IdColumn, row: number): void;

  /** Writes the id of what an expression or an aggregate gives; 0 for an error. Of the usual numbers no term is made. */
  write(operand: Operand | null, column: IdColumn, row: number): void {
    if (operand === null) {
      column[2 * row] = 0;
      column[2 * row + 1] = 0;
      return;
    }
    if (operand.putInlined(column, row)) return;
    if (operand.epoch !== this.epoch) {
      const { computed } = operand;
      if (computed !== undefined && this.writeNumber(computed, column, row)) return;
      operand.id = this.encode(operand.term);
      operand.epoch = this.epoch;
    }
    writeId(operand.id, column, row);
  }

  /** Of a number, a date or a dateTime; false, and nothing written, for other values and for those that are too long. */
  private writeNumber(value: Value, column: IdColumn, row: number): boolean {
    switch (value.kind) {
      case 'integer':
        return typeof value.value === 'number' && writeIntegerHalves(column, row, value.value);
      case 'decimal': {
        const digits = Number(value.unscaled);
        return Number.isSafeInteger(digits) && writeDecimalHalves(column, row, digits, value.scale);
      }
      case 'double':
        this.writeDouble(value.value, column, row);
        return true;
      case 'date':
      case 'dateTime':
        return writeTemporalHalves(column, row, value);
      default:
        return false;
    }
  }

  /** The terms of rows were forgotten. */
  forget(): void {
    this.epoch = ++epochs;
  }
}

/** What belongs to ids that were written, and is made anew when these are not good any more. */
export class Remembered<Made> {
  private epoch = 0;
  private made: Made | undefined;

  constructor(
    private readonly computed: ComputedTerms,
    private readonly make: () => Made,
  ) {}

  get current(): Made {
    if (this.epoch !== this.computed.epoch) {
      this.epoch = this.computed.epoch;
      this.made = this.make();
    }
    return this.made as Made;
  }
}
