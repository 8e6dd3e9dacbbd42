/** Asks the questions of a store with two times, in a process of its own, and checks every answer. */
import { readFileSync } from 'node:fs';
import { invariant } from '../../../engine/base/errors.js';
import { ROOT_ID } from '../../../engine/storage/ids/layout.js';
import { readRows } from '../../../engine/storage/seam/rows.js';
import type { ScanRequest, StorageSnapshot } from '../../../engine/storage/seam/scan.js';
import { openStore, type Store, terms } from '../../../interfaces/library/index.js';
import { property, state } from '../../data/trade.js';
import { numberOf, rowsOf, type Spread, spread, toOptions } from '../asking.js';
import { type Questions, STEEP } from './questions.js';

export interface BitemporalTask {
  readonly task: 'bitemporal';
  readonly store: string;
  /** A file of questions, as JSON. */
  readonly questions: string;
}

export interface BitemporalFigure extends Spread {
  readonly what: string;
  readonly slice: string;
  readonly answer: number;
}

export interface BitemporalMeasurement {
  readonly figures: readonly BitemporalFigure[];
}

const PASSES = 5;
const HISTORY_LIMIT = 1000;

export async function measureBitemporal(task: BitemporalTask): Promise<BitemporalMeasurement> {
  const questions = JSON.parse(readFileSync(task.questions, 'utf8')) as Questions;
  const store = await openStore(task.store, { readOnly: true });
  const figures: BitemporalFigure[] = [];
  const measure = async (what: string, slice: string, expected: number, ask: () => Promise<number> | number) => {
    const times: number[] = [];
    for (let pass = 0; pass <= PASSES; pass++) {
      const begin = performance.now();
      const answer = await ask();
      // The first pass warms caches.
      if (pass > 0) times.push(performance.now() - begin);
      invariant(answer === expected, `${what}, ${slice}: the answer is ${expected}, not ${answer}`);
    }
    figures.push({ what, slice, answer: expected, ...spread(times) });
  };
  for (const { name, text, answers } of questions.queries) {
    for (const [slice, at] of Object.entries(questions.slices)) {
      const time = toOptions(at);
      await measure(name, slice, answers[slice] as number, () => numberOf(store, text, time));
    }
  }
  figures.push(await keyHistories(store, questions));
  const { from, to, finished, versions, steep, difference } = questions;
  await measure('R orders open at one end and done at the other', 'range', finished, () =>
    finishedBetween(store, from, to),
  );
  await measure('R versions of prices in a range', 'range', versions, () => versionsWithin(store, from, to));
  await measure('R steep rises of a price in one change', 'all', steep, () => steepRises(store));
  await measure('R join of two slices: change of prices', 'range', difference, () => priceDifference(store, from, to));
  await store.close();
  return { figures };
}

/** K: everything that became of one entity, a call each. */
async function keyHistories(store: Store, { keys }: Questions): Promise<BitemporalFigure> {
  const times: number[] = [];
  let answer = 0;
  for (let pass = 0; pass < 2; pass++) {
    answer = 0;
    for (const { subject, entries } of keys) {
      const begin = performance.now();
      const { history } = await store.history(subject.slice(1, -1), { limit: HISTORY_LIMIT });
      if (pass > 0) times.push(performance.now() - begin);
      invariant(history.length === entries, `the history of ${subject} has ${entries} entries, not ${history.length}`);
      answer += history.length;
    }
  }
  return { what: 'K history of an order, a call', slice: 'all', answer, ...spread(times) };
}

async function finishedBetween(store: Store, from: number, to: number): Promise<number> {
  const ofState = (name: 'open' | 'done') => `SELECT ?o { ?o ${property('status')} ${state(name)} }`;
  const open = new Set<string>();
  for await (const [order] of rowsOf(store, ofState('open'), toOptions({ validAt: from })))
    open.add(order?.value ?? '');
  let finished = 0;
  for await (const [order] of rowsOf(store, ofState('done'), toOptions({ validAt: to }))) {
    if (open.has(order?.value ?? '')) finished++;
  }
  return finished;
}

interface Version {
  readonly part: string;
  readonly price: number;
  readonly tx: number;
  readonly validFrom: number;
  readonly validTo: number;
}

/** Every version of every list price, through the seam below the query engine. */
function* priceVersions(snapshot: StorageSnapshot): Generator<Version> {
  const predicate = snapshot.encode(terms.namedNode(property('listPrice').slice(1, -1)));
  invariant(predicate !== null, 'the predicate is known');
  const request: ScanRequest = {
    graphs: { kind: 'one', graph: ROOT_ID },
    pattern: { p: { kind: 'id', id: predicate } },
    time: { kind: 'all' },
    columns: ['s', 'o', 'txFrom', 'validFrom', 'validTo'],
  };
  for (const batch of readRows(snapshot, request)) {
    const parts = snapshot.decode(batch.column('s'), batch.rows);
    const prices = snapshot.decode(batch.column('o'), batch.rows);
    for (let row = 0; row < batch.rows; row++) {
      yield {
        part: parts[row]?.value ?? '',
        price: Number(prices[row]?.value),
        tx: batch.tx('txFrom', row) ?? 0,
        validFrom: batch.instant('validFrom', row) ?? 0,
        validTo: batch.instant('validTo', row) ?? Number.POSITIVE_INFINITY,
      };
    }
  }
}

function withVersions(store: Store, work: (versions: Generator<Version>) => number): number {
  const snapshot = store.snapshot();
  try {
    return work(priceVersions(snapshot.storage));
  } finally {
    snapshot.close();
  }
}

function versionsWithin(store: Store, from: number, to: number): number {
  return withVersions(store, (versions) => {
    let count = 0;
    for (const { validFrom, validTo } of versions) if (validFrom < to && validTo > from) count++;
    return count;
  });
}

function steepRises(store: Store): number {
  return withVersions(store, (versions) => {
    const byPart = new Map<string, Version[]>();
    for (const version of versions) {
      const known = byPart.get(version.part);
      if (known === undefined) byPart.set(version.part, [version]);
      else known.push(version);
    }
    let steep = 0;
    for (const own of byPart.values()) {
      own.sort((one, other) => one.tx - other.tx);
      own.forEach(({ price }, at) => {
        if (at > 0 && price > (own[at - 1] as Version).price * STEEP) steep++;
      });
    }
    return steep;
  });
}

async function priceDifference(store: Store, from: number, to: number): Promise<number> {
  const text = `SELECT ?part ?price { ?part ${property('listPrice')} ?price }`;
  const before = await pricesAt(store, text, from);
  const after = await pricesAt(store, text, to);
  let cents = 0;
  for (const [part, price] of before) {
    const later = after.get(part);
    if (later !== undefined) cents += later.count * price.sum - price.count * later.sum;
  }
  return cents;
}

/** In cents; a part may have two prices where the past was corrected. */
async function pricesAt(store: Store, text: string, validAt: number) {
  const found = new Map<string, { sum: number; count: number }>();
  for await (const [part, price] of rowsOf(store, text, toOptions({ validAt }))) {
    const entry = found.get(part?.value ?? '') ?? { sum: 0, count: 0 };
    entry.sum += Math.round(Number(price?.value) * 100);
    entry.count++;
    found.set(part?.value ?? '', entry);
  }
  return found;
}
