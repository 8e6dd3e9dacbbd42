/**
 * What is asked, and the answers that the list of rows gives. Names follow the groups of TPC-BiH: T for
 * time travel, K for the history of keys, R for ranges of time.
 */
import { nation, orderIri, property, segment, state } from '../../data/trade.js';
import type { Slice } from '../row-list.js';
import { type Ledger, numberOf } from './ledger.js';

export const NATION = 3;
export const SEGMENT = 2;
/** A rise of a price in one change that counts as steep. */
export const STEEP = 1.075;
const KEYS = 200;

/** A query with one number for its answer. */
export interface SliceQuestion {
  readonly name: string;
  readonly text: string;
  readonly answers: Readonly<Record<string, number>>;
}

export interface KeyHistory {
  readonly subject: string;
  readonly entries: number;
}

export interface Questions {
  readonly slices: Readonly<Record<string, Slice>>;
  readonly queries: readonly SliceQuestion[];
  readonly keys: readonly KeyHistory[];
  /** Instants of the range that R asks about. */
  readonly from: number;
  readonly to: number;
  readonly finished: number;
  readonly versions: number;
  readonly steep: number;
  /** Sum of the differences of list prices between the ends of the range, in cents. */
  readonly difference: number;
}

export function makeQuestions(ledger: Ledger, startTx: number, instants: readonly number[]): Questions {
  const middle = instants[Math.floor(instants.length / 2)] as number;
  const tx = startTx + ((ledger.tx - startTx) >> 1);
  const slices: Record<string, Slice> = {
    current: {},
    tx: { tx },
    validAt: { validAt: middle },
    both: { tx, validAt: instants[Math.floor(instants.length / 4)] as number },
  };
  const from = instants[Math.floor(instants.length * 0.2)] as number;
  const to = instants[Math.floor(instants.length * 0.8)] as number;
  return {
    slices,
    queries: queries(ledger, slices),
    keys: keyHistories(ledger),
    from,
    to,
    finished: finishedBetween(ledger, from, to),
    versions: versionsWithin(ledger, from, to),
    steep: steepRises(ledger),
    difference: priceDifference(ledger, from, to),
  };
}

function queries(ledger: Ledger, slices: Readonly<Record<string, Slice>>): SliceQuestion[] {
  const p = property;
  const question = (name: string, pattern: string, answer: (slice: Slice) => number): SliceQuestion => ({
    name,
    text: `SELECT (COUNT(*) AS ?n) { ${pattern} }`,
    answers: Object.fromEntries(Object.entries(slices).map(([slice, at]) => [slice, answer(at)])),
  });
  const open = `?o ${p('status')} ${state('open')}`;
  const isOpen = (value: string | undefined): boolean => value === state('open');
  const count = (values: Iterable<boolean>): number => [...values].filter((value) => value).length;
  return [
    question('T everything', '?s ?p ?o', (at) => ledger.countVisible(at)),
    question('T open orders', `?o a ${p('Order')} . ${open}`, (at) =>
      count([...ledger.visible(p('status'), at).values()].map(isOpen)),
    ),
    question('T balances below zero', `?c ${p('balance')} ?b FILTER(?b < 0)`, (at) =>
      count([...ledger.visible(p('balance'), at).values()].map((value) => numberOf(value) < 0)),
    ),
    question(
      'T open orders of a nation',
      `?c ${p('nation')} ${nation(NATION)} . ?o ${p('customer')} ?c . ${open}`,
      (at) => {
        const nations = ledger.visible(p('nation'), at);
        const status = ledger.visible(p('status'), at);
        const orders = [...ledger.visible(p('customer'), at)];
        return count(orders.map(([order, by]) => nations.get(by) === nation(NATION) && isOpen(status.get(order))));
      },
    ),
    question(
      'T items in open orders of a segment',
      `?c ${p('segment')} ${segment(SEGMENT)} . ?o ${p('customer')} ?c . ${open} . ?i ${p('order')} ?o . ?i ${p('quantity')} ?q`,
      (at) => {
        const segments = ledger.visible(p('segment'), at);
        const status = ledger.visible(p('status'), at);
        const customers = ledger.visible(p('customer'), at);
        const quantities = ledger.visible(p('quantity'), at);
        return count(
          [...ledger.visible(p('order'), at)].map(
            ([item, order]) =>
              segments.get(customers.get(order) ?? '') === segment(SEGMENT) &&
              isOpen(status.get(order)) &&
              quantities.has(item),
          ),
        );
      },
    ),
  ];
}

/** Orders with the most history among the first ones, and how many entries it has: assertions and retractions. */
function keyHistories(ledger: Ledger): KeyHistory[] {
  const entries = new Map<string, number>();
  const { rows } = ledger;
  for (let row = 0; row < rows.count; row++) {
    const subject = ledger.subjectOf(row);
    const closed = rows.txTo[row] === 0xffffffff ? 0 : 1;
    entries.set(subject, (entries.get(subject) ?? 0) + 1 + closed);
  }
  const keys: KeyHistory[] = [];
  for (let order = 0; keys.length < KEYS; order += 7) {
    const found = entries.get(orderIri(order));
    if (found === undefined) break;
    keys.push({ subject: orderIri(order), entries: found });
  }
  return keys;
}

function finishedBetween(ledger: Ledger, from: number, to: number): number {
  const before = ledger.visible(property('status'), { validAt: from });
  const after = ledger.visible(property('status'), { validAt: to });
  let finished = 0;
  for (const [order, status] of before) {
    if (status === state('open') && after.get(order) === state('done')) finished++;
  }
  return finished;
}

function versionsWithin(ledger: Ledger, from: number, to: number): number {
  const { validFrom, validTo } = ledger.rows;
  return ledger
    .rowsOf(property('listPrice'))
    .filter((row) => (validFrom[row] as number) < to && (validTo[row] as number) > from).length;
}

/** Versions in the sequence of transactions; a row's predecessor is the one before it of the same part. */
function steepRises(ledger: Ledger): number {
  const last = new Map<string, number>();
  let steep = 0;
  for (const row of ledger.rowsOf(property('listPrice'))) {
    const price = numberOf(ledger.objectOf(row));
    const before = last.get(ledger.subjectOf(row));
    if (before !== undefined && price > before * STEEP) steep++;
    last.set(ledger.subjectOf(row), price);
  }
  return steep;
}

function priceDifference(ledger: Ledger, from: number, to: number): number {
  const before = sums(ledger, from);
  const after = sums(ledger, to);
  let cents = 0;
  for (const [part, price] of before) {
    const later = after.get(part);
    if (later !== undefined) cents += later.count * price.sum - price.count * later.sum;
  }
  return cents;
}

/** A corrected past may show a part with two prices at an instant: each counts, as in a join. */
function sums(ledger: Ledger, validAt: number): Map<string, { sum: number; count: number }> {
  const found = new Map<string, { sum: number; count: number }>();
  const seen = new Set<string>();
  for (const row of ledger.rowsOf(property('listPrice'))) {
    if (!ledger.rows.isVisible(row, { validAt })) continue;
    const key = `${ledger.subjectOf(row)} ${ledger.objectOf(row)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const entry = found.get(ledger.subjectOf(row)) ?? { sum: 0, count: 0 };
    entry.sum += Math.round(numberOf(ledger.objectOf(row)) * 100);
    entry.count++;
    found.set(ledger.subjectOf(row), entry);
  }
  return found;
}
