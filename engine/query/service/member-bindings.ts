/**
 * The combinations of terms that an input binds to variables which a federation is asked for: as columns for this store, and
 * as VALUES for each remote. A remote is not asked for combinations with blank nodes of others, since they are none of its
 * own; its own can't be named in a query, so it is asked for all values of that variable. What it sends too much falls away
 * where the rows are joined.
 */

import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { auxiliaryOf, payloadOf, TAG, tagOf } from '../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { QueryBatch } from '../runtime/batch.js';
import { idAt, tagAt } from '../runtime/ids.js';
import { HashKeys } from '../runtime/keys/hash-keys.js';
import type { MemoryBudget } from '../runtime/memory.js';
import { MADE_BLANK, type QueryTerms } from '../terms/terms.js';
import { CHARACTERS_PER_REQUEST, COMBINATIONS_PER_REQUEST, isSayable, type ValuesClause } from './bindings.js';
import type { FederatedRun } from './members.js';

/** Numbers of the combinations of a batch, which nobody asks for. */
const numbers = new Int32Array(BATCH_ROWS);

/** Any value: what can't be said is found by the join. */
const ANY = 'UNDEF';

/** One request for everything. */
export const EVERYTHING: readonly ValuesClause[] = [{ text: '', combinations: 0 }];

export interface MemberVariable {
  /** The column of the input. */
  readonly column: number;
  /** In the text of requests, with its question mark. */
  readonly name: string;
}

export class MemberBindings {
  private readonly combinations: HashKeys;
  private texts: (readonly (string | BlankOf)[])[] | null = null;

  constructor(
    private readonly variables: readonly MemberVariable[],
    private readonly terms: QueryTerms,
    private readonly run: FederatedRun,
    budget: MemoryBudget,
  ) {
    this.combinations = new HashKeys(variables.length, budget);
  }

  /** At most a batch of rows. */
  add({ columns, rows }: QueryBatch): void {
    const bound = this.variables.map(({ column }) => columns[column] as IdColumn);
    this.combinations.assign(bound, rows, numbers);
  }

  get count(): number {
    return this.combinations.count;
  }

  /** The combinations `[from, to)`, as copies. */
  slice(from: number, to: number): QueryBatch {
    return { rows: to - from, columns: this.combinations.columns.map((column) => column.slice(2 * from, 2 * to)) };
  }

  /** What a remote is asked, request by request; none = it has nothing to say to any combination. */
  clausesFor(member: string): readonly ValuesClause[] {
    this.texts ??= this.said();
    const rows = new Set<string>();
    for (const row of this.texts) {
      const words: string[] = [];
      for (const word of row) {
        if (typeof word === 'string') words.push(word);
        else if (word.owner === member) words.push(ANY);
        else break;
      }
      if (words.length < row.length) continue;
      if (words.every((word) => word === ANY)) return EVERYTHING;
      rows.add(`(${words.join(' ')})`);
    }
    return this.inRequests(rows);
  }

  release(): void {
    this.combinations.release();
    this.texts = null;
  }

  private said(): (readonly (string | BlankOf)[])[] {
    const { count } = this;
    const columns = this.combinations.columns.map((column) => {
      const terms = this.terms.decode(column as IdColumn, count);
      return terms.map((term, row) => this.wordOf(term, column as IdColumn, row));
    });
    return Array.from({ length: count }, (_, row) => columns.map((column) => column[row] as string | BlankOf));
  }

  private wordOf(term: Term | undefined, column: IdColumn, row: number): string | BlankOf {
    if (term?.termType === 'BlankNode') return { owner: this.ownerOf(column, row) };
    return term !== undefined && isSayable(term) ? termToString(term) : ANY;
  }

  private ownerOf(column: IdColumn, row: number): string | undefined {
    if (tagAt(column, row) !== TAG.local) return undefined;
    const id = idAt(column, row);
    return tagOf(id) === TAG.local && auxiliaryOf(id) === MADE_BLANK
      ? this.run.ownerOf(Number(payloadOf(id)))
      : undefined;
  }

  private inRequests(rows: Iterable<string>): ValuesClause[] {
    const head = `VALUES (${this.variables.map(({ name }) => name).join(' ')})`;
    const clauses: ValuesClause[] = [];
    let part: string[] = [];
    let characters = 0;
    const close = (): void => {
      if (part.length > 0) clauses.push({ text: `${head} {\n${part.join('\n')}\n}\n`, combinations: part.length });
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

/** A blank node in place of a word; undefined = of no remote. */
interface BlankOf {
  readonly owner: string | undefined;
}
