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

/**
 * A list whose centre is `depth` below is passed over, since hardly one of its rows stands so far from the centre. Of fewer rows one
 * does more rarely: with normal distances, and the depth at four deviations, so much less is as rare for this share of its rows.
 */
const DEVIATIONS = 4;

function depthShare(share: number): number {
  return Math.sqrt(Math.max(0, 1 + (2 * Math.log(share)) / DEVIATIONS ** 2));
}

interface Asked {
  readonly limit: number;
  readonly hasFilter: boolean;
  /** Of a list, which part of its rows count; absent = not known before they are looked at. */
  readonly shareOf?: ((list: NearList) => number) | undefined;
}

/** `lookAt` tells how many rows of a list count. Returns how many have been seen. */
export function lookAtLists(
  search: CodeSearch,
  order: ListOrder,
  { limit, hasFilter, shareOf }: Asked,
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
    const below = search.least - order.score(at);
    const isNear = below <= depth && (hasFilter || looked < listsMax);
    const isEnough = seen >= rowsMin;
    if (isEnough && !isNear) break;
    const list = order.list(at);
    const share = shareOf?.(list) ?? 1;
    if (share === 0 || (isEnough && below > depth * depthShare(share))) continue;
    const found = lookAt(list);
    seen += found;
    if (found > 0) looked++;
  }
  return seen;
}
