/** The events of a log by transaction and kind, to be compared with a plain derivation. */

import assert from 'node:assert/strict';
import type { EventItem } from '../../engine/service/events/event-item.js';
import { TYPES_OF_KIND } from '../../engine/service/events/kinds.js';
import { DERIVED } from './events-naive.js';
import { shown } from './events-support.js';

/** Lines per transaction and kind, as the log has them; checks offsets and the sequence of kinds on the way. */
export function grouped(events: readonly EventItem[]): Map<number, string[][]> {
  const found = new Map<number, string[][]>();
  let [tx, kind] = [0, 0];
  for (const [at, event] of events.entries()) {
    assert.equal(event.offset, at + 1, 'offsets have no gaps');
    if (!DERIVED.includes(event.type)) continue;
    const now = TYPES_OF_KIND.findIndex((types) => types.includes(event.type));
    assert.ok(event.tx_id > tx || (event.tx_id === tx && now >= kind), 'kinds come in their order');
    [tx, kind] = [event.tx_id, now];
    const kinds = found.get(tx) ?? TYPES_OF_KIND.map(() => []);
    found.set(tx, kinds);
    // Which graph a first use is told of is the first of its rows.
    const line = shown(event).replace(/^\d+ /, '');
    kinds[kind]?.push(kind < 2 ? line.replace(/ \S+$/, '') : line);
  }
  for (const kinds of found.values()) for (const lines of kinds) lines.sort();
  return found;
}

export const byTransaction = (events: Map<number, string[][]>): unknown => [...events].sort(([a], [b]) => a - b);
