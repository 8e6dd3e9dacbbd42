/** Counts the subjects and predicates of ROOT anew, once its runs are as they will be. */

import { rootOf } from '../runs/manifest.js';
import { unlessDamaged } from '../seam/findings.js';
import { figuresOfStaged } from '../stats/figures-of-view.js';
import type { Rebuilding } from './rebuilding.js';

export async function rebuildRoot(rebuilding: Rebuilding): Promise<void> {
  const { manifest, context } = rebuilding;
  const stated = rootOf(manifest);
  if (manifest.foldedTx === 0) return;
  const root = await rebuilding.reading((transaction) =>
    unlessDamaged(() => {
      const steps = figuresOfStaged(
        context,
        { overlay: null, tx: manifest.foldedTx, stagedFrom: manifest.foldedTx + 1, transaction },
        null,
      );
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
      }
    }),
  );
  if (root !== null && stated?.subjects === root.subjects && stated.predicates === root.predicates) return;
  // Unknown is better than wrong: who wants them counts, and the next fold tells them again.
  rebuilding.save({ ...manifest, root: root ?? undefined });
  if (stated !== null) rebuilding.rebuilt.push('the figures of ROOT');
}
