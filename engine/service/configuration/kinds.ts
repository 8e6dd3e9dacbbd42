/**
 * What a key of the configuration may hold. Each kind is a schema with a check of its own for what a schema can't say: a
 * text must be an address, a token, an IRI. A table takes nothing but kinds, so that no key stands in it unchecked.
 */

import { iriFault } from '../../rdf/formats/term-checks.js';
import { namespaceFault } from '../../rdf/namespace.js';
import { oneOf, type Schema, type SchemaNode, Type } from '../schema.js';
import { parseAddress } from './address.js';
import { hostNameOf, httpUrlOf, isBaseUrl, isNetwork, isOrigin } from './network.js';

const check: unique symbol = Symbol('check');

interface Check {
  /** In words, behind "expected". */
  readonly expected: string;
  readonly fits: (text: string) => boolean;
}

/** On every kind; null: the words of the schema say all. */
export interface Checked {
  readonly [check]: Check | null;
}

export type Kind<Value = unknown> = Schema<Value> & Checked;

function kind<S extends Schema>(schema: S, own: Check | null = null): S & Checked {
  return Object.assign(schema, { [check]: own });
}

/** A value that does not fit its kind. */
export interface Misfit {
  readonly path: readonly string[];
  readonly expected: string;
  readonly actual: unknown;
}

/** Texts that do not fit, of keys whose values have the right types. */
export function* misfits(node: SchemaNode, value: unknown, path: readonly string[] = []): Generator<Misfit> {
  const own = (node as Partial<Checked>)[check];
  if (own && typeof value === 'string' && !own.fits(value)) yield { path, expected: own.expected, actual: value };
  if (Array.isArray(value) && node.items !== undefined) {
    for (const [at, entry] of value.entries()) yield* misfits(node.items, entry, [...path, String(at)]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(node.properties ?? {})) {
      yield* misfits(child, (value as Readonly<Record<string, unknown>>)[key], [...path, key]);
    }
  }
}

type Keys = Readonly<Record<string, Kind>>;

export function table<K extends Keys>(keys: K) {
  return kind(Type.Object(keys, { additionalProperties: false }));
}

/** A key that may be left out and has no default. */
export function optional<K extends Kind>(of: K) {
  return Type.Optional(of);
}

export function list<K extends Kind>(of: K) {
  return kind(Type.Array(of, { default: [] }));
}

/** What timers take: 24 days. */
const TIMEOUT_MS_MAX = 2_147_483_647;

interface Numbers {
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
}

export const flag = (byDefault: boolean) => kind(Type.Boolean({ default: byDefault }));
export const integer = (bounds: Numbers) => kind(Type.Integer(bounds));
export const number = (bounds: Numbers) => kind(Type.Number(bounds));
export const word = <const Words extends readonly string[]>(words: Words, byDefault?: Words[number]) =>
  kind(oneOf(words, byDefault === undefined ? {} : { default: byDefault }));

export const milliseconds = (byDefault?: number) =>
  integer({ minimum: 1, maximum: TIMEOUT_MS_MAX, ...(byDefault !== undefined && { default: byDefault }) });

/** Some text with a rule of its own. */
function text(expected: string, fits: Check['fits'], byDefault?: string) {
  return kind(Type.String(byDefault === undefined ? {} : { default: byDefault }), { expected, fits });
}

export const path = (byDefault?: string) =>
  text('a path', (given) => given.trim() !== '' && !given.includes('\0'), byDefault);

/** What a Bearer may hold. */
export const token = () =>
  text('a token of visible ASCII characters, without white space', (given) => /^[\x21-\x7e]+$/.test(given));

/** `host:port` to listen at. */
export const address = (byDefault: string) =>
  text('host:port, for example 127.0.0.1:3030 or [::1]:3030', (given) => parseAddress(given) !== null, byDefault);

export const iri = () => text('an absolute IRI', (given) => iriFault(given) === null);

export const namespace = (byDefault: string) =>
  text(
    'an absolute IRI that names are put behind, for example http://example.org/ns#',
    (given) => namespaceFault(given) === null,
    byDefault,
  );

export const httpUrl = () =>
  text('an address of http or https, without a name or password', (given) => httpUrlOf(given) !== null);

/** The address under which others reach a server. */
export const baseUrl = () => text('an address such as https://graph.example.org or https://example.org/kg/', isBaseUrl);

export const origin = () =>
  text(
    'an origin as browsers send it, for example https://app.example.org, without a path; there is no wildcard',
    isOrigin,
  );

export const hostName = () =>
  text('a name or address, with or without a port; there is no wildcard', (given) => hostNameOf(given) !== null);

export const network = () => text('an address or a network such as 10.0.0.0/8 or fd00::/8', isNetwork);

/** Tokens of labels. */
export const labelToken = () =>
  text('a word without white space', (given) => given !== '' && !/[\s\p{Cc}]/u.test(given));

export const name = () => text('a name that is not empty', (given) => given.trim() !== '');
