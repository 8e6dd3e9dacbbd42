/** A scan of a snapshot as its users see it. */

import { COLUMNS, type ScanRequest } from '../../seam/scan.js';
import type { ScanView } from '../view.js';
import { openSource } from './open-source.js';
import { chooseOrder } from './parts.js';
import { SourceCursor } from './source-cursor.js';

/** `held`: cursors that hold memory, this one among them until it is closed. */
export function openCursor(view: ScanView, request: ScanRequest, held = new Set<{ close(): void }>()): SourceCursor {
  const { graphs, pattern, time, columns, unordered } = request;
  const order = chooseOrder(pattern, request.order);
  const wanted = columns.map((column) => COLUMNS.indexOf(column));
  const source = openSource(view, { graphs, pattern, order, time, wanted, unordered });
  const cursor: SourceCursor = new SourceCursor(view.context.memory, source, order, columns, () => held.delete(cursor));
  held.add(cursor);
  return cursor;
}
