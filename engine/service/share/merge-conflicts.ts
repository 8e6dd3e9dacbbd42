/** Conflicts of a merge that stands on a stage, by the stored shapes. */

import type { Control } from '../../base/control.js';
import type { CompiledSets } from '../../graphs/shapes/compiled-sets.js';
import { STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import type { ShareComparison } from '../../share/compare-share.js';
import type { Conflict } from '../../share/decisions.js';
import { type FoundConflict, findConflicts } from '../../share/find-conflicts.js';
import type { Stage } from '../../storage/seam/engine.js';
import { lookInto } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export async function conflictsOn(
  stage: Stage,
  before: StorageSnapshot,
  comparison: ShareComparison,
  compiled: CompiledSets,
  control: Control,
): Promise<FoundConflict[]> {
  const sets = STORED_SHAPES.all(before);
  if (sets.length === 0) return [];
  const shapes = await compiled.of(sets, control);
  return lookInto(stage.snapshot(), (after) => findConflicts(shapes, { before, after }, comparison));
}

/** Without what only a resolution needs. */
export function toConflict({ id, subject, predicate, max_count, base, ours, theirs }: FoundConflict): Conflict {
  return { id, subject, predicate, max_count, base, ours, theirs };
}
