/**
 * The readers that are held to the syntax suites. A second reader of the same formats (a tokeniser of
 * the bulk loader, say) joins the list and goes through the same cases; its groups carry its name.
 */

import { readDocument } from '../../engine/rdf/formats/reader.js';
import type { Format } from '../../engine/rdf/formats/registry.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { storeReader } from './store-reader.js';

export interface Reader {
  readonly name: string;
  readonly formats: readonly Format[];
  /** Suites that it is held to; absent = all of its formats. */
  readonly suites?: readonly string[];
  /** Written labels as they are; anonymous nodes as anything that no written label can be. */
  parse(bytes: Uint8Array, format: Format, baseIri: string): Promise<Quad[]>;
}

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
