/** Data that is validated without being in a store: its documents, read into a snapshot that is made for the purpose. */

import type { Control } from '../base/control.js';
import { readSources } from '../storage/documents/read-sources.js';
import type { LoadSource } from '../storage/seam/engine.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { snapshotOf } from './data/payload-snapshot.js';
import { compileInTurns } from './shapes/compile-shapes.js';
import type { Shapes } from './shapes/shapes.js';
import { YieldTimer } from './yield-timer.js';

/** The documents as a snapshot, blank nodes by the labels that they have there. Close it afterwards. */
export async function payloadSnapshot(sources: readonly LoadSource[], control: Control): Promise<StorageSnapshot> {
  const { quads } = await readSources(sources, { blankNodeScope: 'store' }, control);
  return snapshotOf(quads, new YieldTimer(control));
}

/** The shapes of documents. Blank nodes of different documents are different. */
export async function readShapes(sources: readonly LoadSource[], control: Control): Promise<Shapes> {
  const scope = sources.length === 1 ? 'store' : 'document';
  const { quads } = await readSources(sources, { blankNodeScope: scope }, control);
  return compileInTurns(quads, control);
}
