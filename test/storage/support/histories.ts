/** Random histories of quads as rows: opened, closed, opened again, with times that overlap as they like. */

import fc from 'fast-check';
import { INSTANT_BIAS, makeId, OPEN, ROOT_ID, TAG, type TermId } from '../../../engine/storage/ids/layout.js';
import type { Row } from '../../../engine/storage/memory/rows.js';
import { randomNumbers } from '../scan-support.js';
import type { StoreShape } from './run-builder.js';

export interface History {
  readonly rows: readonly Row[];
  readonly lastTx: number;
  readonly graphs: readonly TermId[];
}

/** Ids that need no dictionary: small integers. */
export const small = (value: number): TermId => makeId(TAG.integer, 0, (1n << 47n) + BigInt(value));

export interface HistoryShape {
  readonly seed: number;
  readonly transactions: number;
  readonly changesPerTransaction: number;
  /** Distinct subjects, predicates and objects. */
  readonly terms: number;
  readonly graphs: number;
  /** Instants lie in `[0, instants)`. */
  readonly instants: number;
}

/** Changes are netted: a transaction opens or closes a quad once. */
export function randomHistory(shape: HistoryShape): History {
  const next = randomNumbers(shape.seed);
  const graphs = Array.from({ length: shape.graphs }, (_, i) => (i === 0 ? ROOT_ID : small(1000 + i)));
  const pick = (from: number): TermId => small(from + next(shape.terms));
  const instant = (): bigint => BigInt(next(shape.instants) + INSTANT_BIAS);
  const open = new Map<string, Row>();
  const rows: Row[] = [];
  for (let tx = 1; tx <= shape.transactions; tx++) {
    const touched = new Set<string>();
    for (let i = 0; i < shape.changesPerTransaction; i++) {
      const quad = { s: pick(0), p: pick(100), o: pick(0), g: graphs[next(graphs.length)] as TermId };
      const key = Object.values(quad).join(' ');
      if (touched.has(key)) continue;
      touched.add(key);
      const held = open.get(key);
      if (held === undefined) {
        open.set(key, { ...quad, txFrom: BigInt(tx), txTo: OPEN, validFrom: instant(), validTo: OPEN });
        continue;
      }
      open.delete(key);
      rows.push({ ...held, txTo: BigInt(tx), validTo: instant() });
    }
  }
  return { rows: [...rows, ...open.values()], lastTx: shape.transactions, graphs };
}

export interface Case {
  readonly history: HistoryShape;
  readonly folds: number;
  readonly ownGraphs: number;
  readonly blockRows: number;
}

export const cases: fc.Arbitrary<Case> = fc.record({
  history: fc.record({
    seed: fc.nat(),
    transactions: fc.integer({ min: 1, max: 40 }),
    changesPerTransaction: fc.integer({ min: 1, max: 40 }),
    terms: fc.constantFrom(2, 4, 8),
    graphs: fc.constantFrom(1, 2, 5, 20),
    instants: fc.constantFrom(1, 5, 50),
  }),
  folds: fc.integer({ min: 1, max: 6 }),
  ownGraphs: fc.constantFrom(0, 1, 2),
  blockRows: fc.constantFrom(1, 3, 17, 300, 4096),
});

export function storeShape(one: Case): StoreShape & { readonly history: History } {
  const history = randomHistory(one.history);
  const { lastTx } = history;
  const folds = Array.from({ length: one.folds }, (_, i) => Math.ceil(((i + 1) * lastTx) / one.folds));
  return {
    history,
    rows: history.rows,
    lastTx,
    folds: [...new Set(folds)],
    own: history.graphs.slice(0, one.ownGraphs),
    blockRows: one.blockRows,
  };
}
