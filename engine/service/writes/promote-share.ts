/** Brings a staged share into ROOT (semantics text 6.9), in one transaction that every gate judges. */

import type { Control } from '../../base/control.js';
import { SvcError, showValue } from '../../base/errors.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import { IMPORTED_SHARES, importedShare, importIri, stagingGraph } from '../../share/imported-shares.js';
import { isShareId } from '../../share/manifest.js';
import { type PromotedTriples, promoteTriples } from '../../share/promote-share.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface PromoteShareOptions extends Omit<WriteOptions, 'source' | 'validFrom'>, Control {}

export interface PromotedShareResult extends TransactionResult, PromotedTriples {
  readonly shareId: string;
  /** `unchanged`: it was promoted before. */
  readonly outcome: 'promoted' | 'unchanged';
  /** The staging graph, which stays. */
  readonly graph: string;
}

export const promoteShare: WriteCommand<{ readonly shareId: string }, PromoteShareOptions, PromotedShareResult> = {
  what: 'the promotion of a share',

  async run(context, { shareId }, options) {
    checkShareId(shareId);
    const { pipeline, control } = context;
    const settled = context.settle({ ...options, source: `promote:${shareId}` });
    const graph = stagingGraph(shareId);
    const change: StageChange<PromotedTriples | null> = async (stage, registry, events) => {
      const row = await withSnapshot(stage.before(), (before) => importedShare(before, shareId));
      if (row === null) {
        throw new SvcError('not_found_in_store', `unknown share: ${shareId}`, { hint: 'import it first (svc import)' });
      }
      if (row.state === 'promoted') return null;
      if (row.state === 'quarantined') {
        throw new SvcError('state_conflict', `the share ${shareId} is in quarantine and can not be promoted`, {
          hint: 'load shapes that allow for it and import it with recheck, or ask its maker for another share',
        });
      }
      const promoted = await promoteTriples(stage, graph, control);
      IMPORTED_SHARES.store(stage, registry, { ...row, state: 'promoted' });
      const { triples, suppressed } = promoted;
      events.add({
        type: 'import.promoted',
        subject: importIri(shareId),
        payload: { share_id: shareId, triples, suppressed_retractions: suppressed },
      });
      return promoted;
    };
    const receipt = await pipeline.transact(change, { ...settled, graph: ROOT_GRAPH_IRI }, control);
    const promoted = receipt.result;
    const outcome = promoted === null ? 'unchanged' : 'promoted';
    return { ...toResult(receipt), ...(promoted ?? NOTHING), shareId, outcome, graph };
  },
};

const NOTHING: PromotedTriples = { triples: 0, suppressed: 0, added: 0, sample: [] };

function checkShareId(shareId: unknown): void {
  if (typeof shareId === 'string' && isShareId(shareId)) return;
  const message = `'share_id' is ${showValue(shareId)}; expected sha256: and 64 lower-case hex digits`;
  throw new SvcError('invalid_request', message);
}
