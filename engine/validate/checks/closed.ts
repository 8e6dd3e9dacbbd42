/** A value has no property but those that the shape allows (SHACL 4.8.1). The result is about the object. */

import { getOrInsert } from '../../base/maps.js';
import type { Term } from '../../rdf/terms.js';
import type { DataGraph } from '../data/data-graph.js';
import { distinct, placeOf } from '../data/id-columns.js';
import { startsOf } from '../data/path-values.js';
import type { Check } from './check.js';

export function closedCheck(allowed: readonly Term[], view: DataGraph): Check {
  const allowedIds = view.idsOf(allowed);
  return ({ values, constraint, reporter }) => {
    const subjects = distinct(values.ids, values.count);
    const facts = view.facts(subjects);
    const { predicates, objects } = facts;
    // By subject, which rows of the batch have it as a value.
    const places = { rows: new Uint32Array(values.count), ids: values.ids, count: values.count };
    for (let at = 0; at < values.count; at++) {
      places.rows[at] = placeOf(subjects, values.ids[2 * at] as number, values.ids[2 * at + 1] as number);
    }
    const starts = startsOf(places, subjects.count);
    const rows = new Uint32Array(values.count);
    const next = starts.slice();
    for (let at = 0; at < values.count; at++) {
      const subject = places.rows[at] as number;
      const place = next[subject] as number;
      next[subject] = place + 1;
      rows[place] = values.rows[at] as number;
    }
    const paths = new Map<number, Term>();
    for (let at = 0; at < facts.count; at++) {
      const [low, high] = [predicates.ids[2 * at] as number, predicates.ids[2 * at + 1] as number];
      if (placeOf(allowedIds, low, high) >= 0) continue;
      // Predicates are IRIs, whose numbers differ in the payload alone.
      const key = (high & 0xffff) * 2 ** 32 + low;
      const path = getOrInsert(paths, key, () => view.term(low, high));
      const subject = facts.subjects[at] as number;
      for (let place = starts[subject] as number; place < (starts[subject + 1] as number); place++) {
        const [valueLow, valueHigh] = [objects.ids[2 * at] as number, objects.ids[2 * at + 1] as number];
        reporter.fail(constraint, rows[place] as number, valueLow, valueHigh, { path });
      }
    }
  };
}
