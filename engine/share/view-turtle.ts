/**
 * `view.ttl`: the triples of `export.nt`, with its labels, as Turtle that people can compare (semantics text 8.2). It is
 * made of the file alone, stands in no hash, and no importer reads it.
 */

import { SvcError } from '../base/errors.js';
import { readQuads } from '../rdf/formats/reader.js';
import { writeQuads } from '../rdf/formats/writer.js';
import { terms } from '../rdf/terms.js';
import type { ByteSource } from './bundle.js';

export function viewTurtle(exportNTriples: ByteSource): AsyncIterable<Uint8Array> {
  const quads = () =>
    readQuads(exportNTriples.chunks(), { format: 'ntriples', sourceName: 'export.nt', blankNode: verbatim });
  return writeQuads(quads, { format: 'turtle' });
}

function verbatim(label: string | null) {
  if (label === null) throw new SvcError('internal', 'invariant broken: a sorted line holds an anonymous node');
  return terms.blankNode(label);
}
