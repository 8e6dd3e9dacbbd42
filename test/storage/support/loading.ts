/** What the tests of the loader share. */

import assert from 'node:assert/strict';
import { type ErrorCode, type InputPosition, SvcError } from '../../../engine/base/errors.js';
import type { Format } from '../../../engine/rdf/formats/registry.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import type { LoadOptions, LoadSource, StorageEngine } from '../../../engine/storage/seam/engine.js';
import { load } from '../scan-support.js';
import { StoreFolder } from './store-folder.js';

export const folder = new StoreFolder();
export const LINE = '<http://e/a> <http://e/b> "c" .';

/** Runs with an empty store, and closes it. */
export async function withStore(run: (engine: StorageEngine) => Promise<void>): Promise<void> {
  const engine = await openLmdbEngine(folder.fresh());
  try {
    await run(engine);
  } finally {
    await engine.close();
  }
}

/** A document in memory. */
export const bytes = (content: string | Uint8Array, format: Format, more: object = {}): LoadSource => ({
  kind: 'bytes',
  bytes: typeof content === 'string' ? Buffer.from(content) : content,
  name: 'input',
  format,
  ...more,
});

/** The load fails with this code, at this place, and nothing of it is in the store. */
export async function assertRefused(
  engine: StorageEngine,
  sources: readonly LoadSource[],
  code: ErrorCode,
  position: InputPosition = {},
  options: LoadOptions = {},
): Promise<void> {
  const before = engine.stats();
  await assert.rejects(load(engine, sources, options), (error) => {
    assert.ok(error instanceof SvcError, String((error as Error).stack));
    assert.equal(error.code, code, error.describe());
    for (const [name, value] of Object.entries(position)) {
      assert.deepEqual(error.position?.[name as keyof InputPosition], value, `${name}: ${error.describe()}`);
    }
    return true;
  });
  const { terms: termsNow, quadsCurrent, transactions } = engine.stats();
  assert.deepEqual([termsNow, quadsCurrent, transactions], [before.terms, before.quadsCurrent, before.transactions]);
}
