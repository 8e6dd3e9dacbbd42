/** Checks what the manifest says of ROOT's subjects and predicates, by a pass over the runs. */

import type { ReadTransaction } from '../lmdb/file.js';
import { type Manifest, rootOf } from '../runs/manifest.js';
import type { Findings } from '../seam/findings.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import { rootFigures } from '../stats/root-figures.js';

export async function verifyRoot(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  findings: Findings,
): Promise<void> {
  const stated = rootOf(manifest);
  if (stated === null) return;
  const tx = manifest.foldedTx;
  const view = { overlay: null, tx, stagedFrom: tx + 1, transaction };
  const snapshot = new LmdbSnapshot(context, () => undefined, view);
  const steps = rootFigures(snapshot, null);
  try {
    let step = steps.next();
    for (; !step.done; step = steps.next()) await findings.turn('verify figures');
    const { subjects, predicates } = step.value;
    const [found, said] = [
      [subjects, predicates],
      [stated.subjects, stated.predicates],
    ].map(([s, p]) => `${s} subjects and ${p} predicates`);
    if (found !== said) findings.add('manifest', `ROOT has ${found} in the runs, the manifest says ${said}`);
  } finally {
    steps.return(undefined as never);
    snapshot.close();
  }
}
