/** What a query says of the graphs that it could read, to those who judge or label it. */

import type { TermId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { GraphBooks } from './graph-book.js';

/** The graphs that a query could read (semantics of graphs, 2.7), whether a row comes from them or not. */
export interface AskedGraphs {
  readonly snapshot: StorageSnapshot;
  readonly books: GraphBooks;
  /** Lists of registered graphs, each ascending, which may overlap. One is the same object while it says the same. */
  readonly parts: readonly (readonly TermId[])[];
  /** Endpoints that SERVICE asks: what they hold is declared by nobody here. */
  readonly endpoints: readonly string[];
  /** The graphs of derived facts that the request asked for besides; null = it did not, undefined = FROM beat it. */
  readonly companions: readonly TermId[] | null | undefined;
}
