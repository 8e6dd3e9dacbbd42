/**
 * What the expressions of one query have in common beyond its terms: the one moment that NOW() is,
 * fresh blank nodes, compiled patterns, and the account of work by which a query
 * of few but heavy rows still meets its deadline. Made anew for each run of a query.
 */

import { SvcError } from '../../base/errors.js';
import { type BlankNode, terms } from '../../rdf/terms.js';
import { PatternCache } from '../regex/pattern.js';
import { Operand } from './operand.js';

/** Looked at the deadline after so many characters or evaluated expressions, well below a millisecond. */
const WORK_PER_CHECK = 100_000;
/** Longer strings are not made: two of them joined still are far below what the machine can hold. */
export const STRING_LENGTH_MAX = 64 * 2 ** 20;

export interface QueryScopeOptions {
  /** What NOW() says instead of the clock, in seconds since 1970, of which a part may be a fraction. */
  readonly now?: number | undefined;
}

export class QueryScope {
  readonly now: Operand;
  readonly patterns = new PatternCache();
  private readonly nowMs: number;
  private blanks = 0;
  private work = 0;
  private check: (() => void) | null = null;

  constructor({ now }: QueryScopeOptions = {}) {
    this.nowMs = now === undefined ? Date.now() : Math.round(now * 1000);
    const seconds = Math.floor(this.nowMs / 1000);
    const fraction = String(this.nowMs - seconds * 1000).padStart(3, '0');
    this.now = Operand.ofValue({ kind: 'dateTime', seconds, fraction: fraction.replace(/0+$/, ''), zone: 0 });
  }

  /** A blank node that is nowhere else. No stored label begins like this. */
  freshBlank(): BlankNode {
    return terms.blankNode(`f${this.blanks++}`);
  }

  /** The blank node of a label within one solution, which a fresh blank node stands for. */
  blankOf(solution: BlankNode, label: string): BlankNode {
    return terms.blankNode(`${solution.value}-${Buffer.from(label).toString('hex')}`);
  }

  /** `check` throws when the query has to stop. */
  watch(check: () => void): void {
    this.check = check;
  }

  /** Counts work of about a character each; looks at the deadline when enough has come together. */
  spend(work: number): void {
    this.work += work;
    if (this.work < WORK_PER_CHECK) return;
    this.work = 0;
    this.check?.();
  }

  /** Before a string of this length is made. */
  assertLength(length: number): void {
    if (length <= STRING_LENGTH_MAX) return;
    throw new SvcError(
      'query_complexity',
      `an expression makes a string of more than ${STRING_LENGTH_MAX} characters`,
      { hint: 'join or repeat fewer strings' },
    );
  }
}
