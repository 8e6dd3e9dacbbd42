/**
 * A small document of triples is staged as a transaction: the bulk loader folds what small transactions have added and
 * makes runs of its own, which costs more than such a document. Several of them then also share one commit of the file.
 *
 * What can not be read is left to the loader, whose messages name the place.
 */

import { throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { type ReadResult, readSources } from '../../storage/documents/read-sources.js';
import type { LoadOptions, LoadSource } from '../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { withSnapshot } from '../facts/rows.js';
import type { WritePipeline } from '../pipeline/pipeline.js';
import type { LoadReceipt, WriteControl } from '../pipeline/write-control.js';
import { takeQuads } from './quads.js';

/** Some thousand triples: about here the loader begins to be the cheaper way. */
const SMALL_BYTES_MAX = 128 * 1024;

/** Null for documents that the loader takes. */
export async function readSmall(
  sources: readonly LoadSource[],
  options: LoadOptions,
  control: WriteControl,
): Promise<ReadResult | null> {
  if (!areSmall(sources)) return null;
  try {
    return await readSources(sources, options, control);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throwIfAborted(control.signal, 'the load');
    return null;
  }
}

/** Documents of triples that are there as a whole. */
function areSmall(sources: readonly LoadSource[]): boolean {
  let bytes = 0;
  for (const source of sources) {
    if (source.kind !== 'bytes' || !(source.bytes instanceof Uint8Array)) return false;
    if (source.format !== 'turtle' && source.format !== 'ntriples') return false;
    if ((source.compression ?? 'none') !== 'none') return false;
    bytes += source.bytes.length;
  }
  return bytes <= SMALL_BYTES_MAX;
}

export async function loadSmall(
  pipeline: WritePipeline,
  { quads, bytesRead }: ReadResult,
  sources: number,
  options: LoadOptions,
  control: WriteControl,
  check: (before: StorageSnapshot) => void = () => undefined,
): Promise<LoadReceipt> {
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
  const summary = { quadsRead: quads.length, quadsAdded: counts.asserted, bytesRead, termsAdded: 0, sources };
  return { ...receipt, summary };
}
