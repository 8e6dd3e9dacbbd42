/** The words that completion takes from the data: bounded in number and in time. */

import { SvcError } from '../../../engine/base/errors.js';
import { JoinedSignal } from '../../../engine/base/joined-signal.js';
import type { StoreSnapshot } from '../../../engine/service/reads/snapshot.js';
import {
  type CountedTerms,
  countClasses,
  countPredicates,
  namespacesOf,
} from '../../../engine/service/reads/vocabulary.js';

export interface DataWords {
  /** IRIs of predicates and classes, those of most quads first. */
  readonly iris: readonly string[];
  /** What they begin with, those of most IRIs first. */
  readonly namespaces: readonly string[];
}

const TERMS_MAX = 1000;
const TIME_MS = 1000;

export const emptyWords: DataWords = { iris: [], namespaces: [] };

export async function readDataWords(snapshot: StoreSnapshot): Promise<DataWords> {
  const stop = new JoinedSignal([], TIME_MS);
  const { signal } = stop;
  const lists = [
    await inTime(() => countPredicates(snapshot, TERMS_MAX, { signal })),
    await inTime(() => countClasses(snapshot, TERMS_MAX, { signal })),
  ];
  stop.end();
  const entries = lists.flatMap((list) => list?.entries ?? []).filter(({ term }) => term.termType === 'NamedNode');
  const iris = [...new Set(entries.sort((a, b) => b.quads - a.quads).map(({ term }) => term.value))];
  return { iris, namespaces: namespacesOf(iris) };
}

/** A store that takes long has nothing to offer rather than to make its person wait. */
async function inTime(list: () => Promise<CountedTerms>): Promise<CountedTerms | null> {
  try {
    return await list();
  } catch (error) {
    if (error instanceof SvcError && error.code === 'aborted') return null;
    throw error;
  }
}
