/** Graphs as N-Triples and N-Quads: canonical lines, in the order in which the triples come. */

import { termToString } from '../../rdf/canonical/lines.js';
import { refuseNamedGraph } from '../../rdf/formats/quad-writer.js';
import { type Quad, terms } from '../../rdf/terms.js';
import type { ResultBatch } from './result.js';
import { type ColumnTexts, rowChunks } from './term-texts.js';

const GRAPH = 3;

export function lineChunks(batches: AsyncIterable<ResultBatch>, format: 'ntriples' | 'nquads'): AsyncIterable<string> {
  return rowChunks(batches, {
    textOf: (term, column) => {
      if (column === GRAPH && format === 'ntriples') refuseGraph(term as Quad['graph']);
      return `${termToString(term)} `;
    },
    rowOf: (texts, row) => {
      const [subjects, predicates, objects, graphs = null] = texts as Columns;
      const triple = (subjects[row] as string) + predicates[row] + objects[row];
      return graphs === null ? `${triple}.\n` : `${triple}${graphs[row]}.\n`;
    },
  });
}

type Column = ColumnTexts[number];
type Columns = readonly [Column, Column, Column, Column?];

const NOWHERE = terms.namedNode('urn:x');

function refuseGraph(graph: Quad['graph']): void {
  refuseNamedGraph('ntriples', terms.quad(NOWHERE, NOWHERE, NOWHERE, graph));
}
