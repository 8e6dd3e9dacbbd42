/**
 * The rows of a scan that have certain keys, looked up instead of read: what becomes of a scan when the
 * table of a join above it turns out to hold few keys (sideways information passing; Ives and Taylor, ICDE
 * 2008). The rows come in another order, unless the lookups follow that of the scan; so either the scan's
 * order has to be of no matter, or the two have to be the same.
 */

import type {
  Column,
  KeyPosition,
  Order,
  ProbeCursor,
  ScanPattern,
  ScanRequest,
  StorageSnapshot,
  TermColumn,
} from '../../../storage/seam/scan.js';
import type { KeyFilter } from '../../runtime/operator.js';
import { KeyOrder } from './key-order.js';

/** Looks up the keys of a position; null where the scan can't do so, or its order would be lost. */
export function openLookups(
  snapshot: StorageSnapshot,
  request: Omit<ScanRequest, 'columns'>,
  columns: readonly Column[],
  position: TermColumn | undefined,
  filter: KeyFilter,
): ProbeCursor | null {
  if (position !== 's' && position !== 'o') return null;
  const { graphs, pattern, time, unordered } = request;
  const order = orderOf(pattern, position);
  if (order === null || (unordered !== true && order !== request.order)) return null;
  const keys = new KeyOrder();
  keys.set([filter.keys], filter.rows);
  const cursor = snapshot.probe({ graphs, pattern, order, time, keys: [position], columns });
  cursor.begin(keys.keys, keys.count);
  keys.release();
  return cursor;
}

/** The order in which the key comes after nothing but constants. */
function orderOf(pattern: ScanPattern, key: KeyPosition): Order | null {
  // What the pattern says of the key's own position would be lost.
  if (pattern[key] !== undefined) return null;
  const other = pattern[key === 's' ? 'o' : 's']?.kind === 'id';
  const predicate = pattern.p?.kind === 'id';
  if (key === 's') {
    if (!other) return 'SPOG';
    return predicate ? 'POSG' : 'OSPG';
  }
  if (predicate) return other ? 'SPOG' : 'POSG';
  return 'OSPG';
}
