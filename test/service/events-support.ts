/** What tests of the event log share: stores with a gate, events as short lines, an oracle that derives events from rows. */

import type { EventItem } from '../../engine/service/events/event-item.js';
import type { Gate } from '../../engine/service/gates/gates.js';
import { GateRefusal } from '../../engine/service/gates/gates.js';
import type { Store } from '../../interfaces/library/index.js';
import { EX, ROOT } from './time-support.js';

export { GateRefusal };

/** A gate that refuses every write while it is on. */
export function refusing(message = 'not allowed'): { gate: Gate; isOn: boolean } {
  const switched: { gate: Gate; isOn: boolean } = {
    isOn: false,
    gate: {
      name: 'policy',
      judge: () =>
        switched.isOn
          ? { kind: 'refused', code: 'policy_denied', message, findings: [] }
          : { kind: 'accepted', findings: [] },
    } as Gate,
  };
  return switched;
}

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

export const short = (text: unknown): string =>
  String(text).replaceAll(EX, 'ex:').replaceAll(RDF, 'rdf:').replaceAll(ROOT, 'root');

/** `7 edge.added ex:a ex:dep ex:b root new old`. */
export function shown({ offset, type, subject, payload }: EventItem): string {
  const parts: unknown[] = [offset, type, subject];
  if (type.startsWith('edge.')) {
    const flag = (isOld: unknown): string => (isOld ? 'old' : 'new');
    parts.push(payload.predicate, payload.object, payload.graph);
    parts.push(flag(payload.subject_preexisting), flag(payload.object_preexisting));
  } else parts.push(payload.graph ?? '');
  return short(parts.join(' ')).trim();
}

/** All events, page by page. */
export async function allEvents(store: Store, limit = 10_000, types?: readonly string[]): Promise<EventItem[]> {
  const events: EventItem[] = [];
  for (let since = 0; ; ) {
    const page = await store.events.read({ since, limit, types });
    if (page.events.length === 0) return events;
    events.push(...page.events);
    since = page.nextOffset;
  }
}

export const lines = async (store: Store, since = 0): Promise<string[]> =>
  (await store.events.read({ since, limit: 10_000 })).events.map(shown);
