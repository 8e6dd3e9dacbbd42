/**
 * What comparing an id with a constant gives, for all ids that share their upper 16 bits (kind, datatype
 * or scale or zone). Such ids are in the order of their values, so that two payloads cut them into three
 * parts with one answer each: below the constant, at it (or where nothing is decided by ids), above it.
 */

import { compareInlineHalves, INTEGER_PREFIX } from '../../storage/ids/halves.js';
import { TAG } from '../../storage/ids/layout.js';
import { type DecidableOperator, decideComparison, isInline } from './decide.js';

const TWO_TO_32 = 2 ** 32;
const PAYLOADS = 2 ** 48;

export interface PayloadBounds {
  readonly prefix: number;
  /** Payloads before `from` are below, those from `to` on above. */
  readonly from: number;
  readonly to: number;
  readonly below: number;
  readonly middle: number;
  readonly above: number;
  /** True where the order of payloads says nothing: each id is compared by itself. */
  readonly single: boolean;
}

/** The bounds of one comparison `?x operator constant`, found when first asked for. */
export class ConstantBounds {
  private readonly known: PayloadBounds[] = [];

  constructor(
    readonly operator: DecidableOperator,
    readonly low: number,
    readonly high: number,
  ) {}

  of(prefix: number): PayloadBounds {
    for (const bounds of this.known) if (bounds.prefix === prefix) return bounds;
    const bounds = this.find(prefix);
    this.known.push(bounds);
    return bounds;
  }

  private find(prefix: number): PayloadBounds {
    const inline = isInline(prefix >>> 8) && isInline(this.high >>> 24);
    if (!inline || this.operator === 'sameterm') return this.findSame(prefix);
    const single = prefix >>> 8 === TAG.boolean || (prefix >>> 8 === TAG.integer && prefix !== INTEGER_PREFIX);
    if (single) return { prefix, from: 0, to: 0, below: 0, middle: 0, above: 0, single };
    const from = firstPayload((payload) => !(this.order(prefix, payload) < 0));
    const to = firstPayload((payload) => this.order(prefix, payload) > 0);
    return {
      prefix,
      from,
      to,
      below: this.answerAt(prefix, Math.max(0, from - 1)),
      middle: this.answerAt(prefix, Math.min(from, PAYLOADS - 1)),
      above: this.answerAt(prefix, Math.min(to, PAYLOADS - 1)),
      single,
    };
  }

  /** Where the order says nothing, all but the constant itself have one answer, unless it is for the value to say. */
  private findSame(prefix: number): PayloadBounds {
    const single = prefix >>> 8 === TAG.integer && prefix !== INTEGER_PREFIX;
    const own = prefix === this.high >>> 16;
    const payload = (this.high & 0xffff) * TWO_TO_32 + this.low;
    const from = own ? payload : PAYLOADS;
    const other = this.answerAt(prefix, own && payload === 0 ? 1 : 0);
    return { prefix, from, to: from + 1, below: other, middle: this.answerAt(prefix, payload), above: other, single };
  }

  private order(prefix: number, payload: number): number {
    return compareInlineHalves(payload % TWO_TO_32, highOf(prefix, payload), this.low, this.high);
  }

  private answerAt(prefix: number, payload: number): number {
    return decideComparison(this.operator, payload % TWO_TO_32, highOf(prefix, payload), this.low, this.high);
  }
}

function highOf(prefix: number, payload: number): number {
  return prefix * 2 ** 16 + Math.floor(payload / TWO_TO_32);
}

/** The first payload for which `test` holds, as it does for all behind it; one past the last when there is none. */
function firstPayload(test: (payload: number) => boolean): number {
  let from = 0;
  let to = PAYLOADS;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (test(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
