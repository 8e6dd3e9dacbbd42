/** Graphs as N-Triples and N-Quads: canonical lines, in the order in which the triples come. */

import { termToString } from '../../rdf/canonical/lines.js';
import { refuseNamedGraph } from '../../rdf/formats/quad-writer.js';
import { type Quad, terms } from '../../rdf/terms.js';
import type { ResultBatch } from '../query.js';
import { textBatches } from './term-texts.js';

export async function* lineChunks(
  batches: AsyncIterable<ResultBatch>,
  format: 'ntriples' | 'nquads',
): AsyncGenerator<string, void, undefined> {
  const write = (term: Parameters<typeof termToString>[0], column: number): string => {
    if (column === GRAPH && format === 'ntriples') refuseGraph(term as Quad['graph']);
    return `${termToString(term)} `;
  };
  for await (const { rows, texts } of textBatches(batches, write)) {
    const [subjects, predicates, objects, graphs] = texts as Texts;
    let chunk = '';
    for (let row = 0; row < rows; row++) {
      const triple = `${subjects[row]}${predicates[row]}${objects[row]}`;
      chunk += graphs === undefined ? `${triple}.\n` : `${triple}${graphs[row]}.\n`;
    }
    yield chunk;
  }
}

type Texts = readonly [readonly string[], readonly string[], readonly string[], (readonly string[])?];

const GRAPH = 3;
const NOWHERE = terms.namedNode('urn:x');

function refuseGraph(graph: Quad['graph']): void {
  refuseNamedGraph('ntriples', terms.quad(NOWHERE, NOWHERE, NOWHERE, graph));
}
