/**
 * `IN` over constants that are equal to a term exactly when they are the same term (IRIs, blank nodes,
 * strings): the ids are looked up in a set.
 */

import { highOf, INTEGER_PREFIX, lowOf } from '../../storage/ids/halves.js';
import { TAG, UNBOUND } from '../../storage/ids/layout.js';
import { BATCH_ROWS } from '../../storage/seam/scan.js';
import type { CallExpression, Expression } from '../algebra/expression.js';
import { HashKeys } from '../runtime/keys/hash-keys.js';
import { type Decide, ERROR, FALSE, TRUE, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';
import { isInline, isPlain, plainTagOf } from './decide.js';

/** The set is as long as the text of the query has it. */
const UNCOUNTED = { take: () => undefined, give: () => undefined };
/** Positions in the list of the ids of a batch, while it is decided. */
const found = new Int32Array(BATCH_ROWS);

/** Null for other lists. */
export function compileIdList({ args }: CallExpression, context: BatchContext): Decide | null {
  const [wanted, ...list] = args as [Expression, ...Expression[]];
  const column = context.variableColumn(wanted);
  if (column < 0 || list.length === 0) return null;
  const tags = list.map((item) => (item.kind === 'term' ? plainTagOf(item.term) : null));
  if (tags.includes(null)) return null;
  const set = new HashKeys(1, UNCOUNTED);
  for (const item of list) {
    const id = item.kind === 'term' ? context.terms.encode(item.term) : UNBOUND;
    set.assign([Uint32Array.of(lowOf(id), highOf(id))], 1, found);
  }
  const ofOther = answersOfOthers(tags.every((tag) => tag === TAG.iri || tag === TAG.blank));
  context.terms.whenClosed(() => set.release());
  const decide: Decide = (out, rows) => {
    const values = context.column(column);
    set.find([values], rows, found);
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      const prefix = (values[2 * row + 1] as number) >>> 16;
      const single = prefix >>> 8 === TAG.integer && prefix !== INTEGER_PREFIX;
      out[row] = (found[row] as number) >= 0 ? TRUE : single ? UNDECIDED : (ofOther[prefix >>> 8] as number);
    }
  };
  return decide;
}

/** By tag, of what is not in the list. An ill-typed literal is an error beside a string, not beside an IRI. */
function answersOfOthers(nodes: boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, tag) => {
    if (tag === TAG.unbound) return ERROR;
    if (isPlain(tag)) return FALSE;
    if (tag === TAG.local) return UNDECIDED;
    return nodes || isInline(tag) ? FALSE : UNDECIDED;
  });
}
