/** Stores in memory that are shared from. */
import type { TestContext } from 'node:test';
import { openStore } from '../../engine/service/host/open-store.js';
import type { Store } from '../../engine/service/store/store.js';

export const EX = 'http://example.org/';

/** A store with some Turtle in ROOT. */
export async function storeOf(t: TestContext, turtle: string): Promise<Store> {
  const store = await openStore(':memory:');
  t.after(() => store.close());
  if (turtle !== '') await store.load({ text: turtle, format: 'turtle' });
  return store;
}
