/** Delta debugging on the tree of a query: parts of it go, or are replaced by smaller ones of their sort, while it stays a cliff. */
import type { Duel, Duellists } from './duel.js';
import { PREFIXES } from './queries.js';
import { render, smaller, type Tree } from './tree.js';

const ATTEMPTS_MAX = 250;
const LIMIT_MS = 60_000;

export interface Reduced {
  readonly query: Tree;
  readonly duel: Duel;
}

export function textOf(query: Tree): string {
  return PREFIXES + render(query);
}

/** The smallest query that is found to have the same verdict. */
export async function reduce(query: Tree, duel: Duel, duellists: Duellists): Promise<Reduced> {
  const end = performance.now() + LIMIT_MS;
  const tried = new Set([render(query)]);
  let best: Reduced = { query, duel };
  for (let progress = true; progress; ) {
    progress = false;
    for (const next of smaller(best.query)) {
      if (tried.size > ATTEMPTS_MAX || performance.now() > end) return best;
      const text = render(next);
      if (tried.has(text)) continue;
      tried.add(text);
      const found = await duellists.fight(textOf(next));
      if (found.verdict !== duel.verdict) continue;
      best = { query: next, duel: found };
      progress = true;
      break;
    }
  }
  return best;
}
