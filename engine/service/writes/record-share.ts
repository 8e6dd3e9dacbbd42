/** Notes in the registry that a share was given away: which scope, as of which transaction (ruling R49). */

import { EXPORTED_SHARES, type ExportedShare, exportedShare } from '../../share/exported-shares.js';
import { lookInto } from '../../storage/seam/rows.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface RecordShareRequest {
  readonly share: ExportedShare;
}

/** A share that is noted already stays as it is noted: what it was as of is the same. */
export const recordShare: WriteCommand<RecordShareRequest, Pick<WriteOptions, 'actor'>, TransactionResult> = {
  what: 'the note of a share',
  async run(context, { share }, { actor }) {
    const settled = context.settle({ actor, source: `share:sha256:${share.name}` });
    const change: StageChange<void> = (stage, registry) => {
      const known = lookInto(stage.snapshot(), (snapshot) => exportedShare(snapshot, share.name));
      if (known === null) EXPORTED_SHARES.store(stage, registry, share);
    };
    return toResult(await context.pipeline.transact(change, settled, context.control));
  },
};
