/**
 * The readers that are held to the syntax suites. A second reader of the same formats (a tokeniser of
 * the bulk loader, say) joins the list and goes through the same cases; its groups carry its name.
 */

import { readDocument } from '../../engine/rdf/formats/reader.js';
import { terms } from '../../engine/rdf/terms.js';
import type { Reader } from './reader.js';
import { storeReader } from './store-reader.js';

export type { Reader } from './reader.js';

/** Blank nodes for comparisons: a dot can't start a written label. */
export function testBlankNodes(): (label: string | null) => ReturnType<typeof terms.blankNode> {
  let anonymous = 0;
  return (label) => terms.blankNode(label ?? `.${anonymous++}`);
}

export const libraryReader: Reader = {
  name: 'formats',
  formats: ['ntriples', 'nquads', 'turtle', 'trig', 'rdfxml'],
  parse: (bytes, format, baseIri) =>
    readDocument(bytes, { format, baseIri, sourceName: baseIri, blankNode: testBlankNodes() }),
};

export const READERS: readonly Reader[] = [libraryReader, storeReader];
