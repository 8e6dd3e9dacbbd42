/** Opening a store in a fresh process, up to the first rows of a scan. */
import { invariant } from '../../engine/base/errors.js';
import { openStore } from '../../interfaces/library/index.js';
import { rootRequest } from './sample.js';

export interface OpenTask {
  readonly task: 'open';
  readonly store: string;
}

export type OpenFigures = {
  /** The first opening of the process: loads the storage modules and compiles the kernels. */
  readonly openMs: number;
  /** Once more in the same process. */
  readonly reopenMs: number;
  /** From the start of the process to the first rows: Node itself and the library included. */
  readonly processMs: number;
};

export async function measureOpen(task: OpenTask): Promise<OpenFigures> {
  const begin = performance.now();
  const first = await openToFirstRows(task.store);
  const again = performance.now();
  const second = await openToFirstRows(task.store);
  return { openMs: first - begin, reopenMs: second - again, processMs: first };
}

/** The time at which the first rows were there. */
async function openToFirstRows(path: string): Promise<number> {
  const store = await openStore(path, { readOnly: true });
  const snapshot = store.snapshot();
  const cursor = snapshot.storage.scan(rootRequest('SPOG'));
  const batch = cursor.next();
  const end = performance.now();
  invariant(batch !== null, 'the store has rows');
  cursor.close();
  snapshot.close();
  await store.close();
  return end;
}
