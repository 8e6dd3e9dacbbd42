/** Facts that came and went, of one predicate. */

import { Relation } from '../evaluate/relation.js';

export interface PairChange {
  readonly came: Relation;
  readonly went: Relation;
}

export const noChange = (): PairChange => ({ came: new Relation(), went: new Relation() });
