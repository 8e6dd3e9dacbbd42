/**
 * Ids to operands, each distinct id decoded and parsed once, the missing ones of a batch in one call. The numbers it gives index `operands`; they
 * stay valid until `generation` changes, which happens between batches only.
 */

import { isInlinedTag } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { copyId } from '../runtime/batch.js';
import { isUnboundAt } from '../runtime/ids.js';
import { IdNumbers } from '../terms/id-numbers.js';
import { Operand } from '../terms/operand.js';
import type { QueryTerms } from '../terms/terms.js';

/** Beyond this the cache starts afresh: some 50 MB of terms. */
const OPERANDS_MAX = 200_000;
/** The number of an unbound variable. */
export const UNBOUND_OPERAND = -1;

export class OperandCache {
  operands: Operand[] = [];
  generation = 0;
  private known = new IdNumbers();

  constructor(private readonly terms: QueryTerms) {}

  /** Call before the columns of a new batch are resolved. */
  beginBatch(): void {
    if (this.operands.length <= OPERANDS_MAX) return;
    this.operands = [];
    this.known = new IdNumbers();
    this.generation++;
  }

  /** Puts the operand number of each of the first `rows` ids into `into`. */
  resolve(column: IdColumn, rows: number, into: Int32Array): void {
    const { known, operands } = this;
    const first = known.count;
    for (let row = 0; row < rows; row++) {
      const low = column[2 * row] as number;
      const high = column[2 * row + 1] as number;
      into[row] = isUnboundAt(column, row) ? UNBOUND_OPERAND : known.entryOf(low, high) - 1;
    }
    if (known.count === first) return;
    for (const operand of operandsOf(this.terms, known.idsFrom(first), known.count - first)) {
      operands.push(operand as Operand);
    }
  }
}

/** Of the first `count` ids, null where unbound; of those that are their own literals neither text nor term is made before somebody asks for it. */
export function operandsOf(terms: QueryTerms, ids: IdColumn, count: number): (Operand | null)[] {
  const operands: (Operand | null)[] = new Array(count);
  let others = new Uint32Array(0);
  const places: number[] = [];
  for (let at = 0; at < count; at++) {
    const high = ids[2 * at + 1] as number;
    if (isInlinedTag(high >>> 24)) {
      operands[at] = Operand.ofInlined(ids[2 * at] as number, high);
      continue;
    }
    if (others.length === 0) others = new Uint32Array(2 * (count - at));
    copyId(ids, at, others, places.length);
    places.push(at);
  }
  if (places.length === 0) return operands;
  const decoded = terms.decode(others, places.length);
  for (let at = 0; at < places.length; at++) {
    const term = decoded[at];
    operands[places[at] as number] = term === undefined ? null : new Operand(term);
  }
  return operands;
}
