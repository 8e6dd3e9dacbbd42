/** What the tests of packs share: a graph goes into a pack and leaves the store, and comes back. */

import assert from 'node:assert/strict';
import type { StorageEngine, TransactionOptions } from '../../../engine/storage/seam/engine.js';
import type { PackContent, PackDescription, WrittenPack } from '../../../engine/storage/seam/pack.js';
import { node } from '../scan-support.js';

export const DESCRIPTION: PackDescription = {
  pack_format: 'archive/1',
  class: 'committed',
  created_at: '2026-05-01T00:00:00Z',
  actor: 'ann',
  labels: null,
};

export const iriOf = (graph: string): string => node(graph).value;

export interface Frozen {
  readonly path: string;
  readonly written: WrittenPack;
  readonly content: PackContent;
  readonly tx: number;
}

/** Hash, pack, read back, compare, take the rows out: what a freeze does of storage. */
export async function freeze(
  engine: StorageEngine,
  graph: string,
  path: string,
  options: TransactionOptions = {},
  iri = iriOf(graph),
): Promise<Frozen> {
  const content = await engine.packs.contentOf(iri, {});
  const written = await engine.packs.write({ graph: iri, path, manifest: DESCRIPTION, content }, {});
  assert.deepEqual(await engine.packs.verify({ path, graph: iri, content }, {}), { bytes: written.bytes });
  const read = await engine.packs.read(path, {});
  assert.deepEqual(read.content, content);
  assert.deepEqual(read.manifest, written.manifest);
  const tx = await moved(engine, { ...options, source: `freeze:${iri}` }, (stage) => stage.relocate(iri));
  return { path, written, content, tx };
}

export function thaw(
  engine: StorageEngine,
  { path, written }: Pick<Frozen, 'path' | 'written'>,
  options: TransactionOptions = {},
): Promise<number> {
  return moved(engine, { ...options, source: `thaw:${written.manifest.graph}` }, (stage) => stage.restore(path));
}

async function moved(
  engine: StorageEngine,
  options: TransactionOptions,
  move: (stage: ReturnType<StorageEngine['stage']>) => void,
): Promise<number> {
  const stage = engine.stage(options);
  try {
    move(stage);
  } catch (error) {
    stage.discard();
    throw error;
  }
  const { tx, durable } = stage.commit();
  await durable;
  return tx;
}
