/** Which lists of near codes a search looks at: the nearest, until centres are far below the last of the rows that it has found. */

import type { CodeSearch } from './code-search.js';
import type { ListOrder, NearList } from './list-order.js';

export interface ListBounds {
  /** Lists are looked at whose centre is so much less near, as a cosine, than the last of the rows that were found. */
  readonly depth: number;
  /** Where all rows count, at most so many lists for each root of their number: most centres of some models are near to each other. */
  readonly listsFactor: number;
  /** Rows that count, so many for each that is wanted, are seen at least. */
  readonly rowsFactor: number;
}

/** The depth was chosen by `npm run bench -- relevance`, on schema.org. */
export const LIST_BOUNDS: ListBounds = { depth: 0.4, listsFactor: 4, rowsFactor: 400 };

/** `lookAt` tells how many rows of a list count. Returns how many have been seen. */
export function lookAtLists(
  search: CodeSearch,
  order: ListOrder,
  { limit, hasFilter }: { readonly limit: number; readonly hasFilter: boolean },
  lookAt: (list: NearList) => number,
  bounds: ListBounds = LIST_BOUNDS,
): number {
  const listsMax = bounds.listsFactor * Math.ceil(Math.sqrt(order.count));
  const rowsMin = bounds.rowsFactor * limit;
  // Where a filter has to do with what is near, the nearest rows that count lie in lists further away, so their number is no bound.
  const usual = order.score(0) - order.score(Math.min(listsMax, order.count) - 1);
  const depth = hasFilter ? Math.min(usual, bounds.depth) : bounds.depth;
  let [seen, looked] = [0, 0];
  for (let at = 0; at < order.count; at++) {
    const isNear = order.score(at) >= search.least - depth && (hasFilter || looked < listsMax);
    if (seen >= rowsMin && !isNear) break;
    const found = lookAt(order.list(at));
    seen += found;
    if (found > 0) looked++;
  }
  return seen;
}
