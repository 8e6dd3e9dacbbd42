/** INSERT DATA, DELETE DATA and LOAD: quads that stand there already. */

import { SvcError } from '../../base/errors.js';
import { type Quad, ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { UpdateOperation } from '../algebra/update.js';
import type { UpdateRun } from './run.js';
import { checkTarget } from './targets.js';

const BATCH_QUADS = 4096;

export async function insertQuads(quads: readonly Quad[], run: UpdateRun): Promise<void> {
  await inBatches(quads, run, (batch) => run.stage.assert(batch));
}

export async function deleteQuads(quads: readonly Quad[], run: UpdateRun): Promise<void> {
  await inBatches(quads, run, (batch) => run.stage.retract(batch));
}

async function inBatches(quads: readonly Quad[], run: UpdateRun, take: (batch: readonly Quad[]) => void) {
  for (let from = 0; from < quads.length; from += BATCH_QUADS) {
    take(quads.slice(from, from + BATCH_QUADS));
    await run.step('write', from);
  }
}

/** The whole document is read before anything of it is written. */
export async function loadDocument(
  { source, into }: Extract<UpdateOperation, { kind: 'load' }>,
  run: UpdateRun,
): Promise<void> {
  const { readDocument, signal, flag, onProgress } = run.options;
  if (readDocument === undefined) {
    throw new SvcError('invalid_request', `LOAD <${source}> is not allowed: update.load_from is not set`, {
      hint: 'set update.load_from to a folder of documents, or load the document with knot',
    });
  }
  const quads = await readDocument(source, into ?? ROOT_GRAPH_IRI, { signal, flag, onProgress });
  const named = quads.filter(({ graph }) => graph.termType === 'NamedNode');
  for (const graph of new Set(named.map((quad) => quad.graph.value))) checkTarget(graph);
  await insertQuads(quads, run);
}
