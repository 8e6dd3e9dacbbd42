/**
 * Takes a share bundle in (semantics text 6.8): it is verified before the write takes its turn, so that a bundle which is
 * not what it says costs other writers nothing. What is accepted and what is set aside come into graphs of their own, a
 * transaction each, published together. ROOT is read and never written.
 */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { checkShareSignature, type ShareTrust } from '../../governance/share-signatures.js';
import { verifierRegistrations } from '../../governance/verifier-registrations.js';
import type { ShareSignature } from '../../share/bundle.js';
import { importedShare, importIri, quarantineGraph, stagingGraph } from '../../share/imported-shares.js';
import { verifyBundle } from '../../share/verify-bundle.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { checkedText, type WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import { bundleOf } from '../share/bundle-of.js';
import { type ImportReport, readReport } from '../share/import-report.js';
import type { Imported, ImportShareRequest, ImportWork } from '../share/import-work.js';
import { parentKnown } from '../share/known-shares.js';
import { LOADED_TRIPLES_MIN, loadShare } from '../share/load-share.js';
import { recheckShare } from '../share/recheck-share.js';
import { stageShare } from '../share/stage-share.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface ImportShareOptions extends Omit<WriteOptions, 'source' | 'validFrom'>, Control {}

export interface ImportedShareResult extends TransactionResult, ImportReport {
  readonly outcome: 'staged' | 'quarantined' | 'unchanged';
  readonly shareId: string;
  /** The record of the import. */
  readonly import: string;
  /** The staging graph when the share is staged or promoted, the quarantine graph when it is quarantined. */
  readonly graph: string;
  readonly quarantineGraph: string | null;
  readonly accepted: number;
  readonly quarantined: number;
  readonly parentKnown: boolean;
  /** The transaction of the quarantine graph; null = there is none. */
  readonly quarantineTx: number | null;
  /** Who vouches for the share; null = nobody. What comes of the import does not depend on it. */
  readonly signature: VouchedBy | null;
}

export interface VouchedBy extends ShareTrust {
  /** IRI of the verifier, as the bundle names it. */
  readonly verifier: string;
  readonly publicKey: string;
}

export const importShare: WriteCommand<ImportShareRequest, ImportShareOptions, ImportedShareResult> = {
  what: 'the import of a share',

  async run(context, request, options) {
    const { control, engine, pipeline } = context;
    const { compiledSets } = pipeline;
    if (checkedText(request.source, 'source') === '')
      throw new SvcError('invalid_request', "missing 'source' parameter");
    const share = await verifyBundle(await bundleOf(request, context.documents), control);
    const { shareId } = share;
    const settled = context.settle({ ...options, source: `import:${shareId}` });
    const staging = stagingGraph(shareId);
    const change: StageChange<Imported> = async (stage, registry, events, begin) => {
      const known = await withSnapshot(stage.before(), (before) => importedShare(before, shareId));
      const next = () => begin({ ...settled, timestamp: stage.timestamp, validFrom: stage.validFrom });
      const work: ImportWork = { engine, compiledSets, control, share, stage, registry, events, next };
      if (known === null) return stageShare(work, request);
      if (request.recheck && known.state === 'quarantined') return recheckShare(work, known);
      const report = await withSnapshot(stage.before(), (before) => readReport(before, known));
      return { row: known, outcome: 'unchanged', report };
    };
    const isLarge = share.manifest.counts.triples >= LOADED_TRIPLES_MIN;
    const loading = { engine, compiledSets, control, share };
    const loaded = isLarge ? await loadShare(loading, pipeline, request, settled) : null;
    const receipt = loaded ?? (await pipeline.transact(change, { ...settled, graph: staging }, control));
    const { row, outcome, report } = receipt.result;
    const { parent_share: parent } = share.manifest.lineage;
    const { state, accepted, quarantined } = row;
    const isAside = state === 'quarantined';
    return {
      ...toResult(receipt),
      outcome,
      shareId,
      import: importIri(shareId),
      graph: isAside ? quarantineGraph(shareId) : staging,
      quarantineGraph: quarantined > 0 ? quarantineGraph(shareId) : null,
      accepted,
      quarantined,
      ...report,
      ...(await withSnapshot(engine.snapshot(), (snapshot) => ({
        parentKnown: parentKnown(snapshot, parent),
        signature: vouchedBy(snapshot, shareId, request.signature, context.baseNamespace),
      }))),
      quarantineTx: receipt.tx !== 0 && isAside ? receipt.tx + 1 : null,
    };
  },
};

function vouchedBy(
  snapshot: StorageSnapshot,
  shareId: string,
  signature: ShareSignature | null,
  baseNamespace: string,
): VouchedBy | null {
  if (signature === null) return null;
  const { verifier, public_key: publicKey } = signature;
  const trust = checkShareSignature(shareId, signature, verifierRegistrations(snapshot, baseNamespace));
  return { verifier, publicKey, ...trust };
}
