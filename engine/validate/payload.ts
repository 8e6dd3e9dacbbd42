/** Data that is validated without being in a store: its documents, read into one that is made for the purpose. */

import type { Control } from '../base/control.js';
import { quadToLine } from '../rdf/canonical/lines.js';
import type { LoadSource } from '../storage/engine.js';
import { openMemoryEngine } from '../storage/memory/engine.js';
import { readSources } from '../storage/read-sources.js';
import type { StorageSnapshot } from '../storage/scan.js';
import { type CompileOptions, compileInTurns } from './compile-shapes.js';
import type { Shapes } from './shapes.js';

/** The documents as a snapshot, blank nodes by the labels that they have there. Close it afterwards. */
export async function payloadSnapshot(sources: readonly LoadSource[], control: Control): Promise<StorageSnapshot> {
  const { quads } = await readSources(sources, { blankNodeScope: 'store' }, control);
  const engine = openMemoryEngine();
  const distinct = new Map(quads.map((quad) => [quadToLine(quad), quad]));
  engine.insertRows(Array.from(distinct.values(), (quad) => ({ quad, txFrom: 1, validFrom: 0 })));
  return engine.snapshot();
}

/** The shapes of documents. Blank nodes of different documents are different. */
export async function readShapes(
  sources: readonly LoadSource[],
  control: Control,
  options: CompileOptions = {},
): Promise<Shapes> {
  const scope = sources.length === 1 ? 'store' : 'document';
  const { quads } = await readSources(sources, { blankNodeScope: scope }, control);
  return compileInTurns(quads, control, options);
}
