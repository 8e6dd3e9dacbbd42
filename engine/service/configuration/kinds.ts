/**
 * What a key of the configuration may hold. Each kind is a schema, and for a text the name of the check that it has to
 * pass; `text-kinds.ts` has the checks. A table takes nothing but kinds, so that no key stands in it unchecked.
 */

import { oneOf, type Schema, type SchemaNode, Type } from '../requests/schema.js';

/** Texts with a check. */
export type TextKind =
  | 'path'
  | 'name'
  | 'memberName'
  | 'token'
  | 'labelToken'
  | 'address'
  | 'iri'
  | 'namespace'
  | 'reader'
  | 'readGraph'
  | 'httpUrl'
  | 'baseUrl'
  | 'origin'
  | 'hostName'
  | 'network'
  | 'variable';

const textKind: unique symbol = Symbol('kind of text');

/** On every kind; null: the words of the schema say all. */
export interface Checked {
  readonly [textKind]: TextKind | null;
}

export type Kind<Value = unknown> = Schema<Value> & Checked;

function kind<S extends Schema>(schema: S, of: TextKind | null = null): S & Checked {
  return Object.assign(schema, { [textKind]: of });
}

/** Which text a value has to be; null: none in particular, or no text. */
export function kindOf(node: SchemaNode): TextKind | null {
  return (node as Partial<Checked>)[textKind] ?? null;
}

type Keys = Readonly<Record<string, Kind>>;

export function table<K extends Keys>(keys: K) {
  return kind(Type.Object(keys, { additionalProperties: false }));
}

/** A key that may be left out and has no default. */
export function optional<K extends Kind>(of: K) {
  return Type.Optional(of);
}

export function list<K extends Kind>(of: K, byDefault: readonly unknown[] = []) {
  return kind(Type.Array(of, { default: byDefault }));
}

export function text(of: TextKind, byDefault?: string) {
  return kind(Type.String(byDefault === undefined ? {} : { default: byDefault }), of);
}

interface Numbers {
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
}

export const flag = (byDefault?: boolean) => kind(Type.Boolean(byDefault === undefined ? {} : { default: byDefault }));
export const integer = (bounds: Numbers) => kind(Type.Integer(bounds));
export const number = (bounds: Numbers) => kind(Type.Number(bounds));
export const word = <const Words extends readonly string[]>(words: Words, byDefault?: Words[number]) =>
  kind(oneOf(words, byDefault === undefined ? {} : { default: byDefault }));

/** What timers take: 24 days. */
const TIMEOUT_MS_MAX = 2_147_483_647;

export const milliseconds = (byDefault?: number) =>
  integer({ minimum: 1, maximum: TIMEOUT_MS_MAX, ...(byDefault !== undefined && { default: byDefault }) });
