/** Ids to operands: of those that are their own literals neither text nor term is made before somebody asks for it. */

import { isInlinedTag } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { copyId } from '../runtime/batch.js';
import { Operand } from '../terms/operand.js';
import type { QueryTerms } from '../terms/terms.js';

/** Of the first `count` ids; null where unbound. */
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
