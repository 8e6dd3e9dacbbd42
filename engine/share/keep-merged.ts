/**
 * Makes a share that is being merged a known base: its row, and its triples as the difference to the base of the merge, on
 * the stage of the merge itself.
 */

import type { Control } from '../base/control.js';
import type { GraphRegistration } from '../query/registry/registration.js';
import type { Stage } from '../storage/seam/engine.js';
import { readRows, withSnapshot } from '../storage/seam/rows.js';
import { CURRENT } from '../storage/seam/scan.js';
import { IN_BASE } from './compare-ground.js';
import type { ShareComparison } from './compare-share.js';
import { rowNameOf } from './exported-shares.js';
import { isGround } from './ground-lines.js';
import { additionsGraph, DEPTH_MAX, MERGED_SHARES, removalsGraph } from './merged-shares.js';
import { assertList, assertRows, assertTerms, inGraph } from './stage-merge.js';

/** False when it is known already: it is the base itself. */
export async function keepMerged(
  stage: Stage,
  registry: GraphRegistration,
  comparison: ShareComparison,
  control: Control,
): Promise<boolean> {
  const { base, graph, shareId, manifest, ground, blank } = comparison;
  if (base?.shareId === shareId) return false;
  const name = rowNameOf(shareId);
  const isWhole = base === null || base.depth >= DEPTH_MAX;
  const additions = additionsGraph(name);
  registry.keepsTriples(additions);
  const { known, fresh } = ground.added;
  const rows: number[] = [];
  for (let row = 0; row < known.rows; row++) if (isWhole || known.marks[row] !== IN_BASE) rows.push(row);
  await assertRows(stage, additions, known, rows, control);
  await assertTerms(stage, additions, fresh, control);
  if (isWhole) {
    await assertShared(stage, additions, comparison, control);
    await assertTerms(stage, additions, blank.theirsKept, control);
  } else {
    assertList(stage, additions, ground.addedByBoth);
    await assertTerms(stage, additions, blank.theirAdditions, control);
    const removals = removalsGraph(name);
    registry.keepsTriples(removals);
    assertList(stage, removals, ground.retracted);
    assertList(stage, removals, ground.removedByBoth);
    stage.assert(inGraph(blank.theirRemovals, removals));
  }
  const row = { name, parent: manifest.lineage.parent_share, graph, tx: stage.tx };
  const difference = isWhole ? { base: null, depth: 1 } : { base: base.shareId, depth: base.depth + 1 };
  MERGED_SHARES.store(stage, registry, { ...row, ...difference });
  return true;
}

/** Triples without blank nodes that are ours and theirs. */
async function assertShared(
  stage: Stage,
  additions: string,
  { ours, ground: { lacking } }: ShareComparison,
  control: Control,
): Promise<void> {
  await withSnapshot(stage.before(), async (before) => {
    const request = { graphs: ours, pattern: {}, order: 'SPOG', time: CURRENT, columns: ['s', 'p', 'o'] } as const;
    for (const batch of readRows(before, request)) {
      const [s, p, o] = [batch.column('s'), batch.column('p'), batch.column('o')];
      const rows: number[] = [];
      for (let row = 0; row < batch.rows; row++) {
        if (isGround(s, o, row) && lacking.find(s, p, o, row) === -1) rows.push(row);
      }
      await assertRows(stage, additions, { s, p, o }, rows, control);
    }
  });
}
