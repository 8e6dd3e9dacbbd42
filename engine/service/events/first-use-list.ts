/** The classes, or predicates, that a transaction used before any other did, by id, each with the graph of its first row. */

import type { ChangedTransaction, Rows } from './changed-rows.js';
import { byId, isNodeHigh, nodeKeyAt } from './node-keys.js';

export interface FirstUse {
  readonly node: number;
  readonly graph: number;
}

type Pick = (rows: Rows, row: number) => number | null;

const isType = (rows: Rows, row: number, [low, high]: readonly [number, number]): boolean =>
  rows.p[2 * row] === low && rows.p[2 * row + 1] === high;

export function classOfRow(type: readonly [number, number]): Pick {
  return (rows, row) =>
    isType(rows, row, type) && isNodeHigh(rows.o[2 * row + 1] as number) ? nodeKeyAt(rows.o, row) : null;
}

export function predicateOfRow(type: readonly [number, number]): Pick {
  return (rows, row) => (isType(rows, row, type) ? null : nodeKeyAt(rows.p, row));
}

/** `usedBefore` tells which of some nodes an earlier transaction used. */
export function firstUses(
  transaction: ChangedTransaction,
  pick: Pick,
  usedBefore: (nodes: readonly number[]) => ReadonlySet<number>,
): FirstUse[] {
  const graphs = new Map<number, number>();
  const feed = transaction.feed('assert');
  try {
    for (let rows = feed.next(); rows !== null; rows = feed.next()) {
      for (let row = 0; row < rows.rows; row++) {
        const node = pick(rows, row);
        if (node !== null && !graphs.has(node)) graphs.set(node, nodeKeyAt(rows.g, row));
      }
    }
  } finally {
    feed.close();
  }
  const used = usedBefore([...graphs.keys()]);
  const fresh = [...graphs].filter(([node]) => !used.has(node)).map(([node, graph]) => ({ node, graph }));
  return fresh.sort((a, b) => byId(a.node, b.node));
}
