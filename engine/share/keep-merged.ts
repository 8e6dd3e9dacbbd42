/**
 * Makes a share that is being merged a known base: its row, and its triples as the difference to the base of the merge, on
 * the stage of the merge itself.
 */

import type { Control } from '../base/control.js';
import type { GraphRegistration } from '../query/registry/registration.js';
import type { Stage } from '../storage/seam/engine.js';
import type { ShareComparison } from './compare-share.js';
import { rowNameOf } from './exported-shares.js';
import { IN_BASE } from './local-triples.js';
import { additionsGraph, DEPTH_MAX, MERGED_SHARES, removalsGraph } from './merged-shares.js';
import { assertList, assertRows, assertTerms, inGraph } from './stage-merge.js';

/** False when it is known already: it is the base itself. */
export async function keepMerged(
  stage: Stage,
  registry: GraphRegistration,
  comparison: ShareComparison,
  control: Control,
): Promise<boolean> {
  const { base, shareId, manifest, theirs, ground, blank } = comparison;
  if (base?.shareId === shareId) return false;
  const name = rowNameOf(shareId);
  const isWhole = base === null || base.depth >= DEPTH_MAX;
  const { known } = theirs;
  const rows: number[] = [];
  for (let row = 0; row < known.rows; row++) {
    if (isWhole || ((known.marks[row] as number) & IN_BASE) === 0) rows.push(row);
  }
  const additions = additionsGraph(name);
  registry.keepsTriples(additions);
  await assertRows(stage, additions, known, rows, control);
  await assertTerms(stage, additions, theirs.fresh, control);
  await assertTerms(stage, additions, isWhole ? blank.theirsKept : blank.theirAdditions, control);
  if (!isWhole) {
    const removals = removalsGraph(name);
    registry.keepsTriples(removals);
    assertList(stage, removals, ground.retracted);
    assertList(stage, removals, ground.removedByBoth);
    stage.assert(inGraph(blank.theirRemovals, removals));
  }
  const row = { name, parent: manifest.lineage.parent_share, tx: stage.tx };
  const difference = isWhole ? { base: null, depth: 1 } : { base: base.shareId, depth: base.depth + 1 };
  MERGED_SHARES.store(stage, registry, { ...row, ...difference });
  return true;
}
