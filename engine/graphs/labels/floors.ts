/**
 * What the graphs of a query must at least be declared as (semantics of graphs, 2.8). A graph that declares nothing on an axis with
 * a floor is below it. A floor is about quality: it hides nothing from those who name another graph.
 */

import { SvcError } from '../../base/errors.js';
import type { GraphLabels } from '../../query/registry/label-rows.js';
import {
  AXES,
  type Axis,
  DURABILITY,
  type Durability,
  FRESHNESS,
  type Freshness,
} from '../../query/registry/label-words.js';

export interface LabelFloors {
  readonly minFreshness?: Freshness | undefined;
  readonly minDurability?: Durability | undefined;
  /** Ranks of another chain are below it. */
  readonly minTrust?: { readonly chain: string; readonly rank: number } | undefined;
  readonly denyPolicyTokens?: readonly string[] | undefined;
}

/** An axis on which a graph is below a floor. */
export interface Shortfall {
  readonly axis: Axis;
  /** What it is declared as, in words. */
  readonly declared: string;
  readonly floor: string;
}

/** False when every graph passes. */
export function hasFloors({ minFreshness, minDurability, minTrust, denyPolicyTokens = [] }: LabelFloors): boolean {
  return (
    minFreshness !== undefined || minDurability !== undefined || minTrust !== undefined || denyPolicyTokens.length > 0
  );
}

/** The first axis on which a graph is below its floor; null = it passes. `labels`: without what has expired. */
export function shortfallOf(labels: GraphLabels, floors: LabelFloors): Shortfall | null {
  for (const axis of AXES) {
    const found = CHECKS[axis]?.(labels, floors) ?? null;
    if (found !== null) return { axis, ...found };
  }
  return null;
}

type Check = (labels: GraphLabels, floors: LabelFloors) => Omit<Shortfall, 'axis'> | null;

const NOTHING = 'nothing';

const CHECKS: { readonly [Name in Axis]?: Check } = {
  freshness: (labels, { minFreshness }) => {
    return belowToken(labels.freshness?.value, minFreshness, FRESHNESS, 'labels.min_freshness');
  },
  durability: (labels, { minDurability }) => {
    return belowToken(labels.durability?.value, minDurability, DURABILITY, 'labels.min_durability');
  },
  trust: ({ trust }, { minTrust }) => {
    if (minTrust === undefined) return null;
    const { chain, rank } = minTrust;
    if (trust !== undefined && trust.value.chain === chain && trust.value.rank >= rank) return null;
    const declared = trust === undefined ? NOTHING : `rank ${trust.value.rank} of the chain <${trust.value.chain}>`;
    return { declared, floor: `labels.min_trust_rank is ${rank} of the chain <${chain}>` };
  },
  policy: ({ policy }, { denyPolicyTokens = [] }) => {
    if (denyPolicyTokens.length === 0) return null;
    const denied = policy?.value.find((token) => denyPolicyTokens.includes(token));
    if (policy !== undefined && denied === undefined) return null;
    return {
      declared: denied === undefined ? NOTHING : `'${denied}'`,
      floor: `labels.deny_policy_tokens has ${denyPolicyTokens.map((token) => `'${token}'`).join(', ')}`,
    };
  },
};

function belowToken<Token extends string>(
  value: Token | undefined,
  least: Token | undefined,
  bestFirst: readonly Token[],
  setting: string,
): Omit<Shortfall, 'axis'> | null {
  if (least === undefined) return null;
  if (value !== undefined && bestFirst.indexOf(value) <= bestFirst.indexOf(least)) return null;
  return { declared: value === undefined ? NOTHING : `'${value}'`, floor: `${setting} is '${least}'` };
}

/** `what`: a graph, or somebody else whose facts would stand in the answer. */
export function floorRefusal(what: string, { axis, declared, floor }: Shortfall, hint: string): SvcError {
  return new SvcError('label_floor', `${what} is below the floor of ${axis}: it declares ${declared}, and ${floor}`, {
    hint,
  });
}

/** Refuses words that no graph can be declared as. */
export function checkFloors({ minFreshness, minDurability, minTrust, denyPolicyTokens }: LabelFloors): void {
  checkWord('minFreshness', minFreshness, FRESHNESS);
  checkWord('minDurability', minDurability, DURABILITY);
  if (minTrust !== undefined && (typeof minTrust.chain !== 'string' || !Number.isInteger(minTrust.rank))) {
    throw new SvcError(
      'invalid_request',
      "'minTrust': expected a chain, which is an IRI, and a rank, which is an integer",
    );
  }
  if (denyPolicyTokens?.every((token) => typeof token === 'string') === false) {
    throw new SvcError('invalid_request', "'denyPolicyTokens': expected a list of texts");
  }
}

function checkWord(name: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return;
  throw new SvcError('invalid_request', `'${name}': there is no '${value}'; expected ${known.join(', ')}`);
}
