/**
 * What somebody declares of a graph, read strictly (semantics of graphs, 2.4): words are exact, and one that is wrong refuses
 * the whole declaration, so that a slip never becomes a label. The same words serve wherever a kind is asked for.
 */

import { SvcError, showValue } from '../../base/errors.js';
import { isObject } from '../../base/objects.js';
import { compareCodePoints } from '../../base/text.js';
import {
  AXES,
  type Axis,
  DURABILITY,
  FRESHNESS,
  GRAPH_KINDS,
  type GraphLabels,
  type Trust,
} from '../../query/registry/label-rows.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';

/** As callers write it; an axis that is absent keeps what is declared. */
export interface LabelInput {
  readonly freshness?: string | undefined;
  readonly durability?: string | undefined;
  readonly trust?: Trust | undefined;
  /** Tokens of obligations; none = "no obligations". */
  readonly policy?: readonly string[] | undefined;
  readonly kind?: string | undefined;
}

/** The values of the axes that a declaration names. */
export type LabelValues = { readonly [Name in Axis]?: NonNullable<GraphLabels[Name]>['value'] };

/** A token of an obligation is a word: other systems compare it letter by letter. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what no token may have
const NO_TOKEN = /[\s\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u;

export function parseLabels(input: LabelInput, extraKinds: readonly string[] = []): LabelValues {
  const { freshness, durability, trust, policy, kind } = input;
  const values = {
    ...(freshness === undefined ? {} : { freshness: wordOf('freshness', freshness, FRESHNESS) }),
    ...(durability === undefined ? {} : { durability: wordOf('durability', durability, DURABILITY) }),
    ...(trust === undefined ? {} : { trust: trustOf(trust) }),
    ...(policy === undefined ? {} : { policy: policyOf(policy) }),
    ...(kind === undefined ? {} : { kind: parseKind(kind, extraKinds) }),
  };
  if (Object.keys(values).length === 0) {
    throw new SvcError('invalid_request', `a declaration names at least one of ${AXES.join(', ')}`);
  }
  return values;
}

/** A kind that there is. `name`: the field that it stands in. */
export function parseKind(kind: unknown, extraKinds: readonly string[] = [], name = 'kind'): string {
  return wordOf(name, kind, [...GRAPH_KINDS, ...extraKinds]);
}

function wordOf<Word extends string>(name: string, value: unknown, words: readonly Word[]): Word {
  const word = words.find((one) => one === value);
  if (word === undefined) throw unfit(name, value, `one of ${words.join(', ')}`);
  return word;
}

function trustOf(value: unknown): Trust {
  if (!isObject(value)) throw unfit('trust', value, 'an object with iri, chain and rank');
  const { iri, chain, rank } = value;
  if (!Number.isSafeInteger(rank)) throw unfit('trust.rank', rank, 'an integer');
  return { iri: iriOf('trust.iri', iri), chain: iriOf('trust.chain', chain), rank: rank as number };
}

function iriOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || iriFault(value) !== null) throw unfit(name, value, 'an absolute IRI');
  return value;
}

/** Sorted, each once. */
function policyOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw unfit('policy', value, 'a list of tokens');
  for (const [at, token] of value.entries()) {
    if (typeof token === 'string' && token !== '' && !NO_TOKEN.test(token)) continue;
    throw unfit(`policy[${at}]`, token, 'a token: a text without spaces and control characters that is not empty');
  }
  return [...new Set(value as readonly string[])].sort(compareCodePoints);
}

function unfit(name: string, value: unknown, expected: string): SvcError {
  const is = value === undefined ? 'is missing' : `is ${showValue(value)}`;
  return new SvcError('invalid_request', `'${name}' ${is}; expected ${expected}; nothing was declared`);
}
