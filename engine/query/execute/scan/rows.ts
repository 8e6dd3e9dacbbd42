/**
 * A few rows that are known before the query runs (VALUES, the graphs that exist, one empty
 * solution) or that one look at storage gives (a count).
 */

import { terms as factory, type Term, XSD } from '../../../rdf/terms.js';
import { highOf, lowOf } from '../../../storage/ids/halves.js';
import type { TermId } from '../../../storage/ids/layout.js';
import type { ScanRequest, StorageSnapshot } from '../../../storage/seam/scan.js';
import { batchesOf, newColumn, type QueryBatch } from '../../runtime/batch.js';
import { type Work, WorkOperator } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';

/** Looking a term up takes about as long as so many characters of an expression. */
const ENCODE_WORK = 200;

/** What the rows are; null = unbound. */
export type RowsSource =
  /** So many solutions that bind nothing. */
  | { readonly kind: 'empty'; readonly rows: number }
  | { readonly kind: 'terms'; readonly rows: readonly (readonly (Term | null)[])[] }
  /** One column. */
  | { readonly kind: 'ids'; readonly ids: readonly TermId[] }
  /** One row with the number of matches in each column; null = of nothing. */
  | { readonly kind: 'count'; readonly request: Omit<ScanRequest, 'order' | 'columns'> | null };

/** What rows are made with. */
export interface RowsInput {
  readonly snapshot: StorageSnapshot;
  readonly terms: QueryTerms;
}

export class RowsOperator extends WorkOperator {
  constructor(
    variables: readonly string[],
    private readonly source: RowsSource,
    private readonly input: RowsInput,
  ) {
    super(variables);
  }

  protected *work(): Work<void, QueryBatch> {
    yield* batchesOf(this.makeTable());
  }

  private makeTable(): QueryBatch {
    const { source, variables, input } = this;
    switch (source.kind) {
      case 'empty':
        return { rows: source.rows, columns: [] };
      case 'terms':
        return tableOf(
          variables.length,
          source.rows.map((row) => row.map((term) => (term === null ? null : this.encode(term)))),
        );
      case 'ids':
        return tableOf(
          1,
          source.ids.map((id) => [id]),
        );
      case 'count': {
        const count = source.request === null ? 0 : input.snapshot.count(source.request);
        const id = input.terms.encode(factory.literal(String(count), factory.namedNode(`${XSD}integer`)));
        return tableOf(variables.length, [variables.map(() => id)]);
      }
    }
  }

  private encode(term: Term): TermId {
    this.input.terms.scope.spend(ENCODE_WORK);
    return this.input.terms.encode(term);
  }
}

function tableOf(width: number, rows: readonly (readonly (TermId | null)[])[]): QueryBatch {
  const columns = Array.from({ length: width }, () => newColumn(rows.length));
  rows.forEach((ids, row) => {
    ids.forEach((id, column) => {
      columns[column]?.set(id === null ? [0, 0] : [lowOf(id), highOf(id)], 2 * row);
    });
  });
  return { rows: rows.length, columns };
}
