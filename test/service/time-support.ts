/** What tests of time in the library share: stores of both kinds, a vocabulary, histories as lines. */

import { test } from 'node:test';
import { tableTerm } from '../../engine/query/results/delimited.js';
import {
  type HistoryOptions,
  openStore,
  type Quad,
  type Store,
  type TimeOptions,
  terms,
} from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();

/** Runs a test once with a store in memory and once with a store file, both empty. */
export function onBothStores(name: string, work: (store: Store) => Promise<void>): void {
  for (const kind of ['memory', 'file']) {
    test(`${name} (${kind})`, async () => {
      const store = await openStore(kind === 'memory' ? ':memory:' : folder.fresh());
      try {
        await work(store);
      } finally {
        await store.close();
      }
    });
  }
}

export const EX = 'http://example.org/';
export const PREFIXES = `@prefix ex: <${EX}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`;
export const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';
export const ROOT = 'urn:svc:graph:root';

/** The first of a month of 2026. */
export const T = (month: number): string => `2026-${String(month).padStart(2, '0')}-01T00:00:00Z`;
export const ex = (name: string) => terms.namedNode(`${EX}${name}`);
export const integer = (value: number) =>
  terms.literal(String(value), terms.namedNode('http://www.w3.org/2001/XMLSchema#integer'));

export function quad(s: string, p: string, o: string | number, g?: string): Quad {
  const object = typeof o === 'number' ? integer(o) : ex(o);
  return g === undefined ? terms.quad(ex(s), ex(p), object) : terms.quad(ex(s), ex(p), object, ex(g));
}

/** Loads Turtle with the prefixes of these tests. */
export function knot(store: Store, text: string, options: Parameters<Store['load']>[1] = {}) {
  return store.load({ text: PREFIXES + text, format: 'trig' }, options);
}

const short = (text: string): string => text.replaceAll(EX, 'ex:').replace(LABEL, 'rdfs:label');
const month = (time: string | null): string =>
  time === null ? '' : (/^2026-(\d\d)-01T00:00:00Z$/.exec(time)?.[1]?.replace(/^0?/, 'T') ?? time);

/** An entity's history: `assert ex:p 1 tx1 [T1,T3)`. */
export async function historyOf(store: Store, name: string, options: HistoryOptions = {}): Promise<string[]> {
  const { history } = await store.history(`${EX}${name}`, options);
  return history.map(({ op, predicate, value, tx, validFrom, validTo }) =>
    short(`${op} ${tableTerm(predicate)} ${tableTerm(value)} tx${tx} [${month(validFrom)},${month(validTo)})`),
  );
}

/** What a time slice shows of ROOT, one line each, sorted. */
export function factsAt(store: Store, time: TimeOptions = {}): string[] {
  const snapshot = store.snapshot(time);
  try {
    const lines = [...snapshot.dataset().match(null, null, null, terms.defaultGraph())].map((it) =>
      short([it.subject, it.predicate, it.object].map(tableTerm).join(' ')),
    );
    return lines.sort();
  } finally {
    snapshot.close();
  }
}

/** Everything that a write could leave behind. */
export async function trace(store: Store): Promise<unknown> {
  const { factsCurrent, quadsCurrent, rowsTotal, graphs, terms: known, transactions } = store.stats();
  const snapshot = store.snapshot();
  const quads = [...snapshot.dataset()].map((it) =>
    [it.subject, it.predicate, it.object, it.graph].map(tableTerm).join(' '),
  );
  snapshot.close();
  return {
    counts: { factsCurrent, quadsCurrent, rowsTotal, graphs, known, transactions },
    quads: quads.sort(),
    log: store.transactions(),
  };
}
