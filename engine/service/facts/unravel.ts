/**
 * The facts of ROOT at a transaction, an instant, or both, with their times: a row each, in the order of
 * entity, predicate, value, transaction.
 *
 * 1. One pass over the visible rows counts those of each entity, and only entities are decoded.
 * 2. Entities are sorted by name; those before the page are passed over by their counts.
 * 3. The rows of an entity on the page are read, decoded and sorted.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { compareCodePoints } from '../../base/text.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import type { Instant, TermId, TxId } from '../../storage/ids/layout.js';
import { decodeIds, exactly, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { showInstant, type TimeOptions, toTimeSlice } from '../options/store-options.js';
import { entityText } from './entity.js';
import { type PageOptions, windowOf } from './paging.js';

export interface UnravelOptions extends TimeOptions, PageOptions, Control {}

export interface TimedFact {
  readonly entity: Term;
  readonly predicate: Term;
  readonly value: Term;
  readonly validFrom: string;
  /** Null while open, as far as the store knew at `tx`. */
  readonly validTo: string | null;
  readonly tx: TxId;
}

export interface Unravelled {
  readonly facts: readonly TimedFact[];
  /** True when there are more facts. */
  readonly truncated: boolean;
}

interface Entity {
  readonly id: TermId;
  readonly text: string;
  readonly term: Term;
  readonly rows: number;
}

export async function unravel(snapshot: StorageSnapshot, options: UnravelOptions): Promise<Unravelled> {
  if (options.tx === undefined && options.validAt === undefined) {
    throw new SvcError('invalid_request', "missing 'tx' or 'valid_at' parameter", {
      hint: 'give one of them, or both',
    });
  }
  const window = windowOf(options);
  const time = toTimeSlice(options, snapshot.tx);
  const entities = await entitiesOf(snapshot, time, options);
  const facts: TimedFact[] = [];
  let passed = 0;
  for (const entity of entities) {
    if (passed >= window.to) break;
    const first = Math.max(0, window.from - passed);
    if (first < entity.rows) facts.push(...factsOf(snapshot, entity, time).slice(first, window.to - passed));
    passed += entity.rows;
    throwIfStopped(options, 'the read');
  }
  const total = entities.reduce((sum, { rows }) => sum + rows, 0);
  return { facts, truncated: total > window.to };
}

async function entitiesOf(snapshot: StorageSnapshot, time: TimeSlice, control: Control): Promise<Entity[]> {
  const found: { id: TermId; rows: number }[] = [];
  // A column of time: a quad that is visible through two rows is two facts.
  const request = { graphs: ROOT_ONLY, pattern: {}, time, order: 'SPOG', columns: ['s', 'txFrom'] } as const;
  for (const batch of readRows(snapshot, request)) {
    for (let row = 0; row < batch.rows; row++) {
      const last = found.at(-1);
      const isNew = batch.changes('s', row) && (row > 0 || last?.id !== batch.id('s', 0));
      if (isNew || last === undefined) found.push({ id: batch.id('s', row), rows: 1 });
      else last.rows++;
    }
    throwIfStopped(control, 'the read');
    await breathe();
  }
  const terms = decodeIds(
    snapshot,
    found.map(({ id }) => id),
  );
  const entities = found.map((one, at) => {
    const term = terms[at] as Term;
    return { ...one, term, text: entityText(term) };
  });
  return entities.sort((a, b) => compareCodePoints(a.text, b.text));
}

function factsOf(snapshot: StorageSnapshot, entity: Entity, time: TimeSlice): TimedFact[] {
  const facts: (TimedFact & { readonly valueText: string })[] = [];
  const rows = readRows(snapshot, {
    graphs: ROOT_ONLY,
    pattern: { s: exactly(entity.id) },
    time,
    columns: ['p', 'o', 'txFrom', 'txTo', 'validFrom', 'validTo'],
  });
  for (const batch of rows) {
    const predicates = snapshot.decode(batch.column('p'), batch.rows);
    const values = snapshot.decode(batch.column('o'), batch.rows);
    for (let row = 0; row < batch.rows; row++) {
      const value = values[row] as Term;
      const validTo = batch.instant('validTo', row);
      facts.push({
        entity: entity.term,
        predicate: predicates[row] as Term,
        value,
        valueText: termToString(value),
        validFrom: showInstant(batch.instant('validFrom', row) as Instant),
        validTo: validTo === null ? null : showInstant(validTo),
        tx: batch.tx('txFrom', row) as TxId,
      });
    }
  }
  facts.sort(
    (a, b) =>
      compareCodePoints(a.predicate.value, b.predicate.value) ||
      compareCodePoints(a.valueText, b.valueText) ||
      a.tx - b.tx,
  );
  return facts.map(({ valueText: _, ...fact }) => fact);
}
