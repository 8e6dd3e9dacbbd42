/**
 * A stage that is never written. It stands over one view of the file in a context of its own: caches, the delta, and what its
 * transactions add to that lie in an arena which goes with it. So no snapshot, stage or commit beside it meets anything of it,
 * and whatever they do, what it stands over stays the same.
 *
 * Its price is cold caches, and a delta that is made from the log records after the last fold.
 */

import { SvcError } from '../../base/errors.js';
import { storeMemory, useThreadMemory } from '../../kernels/thread-memory.js';
import type { StagedView } from '../delta/uncommitted-layer.js';
import type { SettledOptions, Stage } from '../seam/engine.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import { FileStage } from '../stage/stage.js';
import { KnownTerms } from '../stage/term-encoder.js';

/** `ended` is called once, when nothing of the stage is left. */
export function supposedStage(beside: SnapshotContext, options: SettledOptions, ended: (stage: Stage) => void): Stage {
  // Nobody gives up the memory of the thread while the stage has part in it.
  const leave = useThreadMemory();
  const memory = storeMemory();
  const context = beside.beside(memory);
  const transaction = context.file.beginRead();
  const snapshots = new Set<LmdbSnapshot>();
  try {
    const { manifest, head } = context.state(transaction);
    const delta = context.deltas.get(manifest, head, transaction).pin();
    const view = { context, manifest, transaction, tx: head.lastTx, delta, stage: null, disjoint: false };
    const base = { view, delta, known: new KnownTerms() };
    const open = (staged: StagedView): LmdbSnapshot => {
      const close = (): void => {
        snapshots.delete(snapshot);
      };
      // All of them read the view that the delta was made for.
      const snapshot: LmdbSnapshot = new LmdbSnapshot(context, close, { ...staged, transaction });
      snapshots.add(snapshot);
      return snapshot;
    };
    const stage: Stage = new FileStage(
      {
        bulk: null,
        base: () => base,
        snapshot: open,
        mover: null,
        accept() {
          throw new SvcError('invalid_request', 'what is only supposed can not be written', {
            hint: 'write the same change to the store',
          });
        },
        ended() {
          for (const snapshot of [...snapshots]) snapshot.close();
          delta.unpin();
          release();
          ended(stage);
        },
      },
      head.lastTx + 1,
      options,
    );
    return stage;
  } catch (error) {
    release();
    throw error;
  }

  function release(): void {
    context.file.release(transaction);
    void context.archives?.close();
    memory.release();
    leave();
  }
}
