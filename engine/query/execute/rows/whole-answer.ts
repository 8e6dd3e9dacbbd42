/**
 * Whether the endpoint of a SERVICE is better asked for everything than for the combinations of an input: a row of an answer is
 * several times cheaper than a combination, which is said, parsed and looked up besides. So, beside the first requests for many
 * combinations, the endpoint is asked how many solutions it has, up to a bound, which costs it no more than to find so many.
 *
 * A hint, and no more: an endpoint that doesn't answer it is asked for combinations as ever. One that gives fewer rows than it
 * has counted may keep to a bound of its own, so that its answer is not taken for everything.
 */

import type { OperatorStatistics } from '../../runtime/operator.js';
import type { ServiceCall, ServiceClient } from '../../service/client.js';
import { COMBINATIONS_PER_REQUEST } from '../../service/combinations.js';
import type { RemoteRow } from '../../service/read-results.js';
import { noteRequest } from './requests-made.js';

/** Fewer are asked for at once. */
const COMBINATIONS_MIN = COMBINATIONS_PER_REQUEST / 2;
/** A combination costs both servers 30 microseconds, a row of everything 7. */
const ROWS_PER_COMBINATION = 4;
/** Beyond it everything is too much at once. */
const ROWS_MAX = 64_000;

export class WholeAnswer {
  private call: ServiceCall | null = null;
  private began = 0;
  /** Solutions of the endpoint; null = not known. */
  private rows: number | null = null;
  private over = false;

  constructor(
    private readonly client: ServiceClient,
    private readonly endpoint: string,
    /** A SELECT. */
    private readonly query: string,
    private readonly statistics: OperatorStatistics,
  ) {}

  /** Before a round: so many combinations are expected from now on. */
  consider(combinations: number): void {
    if (this.over || this.call !== null || this.rows !== null || combinations < COMBINATIONS_MIN) return;
    this.began = performance.now();
    const some = `{ ${this.query} LIMIT ${ROWS_MAX + 1} }`;
    this.call = this.client.ask(this.endpoint, `SELECT (COUNT(*) AS ?rows) WHERE { ${some} }`);
  }

  /** How many rows everything has, where that is cheaper than so many combinations; null = it is not, or nobody knows yet. */
  rowsInstead(combinations: number): number | null {
    this.take();
    const { rows } = this;
    return rows !== null && rows <= Math.min(ROWS_MAX, combinations * ROWS_PER_COMBINATION) ? rows : null;
  }

  /** Everything was no answer; combinations are asked for from now on. */
  giveUp(): void {
    this.rows = null;
    this.over = true;
  }

  close(): void {
    this.call?.abort();
    this.call = null;
  }

  private take(): void {
    const outcome = this.call?.outcome ?? null;
    if (outcome === null) return;
    this.call = null;
    const rows = outcome.kind === 'rows' ? countOf(outcome.rows) : null;
    const bytes = outcome.kind === 'rows' ? outcome.bytes : 0;
    const timeMs = performance.now() - this.began;
    noteRequest(this.statistics, { counts: true, combinations: 0, rows: rows ?? 0, bytes, timeMs });
    this.rows = rows;
    this.over = rows === null;
  }
}

function countOf([row]: readonly RemoteRow[]): number | null {
  const { value } = (row?.rows ?? {}) as { readonly value?: unknown };
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : null;
}
