/**
 * The label of several graphs together (semantics of graphs, 2.6): on each axis what they have in common at worst, and how many
 * of them say something at all.
 *
 *  1. Freshness and durability are the worst of those declared; trust is the lowest rank of one chain; policy and kind are unions.
 *  2. Coverage is `full` when all declare, `none` when nobody does, else `partial`; `empty` where there are no graphs.
 *  3. Composing is associative, commutative and idempotent, with `NO_GRAPHS` as its identity: parts can be composed by themselves,
 *     in any order, and may overlap. Another graph never raises a value, drops a token or turns partial into full.
 *
 * Ranks of two chains can't be compared. Both are kept, which is the one thing that makes a label that can't be stated.
 */

import { compareCodePoints } from '../../base/text.js';
import {
  type Declared,
  DURABILITY,
  type Durability,
  FRESHNESS,
  type Freshness,
  type GraphLabels,
  type Trust,
} from '../../query/registry/label-rows.js';

export type Coverage = 'empty' | 'none' | 'partial' | 'full';

export interface Composed<Value> {
  /** Null where nobody declares. */
  readonly value: Value | null;
  readonly coverage: Coverage;
}

export interface ComposedLabels {
  readonly freshness: Composed<Freshness>;
  readonly durability: Composed<Durability>;
  /** The lowest rank of each chain, by chain: of more than two chains two, which is too many already. */
  readonly trust: Composed<readonly Trust[]>;
  readonly policy: Composed<readonly string[]>;
  readonly kind: Composed<readonly string[]>;
}

const CHAINS_MAX = 2;

const NOTHING = { value: null, coverage: 'empty' } as const;

export const NO_GRAPHS: ComposedLabels = {
  freshness: NOTHING,
  durability: NOTHING,
  trust: NOTHING,
  policy: NOTHING,
  kind: NOTHING,
};

/** The label of one graph by itself, its axes that have expired left out. */
export function labelOfOne(labels: GraphLabels): ComposedLabels {
  return {
    freshness: declared(labels.freshness),
    durability: declared(labels.durability),
    trust: declared(labels.trust, (trust) => [trust]),
    policy: declared(labels.policy),
    kind: declared(labels.kind, (kind) => [kind]),
  };
}

const UNDECLARED = { value: null, coverage: 'none' } as const;

/** Of graphs that declare nothing, however many. */
export const ALL_UNDECLARED: ComposedLabels = labelOfOne({});

function declared<Value>(given: Declared<Value> | undefined): Composed<Value>;
function declared<Given, Value>(given: Declared<Given> | undefined, toValue: (given: Given) => Value): Composed<Value>;
function declared(given: Declared<unknown> | undefined, toValue = (value: unknown): unknown => value) {
  return given === undefined ? UNDECLARED : { value: toValue(given.value), coverage: 'full' };
}

export function composeLabels(a: ComposedLabels, b: ComposedLabels): ComposedLabels {
  return {
    freshness: composeAxis(a.freshness, b.freshness, worstOf(FRESHNESS)),
    durability: composeAxis(a.durability, b.durability, worstOf(DURABILITY)),
    trust: composeAxis(a.trust, b.trust, lowestOf),
    policy: composeAxis(a.policy, b.policy, unionOf),
    kind: composeAxis(a.kind, b.kind, unionOf),
  };
}

function composeAxis<Value>(
  a: Composed<Value>,
  b: Composed<Value>,
  meet: (a: Value, b: Value) => Value,
): Composed<Value> {
  const value = a.value === null ? b.value : b.value === null ? a.value : meet(a.value, b.value);
  return { value, coverage: coverageOf(a.coverage, b.coverage) };
}

function coverageOf(a: Coverage, b: Coverage): Coverage {
  if (a === 'empty') return b;
  return b === 'empty' || a === b ? a : 'partial';
}

function worstOf<Token extends string>(bestFirst: readonly Token[]) {
  return (a: Token, b: Token): Token => (bestFirst.indexOf(a) >= bestFirst.indexOf(b) ? a : b);
}

function lowestOf(a: readonly Trust[], b: readonly Trust[]): readonly Trust[] {
  const lowest = new Map<string, Trust>();
  for (const trust of [...a, ...b]) {
    const known = lowest.get(trust.chain);
    if (known === undefined || isLower(trust, known)) lowest.set(trust.chain, trust);
  }
  return [...lowest.values()].sort((x, y) => compareCodePoints(x.chain, y.chain)).slice(0, CHAINS_MAX);
}

/** Of equal ranks the smaller IRI, so that their order is of no account. */
function isLower(a: Trust, b: Trust): boolean {
  return a.rank < b.rank || (a.rank === b.rank && compareCodePoints(a.iri, b.iri) < 0);
}

function unionOf(a: readonly string[], b: readonly string[]): readonly string[] {
  if (b.every((token) => a.includes(token))) return a;
  return [...new Set([...a, ...b])].sort(compareCodePoints);
}
