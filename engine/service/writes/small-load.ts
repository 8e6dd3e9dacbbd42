/**
 * A small document of triples is staged as a transaction: the bulk loader folds what small transactions have added and
 * makes runs of its own, which costs more than such a document. Several of them then also share one commit of the file.
 * It is read by the grammar of the loader, before the write takes its turn.
 */

import { readSmall } from '../../storage/documents/small-documents.js';
import type { LoadOptions, LoadSource } from '../../storage/seam/engine.js';
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
): Promise<LoadReceipt> {
  const { quads, bytesRead } = await readSmall(sources, options, control);
  const { timestamp, validFrom, actor, source, authenticated } = options;
  const {
    counts,
    result: _,
    ...receipt
  } = await pipeline.transact(
    async (stage) => {
      await withSnapshot(stage.before(), check);
      await takeQuads(quads, (batch) => stage.assert(batch), control.signal);
    },
    { timestamp, validFrom, actor, source, authenticated },
    { ...control, recordEmpty: true },
  );
  const summary = {
    quadsRead: quads.length,
    quadsAdded: counts.asserted,
    bytesRead,
    termsAdded: 0,
    sources: sources.length,
  };
  return { ...receipt, summary };
}
