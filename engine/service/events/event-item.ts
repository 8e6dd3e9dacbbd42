/** An event as callers read it (semantics of graphs, 10.1). */

import type { Instant, TxId } from '../../storage/ids/layout.js';
import { showInstant } from '../options/store-options.js';
import { EVENT_SCHEMA } from './kinds.js';

export interface EventItem {
  readonly schema: typeof EVENT_SCHEMA;
  readonly offset: number;
  readonly type: string;
  /** The time label of its transaction. */
  readonly ts: string;
  /** An IRI, a blank node as `_:label`, a name, or null. */
  readonly subject: string | null;
  /** The group that its transaction names. */
  readonly group_id: string | null;
  readonly tx_id: TxId;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What the events of a transaction share. */
export interface EventHead {
  readonly tx: TxId;
  readonly timestamp: Instant;
  readonly group: string | null;
}

export function toItem(
  { tx, timestamp, group }: EventHead,
  offset: number,
  { type, subject, payload }: Pick<EventItem, 'type' | 'subject' | 'payload'>,
): EventItem {
  return {
    schema: EVENT_SCHEMA,
    offset,
    type,
    ts: showInstant(timestamp),
    subject,
    group_id: group,
    tx_id: tx,
    payload,
  };
}
