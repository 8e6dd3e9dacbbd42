/**
 * Values that stand within ids, such as numbers and dates, which no index of texts has: those that a query names as they are
 * written, and those of ROOT whose lexical form contains a text.
 */

import { type Literal, terms, XSD } from '../../rdf/terms.js';
import { INTEGER_TYPES } from '../../rdf/values/integer-types.js';
import { isDictionaryTag, makeId, TAG, type TermId, tagOf } from '../../storage/ids/layout.js';
import { foldCase } from '../../storage/indexes/text/fold-case.js';
import type { Pace } from '../../storage/indexes/text/pace.js';
import { decodeIds, idIn, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import type { ScanPattern, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';

const TYPES = [
  ...INTEGER_TYPES.keys(),
  ...['decimal', 'double', 'float', 'boolean', 'date', 'dateTime'].map((name) => XSD + name),
];
/** What a lexical form of one may hold, without case. */
const POSSIBLE = /^[0-9+\-.:tzeruefalsinf]*$/;
const WITHIN_IDS: ScanPattern = {
  o: { kind: 'ranges', ranges: [{ from: makeId(TAG.integer, 0, 0n), to: makeId(TAG.float + 1, 0, 0n) }] },
};

/** Of the words of a query, cut at white space. */
export function namedValues(snapshot: StorageSnapshot, query: string): TermId[] {
  const found = new Set<TermId>();
  for (const word of query.split(/\s+/u)) {
    if (!POSSIBLE.test(foldCase(word))) continue;
    for (const type of TYPES) {
      const id = snapshot.encode(terms.literal(word, terms.namedNode(type)));
      if (id !== null && !isDictionaryTag(tagOf(id))) found.add(id);
    }
  }
  return [...found];
}

/** Reads every such value of ROOT, if one could contain the text. */
export function valuesContaining(snapshot: StorageSnapshot, text: string, time: TimeSlice, pace: Pace): TermId[] {
  const folded = foldCase(text);
  const found: TermId[] = [];
  if (!POSSIBLE.test(folded)) return found;
  let last: TermId | null = null;
  const rows = { graphs: ROOT_ONLY, pattern: WITHIN_IDS, order: 'OSPG', time, columns: ['o'] } as const;
  for (const batch of readRows(snapshot, rows)) {
    pace();
    const ids: TermId[] = [];
    for (let row = 0; row < batch.rows; row++) {
      const id = idIn(batch.column('o'), row);
      if (id !== last) ids.push(id);
      last = id;
    }
    for (const [at, term] of decodeIds(snapshot, ids).entries()) {
      if (foldCase((term as Literal).value).includes(folded)) found.push(ids[at] as TermId);
    }
  }
  return found;
}
