/**
 * What the requests of a SERVICE are narrowed to: the combinations of terms of its input, as VALUES. They only narrow what the
 * endpoint sends; the join is made here. Where a row can't be said as values (a variable without a term, a triple term), the
 * endpoint has to be asked for everything. A blank node is no other store's, so its row needs no answer where the endpoint
 * always binds the variable.
 */

import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { MemoryBudget } from '../runtime/memory.js';
import type { QueryTerms } from '../terms/terms.js';
import { type AskedVariable, Combinations, isSayable, type ValuesClause } from './combinations.js';

const numbers = new Int32Array(BATCH_ROWS);

export interface BoundVariable extends AskedVariable {
  /** Every solution of the endpoint binds it. */
  readonly certain: boolean;
}

/** The request of a combination that is in none. */
const NEVER = -1;

export class ServiceBindings extends Combinations {
  /** By combination, the number of its request. */
  private requests = new Int32Array(0);

  constructor(
    private readonly bound: readonly BoundVariable[],
    terms: QueryTerms,
    budget: MemoryBudget,
  ) {
    super(bound, terms, budget);
  }

  /** A VALUES clause for each request; none = no row can have an answer; null = ask for everything. */
  clauses(): ValuesClause[] | null {
    const columns = this.decode();
    const rows: number[] = [];
    const texts: string[] = [];
    for (let row = 0; row < this.count; row++) {
      const said = this.sayRow(columns.map((column) => column[row]));
      if (said === null) return null;
      if (said === '') continue;
      rows.push(row);
      texts.push(said);
    }
    const requests = new Int32Array(this.count).fill(NEVER);
    let next = 0;
    const clauses = this.inRequests(texts, (request) => {
      requests[rows[next++] as number] = request;
    });
    this.requests = requests;
    return clauses;
  }

  /** Empty = the row has no answer; null = it can't be said. */
  private sayRow(row: readonly (Term | undefined)[]): string | null {
    const isForeign = (term: Term | undefined, at: number): boolean =>
      term?.termType === 'BlankNode' && this.bound[at]?.certain === true;
    if (row.some(isForeign)) return '';
    if (!row.every(isSayable)) return null;
    return `(${row.map((term) => termToString(term as Term)).join(' ')})`;
  }

  /**
   * Which rows of an answer are of the request that it answers: an endpoint that does not look at the values gives those of
   * others as well, each of which would be there once for every request. `columns`: of the variables, in their order.
   */
  own(columns: readonly IdColumn[], rows: number, request: number): Uint32Array {
    const kept = new Uint32Array(rows);
    let count = 0;
    for (let from = 0; from < rows; from += BATCH_ROWS) {
      const size = Math.min(BATCH_ROWS, rows - from);
      const part = columns.map((column) => column.subarray(2 * from, 2 * (from + size)));
      this.keys.find(part, size, numbers);
      for (let at = 0; at < size; at++) {
        const number = numbers[at] as number;
        // What leaves a variable open fits several combinations; the first answer has it already.
        if ((number < 0 ? 0 : this.requests[number]) === request) kept[count++] = from + at;
      }
    }
    return kept.subarray(0, count);
  }
}
