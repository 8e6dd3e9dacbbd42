/** Counts the subjects and predicates of ROOT anew, once its runs are as they will be. */

import { rootOf } from '../runs/manifest.js';
import { figuresOfStaged } from '../stats/figures-of-view.js';
import { type Mending, unlessDamaged } from './rebuilding.js';

export async function mendRoot(mending: Mending): Promise<void> {
  const { manifest, context } = mending;
  const stated = rootOf(manifest);
  if (manifest.foldedTx === 0) return;
  const root = await mending.reading((transaction) =>
    unlessDamaged(() => {
      const steps = figuresOfStaged(
        context,
        { overlay: null, isAccepted: true, tx: manifest.foldedTx, transaction },
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
  mending.save({ ...manifest, root: root ?? undefined });
  if (stated !== null) mending.rebuilt.push('the figures of ROOT');
}
