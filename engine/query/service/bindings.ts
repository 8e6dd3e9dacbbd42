/**
 * The terms that an input binds to the variables of a SERVICE, as VALUES for its requests: each
 * combination once, a few hundred in a request. They only narrow what the endpoint sends; the join is
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

/** Beyond so many combinations one request for everything is cheaper than many narrow ones. */
export const COMBINATIONS_MAX = 2000;
const COMBINATIONS_PER_REQUEST = 200;
const CHARACTERS_PER_REQUEST = 64 * 1024;

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

export class ServiceBindings {
  private readonly combinations: HashKeys;

  constructor(
    private readonly variables: readonly BoundVariable[],
    private readonly terms: QueryTerms,
    budget: MemoryBudget,
  ) {
    this.combinations = new HashKeys(variables.length, budget);
  }

  add({ columns, rows }: QueryBatch): void {
    const bound = this.variables.map(({ column }) => columns[column] as IdColumn);
    this.combinations.assign(bound, rows, numbers);
  }

  get tooMany(): boolean {
    return this.combinations.count > COMBINATIONS_MAX;
  }

  /** A VALUES clause for each request; none = no row can have an answer; null = ask for everything. */
  clauses(): string[] | null {
    const columns = this.combinations.columns.map((column) =>
      this.terms.decode(column as IdColumn, this.combinations.count),
    );
    const rows: string[] = [];
    for (let row = 0; row < this.combinations.count; row++) {
      const said = this.sayRow(columns.map((column) => column[row]));
      if (said === null) return null;
      if (said !== '') rows.push(said);
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

  private inRequests(rows: readonly string[]): string[] {
    const head = `VALUES (${this.variables.map(({ name }) => `?${name}`).join(' ')})`;
    const clauses: string[] = [];
    let part: string[] = [];
    let characters = 0;
    const close = (): void => {
      if (part.length > 0) clauses.push(`${head} {\n${part.join('\n')}\n}`);
      part = [];
      characters = 0;
    };
    for (const row of rows) {
      if (part.length === COMBINATIONS_PER_REQUEST || characters + row.length > CHARACTERS_PER_REQUEST) close();
      part.push(row);
      characters += row.length;
    }
    close();
    return clauses;
  }
}

/** Characters that would end an IRI in a text; a function can make an IRI that holds some. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are among what an IRI may not hold
const UNFIT = /[\u0000-\u0020<>"{}|^`\\]/;

function isSayable(term: Term | undefined): boolean {
  if (term?.termType === 'NamedNode') return !UNFIT.test(term.value);
  return term?.termType === 'Literal' && !UNFIT.test(term.datatype.value) && /^[a-zA-Z0-9-]*$/.test(term.language);
}
