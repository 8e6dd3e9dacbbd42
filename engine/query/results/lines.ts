/** Graphs as RDF/JS quads, and as N-Triples and N-Quads: canonical lines, in the order in which the triples come. */

import { termToString } from '../../rdf/canonical/lines.js';
import { refuseNamedGraph } from '../../rdf/formats/output/quad-writer.js';
import { type Quad, type Term, terms } from '../../rdf/terms.js';
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

/** The quads of each batch, as the writers of the formats take them. */
export async function* quadBatches(batches: AsyncIterable<ResultBatch>): AsyncGenerator<Quad[], void, undefined> {
  for await (const batch of batches) {
    const [subjects, predicates, objects, graphs] = batch.columns.map((_, column) => batch.terms(column));
    const quads: Quad[] = new Array(batch.rows);
    for (let row = 0; row < batch.rows; row++) {
      quads[row] = quadOf(subjects?.[row], predicates?.[row], objects?.[row], graphs?.[row]);
    }
    yield quads;
  }
}

export async function* quadsOf(batches: AsyncIterable<ResultBatch>): AsyncGenerator<Quad, void, undefined> {
  for await (const quads of quadBatches(batches)) yield* quads;
}

/** The template lets only terms through that may stand where they stand. */
function quadOf(subject?: Term, predicate?: Term, object?: Term, graph?: Term): Quad {
  return terms.quad(
    subject as Quad['subject'],
    predicate as Quad['predicate'],
    object as Quad['object'],
    graph as Quad['graph'] | undefined,
  );
}
