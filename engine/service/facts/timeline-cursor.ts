/** Where a page of the timeline ends: `asc_1204_1767225600_17`, that is order, watermark, time label, transaction. */

import { SvcError } from '../../base/errors.js';
import type { Instant, TxId } from '../../storage/ids/layout.js';

export type TimelineOrder = 'asc' | 'desc';

export interface TimelinePlace {
  readonly timestamp: Instant;
  readonly tx: TxId;
}

export interface TimelineCursor extends TimelinePlace {
  /** Of the first page: what is newer is in none. */
  readonly watermark: TxId;
}

const CURSOR = /^(asc|desc)_(\d{1,15})_(-?\d{1,15})_(\d{1,15})$/;

export function showCursor({ watermark, timestamp, tx }: TimelineCursor, order: TimelineOrder): string {
  return [order, watermark, timestamp, tx].join('_');
}

export function parseCursor(text: string, order: TimelineOrder, latest: TxId): TimelineCursor {
  const match = CURSOR.exec(text);
  const hint = "give next_cursor of the page before as it is, with the same 'order'";
  if (match === null)
    throw new SvcError('invalid_request', `'cursor' ${JSON.stringify(text.slice(0, 80))} is none`, { hint });
  const [watermark, timestamp, tx] = [Number(match[2]), Number(match[3]), Number(match[4])];
  if (match[1] !== order) {
    throw new SvcError('invalid_request', `the cursor is of the order ${match[1]}, and ${order} is asked for`, {
      hint,
    });
  }
  if (watermark > latest || tx > watermark) {
    throw new SvcError(
      'invalid_request',
      `the cursor names transaction ${Math.max(watermark, tx)}, and ${latest} is the latest`,
      {
        hint: 'it is of another store, or of a later state of this one: begin without a cursor',
      },
    );
  }
  return { watermark, timestamp, tx };
}
