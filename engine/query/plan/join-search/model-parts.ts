/** What the search for a join order looks at: parts, sets of them, and filters, as numbers. */

import type { Expression } from '../../algebra/expression.js';
import type { Probe } from '../access/pattern-leaf.js';
import type { JoinPart } from '../build/joins.js';
import type { JoinedPatterns } from '../statistics/group-statistics.js';

/** A filter of the group, with the variables it waits for. */
export interface PendingFilter {
  readonly condition: Expression;
  readonly waitsFor: readonly string[];
}

export interface Bindings {
  /** By the number of the variable; 0 = not bound. */
  readonly distinct: Float64Array;
  /** By the number of the variable: every row binds it. */
  readonly certain: Uint8Array;
}

/** A set of parts, joined and filtered. */
export interface Side extends Bindings {
  /** By the number of the variable: the share of the rows that leave it unbound. */
  readonly unbound: Float64Array;
  readonly rows: number;
  /** Bits of the filters that have run. */
  readonly filters: number;
  readonly patterns: JoinedPatterns;
}

/** How a pattern can be looked up by what is bound. */
export interface ModelProbe {
  readonly probe: Probe;
  readonly keys: readonly number[];
  /** Rows of the scan in which dense keys lie. */
  readonly range: number;
  /** The key, where it is the subject of a property and such patterns can be a star; -1 = none. */
  readonly subject: number;
}

export interface ModelPart {
  readonly part: JoinPart;
  /** The part alone. */
  readonly side: Side;
  /** Numbers of its variables. */
  readonly variables: readonly number[];
  /** By the bits of the variables that are bound, in the order of `variables`. */
  readonly probes: Map<number, ModelProbe | null>;
  /** Of a UNION whose branches bind different variables: the share of the rows, and what they leave unbound. */
  readonly alternatives: readonly { readonly share: number; readonly unbound: Float64Array }[] | null;
}

export interface ModelFilter {
  readonly waitsFor: readonly number[];
  readonly selectivity: number;
  readonly cost: number;
  /** It asks a pattern. */
  readonly asks: boolean;
  /** The sides of a comparison that can tell partners, by their text and variables; null = it is none. */
  readonly sides: readonly ComparedSide[] | null;
}

export interface ComparedSide {
  readonly text: string;
  readonly variables: readonly number[];
}

/** The filters that a join by comparisons tests, as bits, and the share of all pairs that is tested. */
export interface ComparedPairsOf {
  readonly filters: number;
  readonly tested: number;
}
