/**
 * What the first key of a row must not be beyond to be among the first of ORDER BY with LIMIT, taken from the last row that
 * is kept of those so far. Rows beyond it are dropped as they come: numbers and times by their ids, IRIs and strings by the
 * bytes that the dictionary has of them, so that no term is made of what is dropped. What is not surely beyond stays.
 */

import { lexicalStart } from '../../../storage/dictionary/stored-term.js';
import { TAG } from '../../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn, type StoredTerms } from '../../../storage/seam/scan.js';
import { FALSE, TRUE, UNDECIDED } from '../../expressions/answers.js';
import { IdAnswers } from '../../expressions/by-id.js';
import type { QueryTerms } from '../../terms/terms.js';
import { type NumberKind, sortNumber } from './key-encoder.js';

/** Lists the first `rows` rows that are not surely beyond the bar; gives how many. */
export type SortBar = (keys: IdColumn, rows: number, kept: Uint32Array) => number;

/** `number` is that of the bar, negated where the order descends. */
export function numberBar(kind: NumberKind, number: number, descending: boolean): SortBar {
  const sign = descending ? -1 : 1;
  return (keys, rows, kept) => {
    let count = 0;
    for (let row = 0; row < rows; row++) {
      const beyond = sign * sortNumber(kind, keys[2 * row] as number, keys[2 * row + 1] as number) > number;
      kept[count] = row;
      count += beyond ? 0 : 1;
    }
    return count;
  };
}

/** Where ids of a tag stand in the ascending order (`rdf/values/order.ts`), in groups; those that are not here may stand anywhere. */
const IRIS = 2;
const NUMBERS = 3;
const STRINGS = 4;
const BOOLEANS = 5;
const TIMES = 6;
const PLACES: ReadonlyMap<number, number> = new Map([
  [TAG.unbound, 0],
  [TAG.blank, 1],
  [TAG.iri, IRIS],
  [TAG.integer, NUMBERS],
  [TAG.decimal, NUMBERS],
  [TAG.double, NUMBERS],
  [TAG.float, NUMBERS],
  [TAG.string, STRINGS],
  [TAG.langString, STRINGS],
  [TAG.dirLangString, STRINGS],
  [TAG.boolean, BOOLEANS],
  [TAG.date, TIMES],
  [TAG.dateTime, TIMES],
  [TAG.dateTimeMs, TIMES],
]);
const BY_TEXT = 255;
const answers = new Uint8Array(BATCH_ROWS);

/** The bar at the key of a row; null where its place among others is not told by its id. */
export function termBarAt(keys: IdColumn, row: number, descending: boolean, terms: QueryTerms): SortBar | null {
  const place = PLACES.get((keys[2 * row + 1] as number) >>> 24);
  if (place === undefined) return null;
  const [term] = terms.decode(keys.subarray(2 * row, 2 * row + 2), 1);
  return term === undefined ? null : termBar(place, Buffer.from(term.value), descending, terms);
}

/** Groups other than that of the bar are before or behind it as a whole, IRIs and strings by their text. */
function termBar(place: number, text: Buffer, descending: boolean, terms: QueryTerms): SortBar {
  const byTag = new Uint8Array(256).fill(FALSE);
  for (const [tag, own] of PLACES) {
    if (own === place && (place === IRIS || place === STRINGS)) byTag[tag] = BY_TEXT;
    else if (descending ? own < place : own > place) byTag[tag] = TRUE;
  }
  // The answer is TRUE for what is surely beyond.
  const compare = ({ bytes, count, places, starts, ends }: StoredTerms, out: Uint8Array): void => {
    terms.scope.spend(count);
    for (let index = 0; index < count; index++) {
      const end = ends[index] as number;
      const start = lexicalStart(bytes, starts[index] as number, end);
      // UTF-8 is in the order of code points.
      const order = bytes.compare(text, 0, text.length, start, end);
      if (descending ? order < 0 : order > 0) out[places[index] as number] = TRUE;
    }
  };
  const known = new IdAnswers(byTag, ({ ids, count, answers: out }) => {
    out.fill(FALSE, 0, count);
    terms.stored(ids, count, (stored) => compare(stored, out));
  });
  return (keys, rows, kept) => {
    answers.fill(UNDECIDED, 0, rows);
    known.decide(keys, rows, answers);
    let count = 0;
    for (let row = 0; row < rows; row++) {
      kept[count] = row;
      count += answers[row] === TRUE ? 0 : 1;
    }
    return count;
  };
}
