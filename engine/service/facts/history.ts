/**
 * What became of an entity: every assertion of its statements in one graph, and every retraction, in the
 * order of transaction, predicate, value. A retraction is told from the close that it left in the row,
 * once per statement and transaction.
 */

import { type Control, type Stop, throwIfStopped } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import type { Instant, TermId, TxId } from '../../storage/ids/layout.js';
import { exactly, readRows } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { showInstant } from '../options/store-options.js';
import { type EntityInput, entityText, graphOf, knownEntity, toEntity } from './entity.js';
import { type PageOptions, windowOf } from './paging.js';
import type { TimedFact } from './unravel.js';

export interface HistoryOptions extends PageOptions, Stop {
  /** IRI of the graph; absent = ROOT. */
  readonly graph?: string | undefined;
}

/** `validTo`: of an assertion that was retracted, when it ended. */
export interface HistoryEntry extends Omit<TimedFact, 'entity'> {
  readonly op: 'assert' | 'retract';
}

export interface History {
  readonly iri: string;
  readonly history: readonly HistoryEntry[];
  /** True when there are more entries. */
  readonly truncated: boolean;
}

interface Event extends Omit<HistoryEntry, 'validFrom' | 'validTo'> {
  readonly valueText: string;
  readonly validFrom: Instant;
  readonly validTo: Instant | null;
}

export function readHistory(snapshot: StorageSnapshot, input: EntityInput, options: HistoryOptions): History {
  const window = windowOf(options);
  const entity = toEntity(input, 'iri');
  const graph = graphOf(snapshot, options.graph);
  const events = eventsOf(snapshot, knownEntity(snapshot, entity, graph), graph, options);
  events.sort(compareEvents);
  const history = events.slice(window.from, window.to).map(({ valueText: _, validFrom, validTo, ...rest }) => ({
    ...rest,
    validFrom: showInstant(validFrom),
    validTo: validTo === null ? null : showInstant(validTo),
  }));
  return { iri: entityText(entity), history, truncated: events.length > window.to };
}

function eventsOf(snapshot: StorageSnapshot, entity: TermId, graph: TermId, control: Control): Event[] {
  const events: Event[] = [];
  const retractions = new Set<string>();
  const rows = readRows(snapshot, {
    graphs: { kind: 'one', graph },
    pattern: { s: exactly(entity) },
    time: { kind: 'all' },
    columns: ['p', 'o', 'txFrom', 'txTo', 'validFrom', 'validTo'],
  });
  for (const batch of rows) {
    throwIfStopped(control, 'the listing');
    const predicates = snapshot.decode(batch.column('p'), batch.rows);
    const values = snapshot.decode(batch.column('o'), batch.rows);
    for (let row = 0; row < batch.rows; row++) {
      const [predicate, value] = [predicates[row] as Term, values[row] as Term];
      const fact = { predicate, value, valueText: termToString(value) };
      const validFrom = batch.instant('validFrom', row) as Instant;
      const validTo = batch.instant('validTo', row);
      events.push({ ...fact, op: 'assert', validFrom, validTo, tx: batch.tx('txFrom', row) as TxId });
      const closed = batch.tx('txTo', row);
      // A row with an end from birth was not retracted.
      if (closed === null || closed === batch.tx('txFrom', row)) continue;
      const key = `${batch.id('p', row)} ${batch.id('o', row)} ${closed}`;
      if (retractions.has(key)) continue;
      retractions.add(key);
      events.push({ ...fact, op: 'retract', validFrom, validTo: null, tx: closed });
    }
  }
  return events;
}

function compareEvents(a: Event, b: Event): number {
  if (a.tx !== b.tx) return a.tx - b.tx;
  const byPredicate = compareCodePoints(a.predicate.value, b.predicate.value);
  return byPredicate === 0 ? compareCodePoints(a.valueText, b.valueText) : byPredicate;
}
