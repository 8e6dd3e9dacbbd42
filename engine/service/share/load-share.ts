/**
 * The way of a large share into its staging graph: through the loader, whose memory does not grow with it, and which is
 * faster. What a load has opened its own transaction can't close, so this way is for shares that are staged as a
 * whole; where something has to be set aside nothing is written, and the other way is taken.
 */

import { importedShare, stagingGraph } from '../../share/imported-shares.js';
import { rewrittenLines } from '../../share/rewritten-lines.js';
import type { LoadSource, LoadSummary, TransactionOptions } from '../../storage/seam/engine.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import { SERVER_LOAD_BYTES } from '../options/store-options.js';
import type { WritePipeline } from '../pipeline/pipeline.js';
import type { TransactionReceipt, WriteControl } from '../pipeline/write-control.js';
import { blockersOf, LISTED_MAX } from './import-report.js';
import type { Imported, ImportWork } from './import-work.js';
import { openStaging, type Prepared, prepareShare, recordImport, type StagingRequest } from './stage-share.js';

/** Fewer triples cost less as a transaction. */
export const LOADED_TRIPLES_MIN = 20_000;

class OtherWay extends Error {}

/** Null: it has to go the other way, and nothing was written. */
export async function loadShare(
  work: Pick<ImportWork, 'engine' | 'compiledSets' | 'share'> & { readonly control: WriteControl },
  pipeline: WritePipeline,
  request: StagingRequest,
  settled: TransactionOptions,
): Promise<TransactionReceipt<Imported> | null> {
  const { engine, compiledSets, share, control } = work;
  const graph = stagingGraph(share.shareId);
  let prepared: Prepared | null = null;
  const prepare = async (): Promise<readonly LoadSource[]> => {
    prepared = await withSnapshot(engine.snapshot(), (before) => {
      if (importedShare(before, share.shareId) !== null) throw new OtherWay();
      return prepareShare(work, before, request);
    });
    const { vocabulary } = prepared.judges;
    const words = vocabulary === null ? [] : [...share.names.predicates, ...share.names.classes];
    if (words.some((word) => vocabulary?.has(word) === false)) throw new OtherWay();
    const bytes = rewrittenLines(share, prepared.plan.targets, control);
    return [{ kind: 'bytes', bytes, name: 'export.nt', format: 'ntriples' }];
  };
  const options = { ...settled, graph, blankNodeScope: 'store', memoryBytesMax: SERVER_LOAD_BYTES } as const;
  try {
    return await pipeline.loadThen<Imported>(prepare, options, control, async (stage, registry, events, begin) => {
      const { plan, candidates, judges } = prepared as Prepared;
      const conformance = await judges.judge(stage, graph, LISTED_MAX, control);
      if (conformance.violating.size > 0) throw new OtherWay();
      const next = () => begin(settled);
      const staged: ImportWork = { engine, compiledSets, control, share, stage, registry, events, next };
      await openStaging(staged);
      return recordImport(staged, request, {
        tx: stage.tx,
        quarantineTx: null,
        accepted: (stage.loaded as LoadSummary).quadsAdded,
        quarantined: 0,
        report: { rewritten: plan.rewritten, ...candidates, ...blockersOf([], conformance) },
      });
    });
  } catch (error) {
    if (error instanceof OtherWay) return null;
    throw error;
  }
}
