/**
 * Comparisons that two ids decide without their terms. Ids correspond to terms one to one, so equal
 * ids are the same term; inlined ids hold their value; IRIs, blank nodes and strings differ when their
 * ids do. Everything else is UNDECIDED.
 */

import { compareInlineHalves, numericOfHalves } from '../../storage/ids/halves.js';
import { TAG } from '../../storage/ids/layout.js';
import { UNDECIDED } from './answers.js';

export type DecidableOperator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'sameterm';

export function decideComparison(
  operator: DecidableOperator,
  aLow: number,
  aHigh: number,
  bLow: number,
  bHigh: number,
): number {
  const aTag = aHigh >>> 24;
  const bTag = bHigh >>> 24;
  if (aTag === TAG.unbound || bTag === TAG.unbound) return 2;
  const same = aLow === bLow && aHigh === bHigh;
  if (operator === 'sameterm') return same ? 1 : 0;
  if (isInline(aTag) && isInline(bTag)) return decideOrder(operator, compareInlineHalves(aLow, aHigh, bLow, bHigh));
  if (operator !== '=' && operator !== '!=') return UNDECIDED;
  if (!isPlain(aTag) && !isPlain(bTag)) return UNDECIDED;
  const equal = same ? 1 : different(aTag, aLow, aHigh, bTag, bLow, bHigh) ? 0 : UNDECIDED;
  return equal === UNDECIDED ? UNDECIDED : operator === '=' ? equal : equal ^ 1;
}

/** NaN leaves it undecided. */
export function decideOrder(operator: DecidableOperator, order: number): number {
  if (Number.isNaN(order)) return UNDECIDED;
  switch (operator) {
    case '=':
      return order === 0 ? 1 : 0;
    case '!=':
      return order !== 0 ? 1 : 0;
    case '<':
      return order < 0 ? 1 : 0;
    case '<=':
      return order <= 0 ? 1 : 0;
    case '>':
      return order > 0 ? 1 : 0;
    default:
      return order >= 0 ? 1 : 0;
  }
}

export function isInline(tag: number): boolean {
  return tag >= TAG.integer && tag <= TAG.float;
}

/** Kinds whose terms are equal exactly when they are the same. */
export function isPlain(tag: number): boolean {
  return (
    tag === TAG.iri || tag === TAG.blank || tag === TAG.string || tag === TAG.langString || tag === TAG.dirLangString
  );
}

/** True when two different ids, one of them plain, surely are different by `=`. */
function different(aTag: number, aLow: number, aHigh: number, bTag: number, bLow: number, bHigh: number): boolean {
  if (isPlain(aTag) && isPlain(bTag)) return true;
  const [plain, tag, low, high] = isPlain(aTag) ? [aTag, bTag, bLow, bHigh] : [bTag, aTag, aLow, aHigh];
  // A value the query computed can be of any kind; an ill-typed literal is an error beside a string.
  if (tag === TAG.local) return false;
  if (plain === TAG.iri || plain === TAG.blank) return true;
  return tag === TAG.boolean || !Number.isNaN(numericOfHalves(low, high));
}
