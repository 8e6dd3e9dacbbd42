/** Tells a caller which graphs a query could read, so that it may refuse it: before it is evaluated, and before others are asked. */

import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';
import type { ParsedQuery, TouchedGraphs } from './algebra/algebra.js';
import type { QueryOptions } from './options.js';
import { GraphScope } from './plan/context/graph-scope.js';
import { WHOLE_SCOPE } from './read-context.js';
import type { GraphBooks } from './registry/graph-book.js';

export function tellGraphs(
  touched: TouchedGraphs | null,
  dataset: ParsedQuery['dataset'],
  snapshot: StorageSnapshot,
  books: GraphBooks,
  { onGraphs, scope = WHOLE_SCOPE, time = CURRENT }: QueryOptions,
): void {
  if (onGraphs === undefined || touched === null) return;
  const graphs = new GraphScope(snapshot, time, books);
  const parts = graphs.touched(touched, dataset, scope);
  const companions = scope.inferred === true ? graphs.defaults(dataset, scope).companions : null;
  onGraphs({ snapshot, books, parts, endpoints: touched.endpoints, companions });
}
