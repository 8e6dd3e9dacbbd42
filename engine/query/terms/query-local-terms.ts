/**
 * Ids of computed values that meet only each other (`plan/passes/query-local.ts`). What is not its own id is of the local
 * dictionary, and the store is not asked: ids correspond to terms one to one among themselves. `MatchedTerms.adopt` has
 * those that leave.
 */

import type { Term } from '../../rdf/terms.js';
import { inlineId } from '../../storage/ids/inline.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { ComputedTerms } from './computed-terms.js';
import { isPlainText, localId, writeLocal } from './local-dictionary.js';

export class QueryLocalTerms extends ComputedTerms {
  encode(term: Term): TermId {
    const typed = term.termType === 'Literal' && !isPlainText(term) && term.language === '';
    const inlined = typed ? inlineId(term.datatype.value, term.value) : null;
    return inlined ?? localId(this.local.unmatchedNumberOf(term));
  }

  writeDouble(value: number, column: IdColumn, row: number): void {
    writeLocal(this.local.unmatchedDouble(value), column, row);
  }
}
