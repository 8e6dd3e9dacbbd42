/** One moment of a file, as secondary indexes see it. */

import type { SnapshotContext } from '../snapshot/context.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import type { FileView } from './secondary-index.js';

/** What is read of it lasts as long as the read transaction. */
export function fileView(
  context: SnapshotContext,
  { manifest, head, transaction }: Pick<FileView, 'manifest' | 'head' | 'transaction'>,
): FileView {
  const { file } = context;
  const tx = head.lastTx;
  return {
    store: file,
    file,
    transaction,
    manifest,
    head,
    get delta() {
      return context.deltas.get(manifest, head, transaction);
    },
    dictionary: context.dictionary,
    snapshot: () => new LmdbSnapshot(context, () => undefined, { overlay: null, tx, stagedFrom: tx + 1, transaction }),
  };
}
