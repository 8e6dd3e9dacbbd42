/** Constraints that compare a value with given terms or classes (SHACL 4.1.1, 4.8.3). */

import type { Term } from '../../rdf/terms.js';
import { TAG } from '../../storage/ids/layout.js';
import type { ClassTree } from '../data/class-tree.js';
import type { DataGraph } from '../data/data-graph.js';
import { distinct, type IdSet, placeOf } from '../data/id-columns.js';
import { FEW_NODES } from '../data/subject-cache.js';
import { isLiteralTag } from './terms.js';
import { NO, rememberedTest, tagTest, UNDECIDED, type ValueTest, YES } from './value-test.js';

export function inTest(members: readonly Term[], view: DataGraph): ValueTest {
  const set = view.idsOf(members);
  return tagTest((low, high) => (placeOf(set, low, high) >= 0 ? YES : NO));
}

/** An instance has a type that is the class or reaches it over `rdfs:subClassOf`. */
export function classTest(type: Term, view: DataGraph, classes: ClassTree): ValueTest {
  const wanted = view.idOf(type);
  let below: IdSet | null = null;
  return rememberedTest(
    (_, high) => (isLiteralTag(high >>> 24) || high >>> 24 === TAG.triple ? NO : UNDECIDED),
    (ids, answers) => {
      const { rows, ids: types, count } = view.objects(ids, view.rdfType);
      // Few have few types: what is above these is less than what may be below the class.
      if (ids.count > FEW_NODES) below ??= classes.below(wanted);
      const passing = below ?? classes.typesOf(wanted, distinct(types, count));
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        if (answers[row] === YES) continue;
        if (placeOf(passing, types[2 * at] as number, types[2 * at + 1] as number) >= 0) answers[row] = YES;
      }
    },
  );
}
