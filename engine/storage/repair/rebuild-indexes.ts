/** Makes the secondary indexes anew, each by its own rules. */

import { fileView } from '../indexes/file-view.js';
import type { FileIndex } from '../indexes/secondary-index.js';
import { readHead } from '../log/head.js';
import type { Rebuilding } from './rebuilding.js';

export function rebuildIndexes(indexes: readonly FileIndex[]): (rebuilding: Rebuilding) => Promise<void> {
  return async (rebuilding) => {
    const { file, context, control, rebuilt, lost } = rebuilding;
    for (const index of indexes) {
      await index.rebuild({
        control,
        rebuilt,
        lost,
        reading: (work) =>
          rebuilding.reading((transaction) => {
            const { manifest } = rebuilding;
            return work(fileView(context, { manifest, head: readHead(file, manifest, transaction), transaction }));
          }),
        write: (change) => file.write(() => change(file)),
      });
    }
  };
}
