/** Opening a store in a fresh process, up to the first rows of a scan. */
import { openStore } from '../../interfaces/library/index.js';
import { rootRequest } from './sample.js';

export interface OpenTask {
  readonly task: 'open';
  readonly store: string;
}

export type OpenFigures = {
  /** From the call of `openStore` to the first batch; modules are loaded before it. */
  readonly openMs: number;
  /** From the start of the process: Node itself and our modules included. */
  readonly processMs: number;
};

export async function measureOpen(task: OpenTask): Promise<OpenFigures> {
  const begin = performance.now();
  const store = await openStore(task.store, { readOnly: true });
  const snapshot = store.snapshot();
  const cursor = snapshot.storage.scan(rootRequest('SPOG'));
  const batch = cursor.next();
  const end = performance.now();
  cursor.close();
  snapshot.close();
  await store.close();
  if (batch === null) throw new Error('the store is empty');
  return { openMs: end - begin, processMs: end };
}
