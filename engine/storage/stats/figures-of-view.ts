/** Figures of ROOT as a fold, a load or a large transaction leaves them, for the manifest that they publish. */

import type { StagedView } from '../delta/uncommitted-layer.js';
import { rootOf } from '../runs/manifest.js';
import type { RootFigures } from '../seam/scan.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import type { View } from '../snapshot/view.js';
import { rootFigures } from './root-figures.js';

/** Those of a state that is on the disk. Terms that the runs don't have are new since they were folded. */
export function figuresOfView({ context, manifest, tx, transaction }: View): Generator<void, RootFigures> {
  const staged = { overlay: null, tx, stagedFrom: tx + 1, transaction };
  return figuresOfStaged(context, staged, rootOf(manifest), manifest.nextTermNumber);
}

/** Those of a state that is still to be; `known`: of the runs below it, and from `newFrom` on terms are new since then. */
export function* figuresOfStaged(
  context: SnapshotContext,
  staged: StagedView,
  known: RootFigures | null,
  newFrom?: number,
): Generator<void, RootFigures> {
  const snapshot = new LmdbSnapshot(context, () => undefined, staged);
  try {
    return yield* rootFigures(snapshot, known, newFrom);
  } finally {
    snapshot.close();
  }
}
