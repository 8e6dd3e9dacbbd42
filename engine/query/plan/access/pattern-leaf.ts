/** A pattern as storage sees it: its constants as ids, the orders in which it can be read and looked up, its size. */

import type { TermId } from '../../../storage/ids/layout.js';
import type { GraphSet, IdRange, Order, PositionTest, ScanPattern, TermColumn } from '../../../storage/seam/scan.js';
import type { Expression } from '../../algebra/expression.js';
import type { ProbePart } from '../../execute/join/index-join.js';
import type { ScanOutput } from '../../execute/scan/scan.js';
import { POSITIONS } from '../../physical/scan.js';

/** What the statistics need to know of a pattern. */
export interface PatternShape {
  readonly graphs: GraphSet;
  readonly constants: ReadonlyMap<TermColumn, TermId>;
  /** Where each variable stands first. */
  readonly positions: ReadonlyMap<string, TermColumn>;
  readonly rows: number;
}

/** One pattern as a part of a join. */
export interface PatternLeaf extends PatternShape {
  readonly label: string;
  /** Positions that hold the same variable. */
  readonly equal: readonly (readonly [TermColumn, TermColumn])[];
  /** The ids that the object may be, where comparisons narrow it; null = any. */
  readonly objects: readonly IdRange[] | null;
  /** Sorted parts of the store that each key is looked up in. */
  readonly parts: number;
}

/** A pattern with comparisons of its object. */
export interface NarrowedLeaf {
  /** Null when nothing is in the ranges. */
  readonly leaf: PatternLeaf | null;
  /** The comparisons, and those of them that the ranges take over. */
  readonly conditions: readonly Expression[];
  readonly settled: readonly Expression[];
}

export function scanPattern(leaf: Pick<PatternLeaf, 'constants' | 'objects'>): ScanPattern {
  const tests: Partial<Record<'s' | 'p' | 'o', PositionTest>> = {};
  for (const [position, id] of leaf.constants) if (position !== 'g') tests[position] = { kind: 'id', id };
  if (leaf.objects !== null) tests.o = { kind: 'ranges', ranges: leaf.objects };
  return tests;
}

export function outputsOf(leaf: PatternLeaf, wanted: ReadonlySet<string>): ScanOutput[] {
  return [...leaf.positions]
    .filter(([variable]) => wanted.has(variable))
    .map(([variable, position]) => ({ variable, position }));
}

/** Orders whose first positions are exactly the given ones. */
export function ordersFor(leaf: PatternLeaf, fixed: ReadonlySet<TermColumn>): Order[] {
  if (leaf.objects !== null && fixed.size === 0) return ['OSPG'];
  const orders = (['SPOG', 'POSG', 'OSPG'] as const).filter((order) =>
    prefixOf(order, fixed.size).every((position) => fixed.has(position)),
  );
  const manyGraphs = leaf.graphs.kind !== 'one' && [...leaf.positions.values()].includes('g');
  return fixed.size === 0 && manyGraphs ? [...orders, 'GSPO'] : orders;
}

function prefixOf(order: Order, length: number): readonly TermColumn[] {
  return POSITIONS[order].slice(0, length);
}

/** An order in which a pattern is looked up, and what stands in front. */
export interface Probe {
  readonly order: Order;
  readonly parts: readonly ProbePart[];
}

/** How to look the pattern up by keys; null when no order has constants and keys in front. */
export function probeParts(leaf: PatternLeaf, keys: readonly string[]): Probe | null {
  const keyAt = new Map<TermColumn, string>();
  for (const key of keys) {
    const position = leaf.positions.get(key);
    if (position !== undefined && position !== 'g') keyAt.set(position, key);
  }
  // A key takes the place of the ranges.
  if (leaf.objects !== null && keyAt.has('o')) return null;
  if (keyAt.size === 0) return null;
  const fixed = new Set([...leaf.constants.keys(), ...keyAt.keys()]);
  const order = ordersFor(leaf, fixed)[0];
  if (order === undefined) return null;
  const parts = prefixOf(order, fixed.size).map((position): ProbePart => {
    const variable = keyAt.get(position);
    return variable === undefined
      ? { kind: 'constant', id: leaf.constants.get(position) as TermId }
      : { kind: 'key', variable, position };
  });
  return { order, parts };
}
