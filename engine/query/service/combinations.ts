/**
 * The combinations of terms that an input binds to variables which another store is asked about: each once, and put into
 * VALUES clauses, up to a thousand in a request. How a row is said in words is the matter of who asks.
 */

import type { Term } from '../../rdf/terms.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { QueryBatch } from '../runtime/batch.js';
import { HashKeys } from '../runtime/keys/hash-keys.js';
import type { MemoryBudget } from '../runtime/memory.js';
import type { QueryTerms } from '../terms/terms.js';

/** Endpoints answer so many about as fast as a tenth of them: most of a small request is the way there and back. */
export const COMBINATIONS_PER_REQUEST = 1000;
/** In a form a character takes up to three; servers that bound forms take 200,000 bytes and more. */
const CHARACTERS_PER_REQUEST = 64 * 1024;

/** Numbers of the combinations of a batch, which nobody asks for. */
const numbers = new Int32Array(BATCH_ROWS);

export interface AskedVariable {
  /** The column of the input. */
  readonly column: number;
  /** In the text of requests, without its question mark. */
  readonly name: string;
}

export interface ValuesClause {
  readonly text: string;
  readonly combinations: number;
}

/** One request without values. */
export const EVERYTHING: readonly ValuesClause[] = [{ text: '', combinations: 0 }];

export abstract class Combinations {
  protected readonly keys: HashKeys;

  constructor(
    private readonly variables: readonly AskedVariable[],
    private readonly terms: QueryTerms,
    budget: MemoryBudget,
  ) {
    this.keys = new HashKeys(variables.length, budget);
  }

  get count(): number {
    return this.keys.count;
  }

  protected get columns(): readonly IdColumn[] {
    return this.keys.columns as readonly IdColumn[];
  }

  /** At most a batch of rows. */
  add({ columns, rows }: QueryBatch): void {
    const bound = this.variables.map(({ column }) => columns[column] as IdColumn);
    this.keys.assign(bound, rows, numbers);
  }

  /** The combinations `[from, to)`, as copies. */
  slice(from: number, to: number): QueryBatch {
    return { rows: to - from, columns: this.columns.map((column) => column.slice(2 * from, 2 * to)) };
  }

  /** By variable, the terms of all combinations. */
  protected decode(): readonly (readonly (Term | undefined)[])[] {
    return this.columns.map((column) => this.terms.decode(column, this.count));
  }

  /** A VALUES clause for each request; `put`: told which request has the row. */
  protected inRequests(rows: Iterable<string>, put?: (request: number) => void): ValuesClause[] {
    const head = `VALUES (${this.variables.map(({ name }) => `?${name}`).join(' ')})`;
    const clauses: ValuesClause[] = [];
    let part: string[] = [];
    let characters = 0;
    const close = (): void => {
      if (part.length > 0) clauses.push({ text: `${head} {\n${part.join('\n')}\n}`, combinations: part.length });
      part = [];
      characters = 0;
    };
    for (const row of rows) {
      if (part.length === COMBINATIONS_PER_REQUEST || characters + row.length > CHARACTERS_PER_REQUEST) close();
      put?.(clauses.length);
      part.push(row);
      characters += row.length;
    }
    close();
    return clauses;
  }

  release(): void {
    this.keys.release();
  }
}

/** Characters that would end an IRI in a text; a function can make an IRI that holds some. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are among what an IRI may not hold
const UNFIT = /[\u0000-\u0020<>"{}|^`\\]/;

/** Whether a query can name the term. */
export function isSayable(term: Term | undefined): boolean {
  if (term?.termType === 'NamedNode') return !UNFIT.test(term.value);
  return term?.termType === 'Literal' && !UNFIT.test(term.datatype.value) && /^[a-zA-Z0-9-]*$/.test(term.language);
}
