/**
 * A query of the text index: words, of which a text has any; `"..."` a phrase; a trailing `*` the beginning of a word; a
 * trailing `~` a word with at most one character more, less or other. How many there may be follows from how long a query may be.
 */

import { wordsOf } from './words.js';

export type Clause =
  | { readonly kind: 'word' | 'prefix' | 'near'; readonly word: string }
  | { readonly kind: 'phrase'; readonly words: readonly string[] };

/** Empty = there is no word in it. Each clause once. */
export function parseTextQuery(query: string): Clause[] {
  const clauses = new Map<string, Clause>();
  const add = (clause: Clause): void => {
    clauses.set(JSON.stringify(clause), clause);
  };
  for (const match of query.matchAll(/"([^"]*)"?|[^\s"]+/gu)) {
    const [token, quoted] = match;
    if (quoted !== undefined) {
      const words = wordsOf(quoted);
      if (words.length > 1) add({ kind: 'phrase', words });
      else for (const word of words) add({ kind: 'word', word });
      continue;
    }
    const mark = token.at(-1);
    const words = wordsOf(token);
    for (const [at, word] of words.entries()) {
      const isLast = at === words.length - 1;
      if (isLast && mark === '*') add({ kind: 'prefix', word });
      else if (isLast && mark === '~') add({ kind: 'near', word });
      else if (isSingle(word, words.length)) add({ kind: 'prefix', word });
      else add({ kind: 'word', word });
    }
  }
  return [...clauses.values()];
}

/** One character of a script whose words are pairs: it begins the pairs that it stands in, and stands alone at an end. */
function isSingle(word: string, words: number): boolean {
  return words === 1 && [...word].length === 1 && /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word);
}

/** At most one character is inserted, left out, or another; by code points. */
export function isNear(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  if (at === short.length) return true;
  const rest = short.length === long.length ? at + 1 : at;
  for (let i = rest; i < short.length; i++) if (short[i] !== long[i + long.length - short.length]) return false;
  return true;
}
