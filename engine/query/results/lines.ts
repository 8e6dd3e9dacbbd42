/** Graphs as N-Triples and N-Quads: canonical lines, in the order in which the triples come. */

import { termToString } from '../../rdf/canonical/lines.js';
import { refuseNamedGraph } from '../../rdf/formats/output/quad-writer.js';
import { type Quad, terms } from '../../rdf/terms.js';
import { byteRows, type ResultBytes } from './byte-rows.js';
import type { ResultBatch } from './result.js';
import { plainBytes, sharedFormat, type TermFormat } from './term-format.js';

const GRAPH = 3;

/** Of terms as canonical N-Triples writes them; the lead byte of U+FFFE and U+FFFF needs a second look. */
const WRITTEN = sharedFormat((term) => `${termToString(term)} `, plainBytes('"\\\x7f', [0xef]));

export function lineChunks(batches: AsyncIterable<ResultBatch>, format: 'ntriples' | 'nquads'): ResultBytes {
  const refused: TermFormat = {
    text(term) {
      refuseGraph(term as Quad['graph']);
      return '';
    },
    plain: null,
  };
  return byteRows(batches, {
    head: '',
    formatOf: (column) => (column === GRAPH && format === 'ntriples' ? refused : WRITTEN),
    rowStart: '',
    between: '',
    rowEnd: '.\n',
    tail: () => '',
  });
}

const NOWHERE = terms.namedNode('urn:x');

function refuseGraph(graph: Quad['graph']): void {
  refuseNamedGraph('ntriples', terms.quad(NOWHERE, NOWHERE, NOWHERE, graph));
}
