/**
 * A small document of triples is staged as a transaction: the bulk loader folds what small transactions have added and
 * makes runs of its own, which costs more than such a document. Several of them then also share one commit of the file.
 * It is read by the grammar of the loader, before the write takes its turn.
 */

import type { Quad } from '../../rdf/terms.js';
import { readSmall } from '../../storage/documents/small-documents.js';
import type { LoadOptions, LoadSource, Stage } from '../../storage/seam/engine.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { WritePipeline } from '../pipeline/pipeline.js';
import type { LoadReceipt, WriteControl } from '../pipeline/write-control.js';
import { takeQuads } from './quads.js';

export async function loadSmall(
  pipeline: WritePipeline,
  sources: readonly LoadSource[],
  options: LoadOptions,
  control: WriteControl,
  check: (before: StorageSnapshot) => void = () => undefined,
): Promise<StagedReceipt> {
  const read = await readSmall(sources, options, control);
  return stageDocuments(pipeline, { ...read, sources: sources.length }, options, control, async (stage) => {
    await withSnapshot(stage.before(), check);
    await takeQuads(read.quads, (batch) => stage.assert(batch), control.signal);
  });
}

/** What was read of documents. */
interface ReadDocuments {
  readonly quads: readonly Quad[];
  readonly bytesRead: number;
  readonly sources: number;
}

export type StagedReceipt = LoadReceipt & { readonly retracted: number };

/** Writes documents that were read as one transaction, as `put` stages them. */
export async function stageDocuments(
  pipeline: WritePipeline,
  { quads, bytesRead, sources }: ReadDocuments,
  { timestamp, validFrom, actor, source, authenticated }: LoadOptions,
  control: WriteControl,
  put: (stage: Stage) => Promise<void>,
): Promise<StagedReceipt> {
  const labels = { timestamp, validFrom, actor, source, authenticated };
  const { counts, result: _, ...receipt } = await pipeline.transact(put, labels, { ...control, recordEmpty: true });
  const { asserted: quadsAdded, retracted } = counts;
  return { ...receipt, summary: { quadsRead: quads.length, quadsAdded, bytesRead, termsAdded: 0, sources }, retracted };
}
