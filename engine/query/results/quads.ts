/** The batches of a graph as RDF/JS quads. */

import { type Quad, type Term, terms } from '../../rdf/terms.js';
import type { ResultBatch } from './result.js';

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
