/** Which datasets there are, and what is in one. The dataset of frozen graphs has no row: it is whatever is frozen now. */

import { compareCodePoints } from '../../base/text.js';
import { DATASETS, type DatasetMember, FROZEN_DATASET } from '../../query/registry/dataset-rows.js';
import { frozenGraphs } from '../../query/registry/graph-rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

/** In order; that of the frozen graphs is among them when there are any. */
export function datasetNames(snapshot: StorageSnapshot): string[] {
  const named = DATASETS.names(snapshot);
  return frozenGraphs(snapshot).length === 0 ? named : [...named, FROZEN_DATASET].sort(compareCodePoints);
}

/** The members in the order in which they are shown; null when there is no such dataset. */
export function membersOf(snapshot: StorageSnapshot, name: string): readonly DatasetMember[] | null {
  if (name !== FROZEN_DATASET) return DATASETS.one(snapshot, name)?.members ?? null;
  return frozenGraphs(snapshot)
    .sort(compareCodePoints)
    .map((graph) => ({ graph, ord: null }));
}
