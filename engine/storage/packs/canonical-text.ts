/**
 * Terms as they stand in a line of a content hash: the canonical N-Triples form (`rdf/canonical/lines.ts`), language tags in
 * lower case (ruling R56), as a JSON string in UTF-8, with the comma behind it.
 *
 * No such text is the beginning of another, since the first quotation mark without a backslash ends it. So lines compare as
 * the texts of their terms do, one after the other, and terms can be ranked by their bytes once.
 *
 * A kernel makes the texts of stored bytes (`kernels/as/line-texts.ts`), unless something in them has to be escaped.
 */

import { termKey } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { termOf } from '../dictionary/stored-term.js';

/** What the quotes, brackets and the comma take, at the most. */
export const TEXT_FRAME_BYTES = 16;

/** The text of a term that is at hand as one. */
export function textOf(term: Term): Buffer {
  return Buffer.from(`${JSON.stringify(termKey(term))},`);
}

/** The same for stored bytes that have to be escaped. */
export function textOfStored(bytes: Buffer, from: number, to: number): Buffer {
  return textOf(termOf(bytes, from, to));
}
