/**
 * The terms that an input binds to the variables of a SERVICE, as VALUES for its requests: each
 * combination once, up to a thousand in a request. They only narrow what the endpoint sends; the join is
 * made here. Where a row can't be said as values (a variable without a term, a triple term), the endpoint
 * has to be asked for everything. A blank node is no other store's, so its row needs no answer where the
 * endpoint always binds the variable.
 */

import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { QueryBatch } from '../runtime/batch.js';
import { HashKeys } from '../runtime/keys/hash-keys.js';
import type { MemoryBudget } from '../runtime/memory.js';
import type { QueryTerms } from '../terms/terms.js';

/** Endpoints answer so many about as fast as a tenth of them: most of a small request is the way there and back. */
export const COMBINATIONS_PER_REQUEST = 1000;
/** In a form a character takes up to three; servers that bound forms take 200,000 bytes and more. */
export const CHARACTERS_PER_REQUEST = 64 * 1024;

/** Numbers of the combinations of a batch, which nobody asks for. */
const numbers = new Int32Array(BATCH_ROWS);

export interface BoundVariable {
  /** The column of the input. */
  readonly column: number;
  /** The variable's name in the query of the SERVICE. */
  readonly name: string;
  /** Every solution of the endpoint binds it. */
  readonly certain: boolean;
}

export interface ValuesClause {
  readonly text: string;
  readonly combinations: number;
}

/** The request of a combination that is in none. */
const NEVER = -1;

export class ServiceBindings {
  /** By combination, the number of its request. */
  private requests = new Int32Array(0);
  private readonly combinations: HashKeys;

  constructor(
    private readonly variables: readonly BoundVariable[],
    private readonly terms: QueryTerms,
    budget: MemoryBudget,
  ) {
    this.combinations = new HashKeys(variables.length, budget);
  }

  /** At most a batch of rows. */
  add({ columns, rows }: QueryBatch): void {
    const bound = this.variables.map(({ column }) => columns[column] as IdColumn);
    this.combinations.assign(bound, rows, numbers);
  }

  /** How many combinations there are. */
  get count(): number {
    return this.combinations.count;
  }

  /** A VALUES clause for each request; none = no row can have an answer; null = ask for everything. */
  clauses(): ValuesClause[] | null {
    const columns = this.combinations.columns.map((column) =>
      this.terms.decode(column as IdColumn, this.combinations.count),
    );
    const rows: (readonly [row: number, said: string])[] = [];
    this.requests = new Int32Array(this.combinations.count).fill(NEVER);
    for (let row = 0; row < this.combinations.count; row++) {
      const said = this.sayRow(columns.map((column) => column[row]));
      if (said === null) return null;
      if (said !== '') rows.push([row, said]);
    }
    return this.inRequests(rows);
  }

  release(): void {
    this.combinations.release();
  }

  /** Empty = the row has no answer; null = it can't be said. */
  private sayRow(row: readonly (Term | undefined)[]): string | null {
    const isForeign = (term: Term | undefined, at: number): boolean =>
      term?.termType === 'BlankNode' && this.variables[at]?.certain === true;
    if (row.some(isForeign)) return '';
    if (!row.every(isSayable)) return null;
    return `(${row.map((term) => termToString(term as Term)).join(' ')})`;
  }

  private inRequests(rows: readonly (readonly [number, string])[]): ValuesClause[] {
    const head = `VALUES (${this.variables.map(({ name }) => `?${name}`).join(' ')})`;
    const clauses: ValuesClause[] = [];
    let part: string[] = [];
    let characters = 0;
    const close = (): void => {
      if (part.length > 0) clauses.push({ text: `${head} {\n${part.join('\n')}\n}`, combinations: part.length });
      part = [];
      characters = 0;
    };
    for (const [row, said] of rows) {
      if (part.length === COMBINATIONS_PER_REQUEST || characters + said.length > CHARACTERS_PER_REQUEST) close();
      this.requests[row] = clauses.length;
      part.push(said);
      characters += said.length;
    }
    close();
    return clauses;
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
      this.combinations.find(part, size, numbers);
      for (let at = 0; at < size; at++) {
        const number = numbers[at] as number;
        // What leaves a variable open fits several combinations; the first answer has it already.
        if ((number < 0 ? 0 : this.requests[number]) === request) kept[count++] = from + at;
      }
    }
    return kept.subarray(0, count);
  }
}

/** Characters that would end an IRI in a text; a function can make an IRI that holds some. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are among what an IRI may not hold
const UNFIT = /[\u0000-\u0020<>"{}|^`\\]/;

export function isSayable(term: Term | undefined): boolean {
  if (term?.termType === 'NamedNode') return !UNFIT.test(term.value);
  return term?.termType === 'Literal' && !UNFIT.test(term.datatype.value) && /^[a-zA-Z0-9-]*$/.test(term.language);
}
