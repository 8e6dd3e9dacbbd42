/**
 * What each remote of a federated join is asked about: the combinations of terms of an input, as VALUES, and as columns for
 * this store. A remote is not asked for combinations with blank nodes of others, since they are none of its own; its own can't
 * be named in a query, so it is asked for all values of that variable. What it sends too much falls away where the rows are
 * joined.
 */

import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { auxiliaryOf, payloadOf, TAG, tagOf } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { idAt, tagAt } from '../runtime/ids.js';
import type { MemoryBudget } from '../runtime/memory.js';
import { MADE_BLANK, type QueryTerms } from '../terms/terms.js';
import { type AskedVariable, Combinations, EVERYTHING, isSayable, type ValuesClause } from './combinations.js';
import type { FederatedRun } from './members.js';

/** Any value: what can't be said is found by the join. */
const ANY = 'UNDEF';

export class MemberBindings extends Combinations {
  private texts: (readonly (string | BlankOf)[])[] | null = null;

  constructor(
    variables: readonly AskedVariable[],
    terms: QueryTerms,
    private readonly run: FederatedRun,
    budget: MemoryBudget,
  ) {
    super(variables, terms, budget);
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

  override release(): void {
    super.release();
    this.texts = null;
  }

  private said(): (readonly (string | BlankOf)[])[] {
    const { columns, count } = this;
    const words = this.decode().map((terms, variable) => {
      const column = columns[variable] as IdColumn;
      return terms.map((term, row) => this.wordOf(term, column, row));
    });
    return Array.from({ length: count }, (_, row) => words.map((column) => column[row] as string | BlankOf));
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
}

/** A blank node in place of a word; undefined = of no remote. */
interface BlankOf {
  readonly owner: string | undefined;
}
