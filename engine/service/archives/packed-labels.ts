/**
 * What the manifest of a pack says of the labels of its graph, in the form of GET /graphs: as they are declared when it is
 * written, null where nothing is declared or it has expired by the clock. It is for people; nothing reads it back.
 */

import { type ShownLabels, shownLabels } from '../../graphs/labels/shown-labels.js';
import { labelsOf } from '../../query/registry/label-rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export function packedLabels(snapshot: StorageSnapshot, graph: string): ShownLabels {
  const now = Math.floor(Date.now() / 1000);
  return shownLabels(labelsOf(snapshot, graph), { now, isFrozen: false });
}
