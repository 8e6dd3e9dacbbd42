/** Whether a lake is whole, and one of this store. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { checkLineage, findLake } from '../../lake/find-lake.js';
import { openTarget } from '../../lake/target/open-target.js';
import { type LakeCheck, verifyLake } from '../../lake/verify-lake.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { withSnapshot } from '../../storage/seam/rows.js';

export interface VerifiedLake extends LakeCheck {
  readonly target: string;
  readonly ok: boolean;
  /** The newest transaction that it holds. */
  readonly tx: number;
}

export async function verifiedLake(engine: StorageEngine, given: string, control: Control): Promise<VerifiedLake> {
  const target = await openTarget(given);
  try {
    const { content } = await findLake(target);
    if (content === null) {
      throw new SvcError('invalid_request', `${target.name} is no lake`, { hint: 'svc lake export makes one' });
    }
    const store = engine.packs.storeId() ?? '';
    await withSnapshot(engine.snapshot(), (snapshot) =>
      checkLineage({ snapshot, store, transactions: engine.transactions.bind(engine) }, content, target),
    );
    const check = await verifyLake(target, content, control);
    return { target: target.name, ok: check.problems.length === 0, tx: content.tx, ...check };
  } finally {
    target.close();
  }
}
