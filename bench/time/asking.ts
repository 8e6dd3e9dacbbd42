/** Queries at a point in time, and the spread of how long they took. */
import { invariant } from '../../engine/base/errors.js';
import type { Store, TimeOptions } from '../../interfaces/library/index.js';
import { median } from '../harness/figures.js';
import type { Slice } from './row-list.js';

export interface Spread {
  readonly ms: number;
  readonly msLeast: number;
  readonly msMost: number;
}

export function spread(times: readonly number[]): Spread {
  return { ms: median(times), msLeast: Math.min(...times), msMost: Math.max(...times) };
}

export function toOptions({ tx, validAt }: Slice): TimeOptions {
  return { tx, validAt: validAt === undefined ? undefined : new Date(validAt * 1000) };
}

export async function* rowsOf(store: Store, text: string, time: TimeOptions) {
  const found = await store.query(text, time);
  invariant(found.kind === 'select', 'a SELECT answers with rows');
  yield* found.rows();
}

/** The answer of a query with one number. */
export async function numberOf(store: Store, text: string, time: TimeOptions): Promise<number> {
  for await (const [n] of rowsOf(store, text, time)) return Number(n?.value);
  return Number.NaN;
}
