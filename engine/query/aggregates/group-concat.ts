/**
 * GROUP_CONCAT: the texts of IRIs and literals in the sequence of rows, without languages. A blank
 * node, a triple term or an error in one row makes the result an error; no row gives the empty string.
 */

import { stringValue } from '../../rdf/values/index.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { Operand } from '../terms/operand.js';
import { Accumulator } from './accumulator.js';

/** A joined string is a tree of its parts until it is read. */
const PART_BYTES = 64;

export class GroupConcatAccumulator extends Accumulator {
  override readonly grows = true;
  protected readonly groupBytes = 8;
  /** Undefined = nothing yet, null = an error. */
  private readonly texts: (string | null | undefined)[] = [];
  private readonly separator = this.aggregate.separator ?? ' ';
  /** Of the batch at hand, counted when it is through. */
  private addedBytes = 0;

  protected addRows(): void {
    const { values, texts } = this;
    this.addedBytes = 0;
    for (let row = 0; row < values.count; row++) {
      const group = values.groups[row] as number;
      if (texts[group] !== null) texts[group] = this.joined(texts[group], textOf(values.operandAt(row)));
    }
    this.take(this.addedBytes);
  }

  private joined(before: string | undefined, text: string | null): string | null {
    if (text === null) return null;
    const { scope } = this.terms;
    const added = text.length + (before === undefined ? 0 : this.separator.length);
    scope.spend(added);
    scope.assertLength((before ?? '').length + added);
    this.addedBytes += PART_BYTES + 2 * added;
    return before === undefined ? text : before + this.separator + text;
  }

  write(column: IdColumn, first: number, count: number): void {
    for (let row = 0; row < count; row++) {
      const text = this.texts[first + row];
      const joined = text === null ? null : Operand.ofValue(stringValue(text ?? ''));
      this.terms.matched.write(joined, column, row);
    }
  }

  override release(): void {
    this.texts.length = 0;
    super.release();
  }
}

function textOf(operand: Operand | null): string | null {
  if (operand === null) return null;
  const { term } = operand;
  return term.termType === 'Literal' || term.termType === 'NamedNode' ? term.value : null;
}
