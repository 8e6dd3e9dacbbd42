/**
 * Prefixes that a query uses and does not declare: common ones, those of stored shape sets, and those that the data of the
 * store suggests. They are declared for it, and a person is told which, so that the query can be made to say it itself.
 */

import { SvcError } from '../../../engine/base/errors.js';
import type { Store } from '../../../engine/service/store/store.js';
import { readDataWords } from './data-words.js';
import { Prefixes } from './prefixes.js';

export interface PrefixedQuery {
  /** With a line of declarations before it, where it needs some. */
  readonly text: string;
  /** What was declared; null where nothing was. */
  readonly note: string | null;
}

export async function withKnownPrefixes(store: Store, text: string): Promise<PrefixedQuery> {
  const prefixes = new Prefixes();
  if (prefixes.unknownIn(text).length > 0) prefixes.load((await store.shapeSets()).map((set) => set.prefixes));
  if (prefixes.unknownIn(text).length > 0) {
    const snapshot = store.snapshot();
    try {
      prefixes.suggest((await readDataWords(snapshot)).namespaces);
    } finally {
      snapshot.close();
    }
  }
  // A prefix that nobody knows is refused with the place where it stands.
  const prologue = prefixes.prologueFor(text);
  return prologue === '' ? { text, note: null } : { text: prologue + text, note: `with ${prologue}` };
}

/** A failure in the words of the query as it was written, without the line before it. */
export function withoutPrologue(error: unknown): unknown {
  if (!(error instanceof SvcError) || error.position?.line === undefined) return error;
  const { code, message, hint, cause } = error;
  const position = { ...error.position, line: error.position.line - 1 };
  return new SvcError(code, message, { position, ...(hint === undefined ? {} : { hint }), cause });
}
