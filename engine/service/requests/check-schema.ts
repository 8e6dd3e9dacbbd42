/**
 * Checks a value from outside against a schema: it becomes a typed one, or an error that names the
 * field and what is expected there. Knows the keywords of `schema.ts`, with the meaning that JSON
 * Schema gives them.
 */

import { SvcError, showValue } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { isObject } from '../../base/objects.js';
import type { Schema, SchemaNode, Static } from './schema.js';

export interface SchemaProblem {
  /** Keys from the outermost to the one that is wrong. */
  readonly path: readonly string[];
  readonly kind: 'missing' | 'unknown' | 'invalid';
  readonly expected: string;
  readonly actual: unknown;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The place of a problem as it is written: `edges[0].relation`. */
export function formatPath(path: readonly string[]): string {
  return path.reduce((text, key) => (/^\d+$/.test(key) ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`), '');
}

/** What a schema wants, in words: `one of a, b`, `an integer of at least 0`. */
export function describeSchema(node: SchemaNode | undefined): string {
  if (node === undefined) return 'something else';
  if (node.enum) return `one of ${node.enum.join(', ')}`;
  const from = node.minimum === undefined ? '' : ` of at least ${node.minimum}`;
  const to = node.maximum === undefined ? '' : `${from ? ' and' : ' of'} at most ${node.maximum}`;
  switch (node.type) {
    case 'integer':
      return `an integer${from}${to}`;
    case 'number':
      return `a number${from}${to}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list, each entry ${describeSchema(node.items)}`;
    case 'object':
      return 'an object';
    case 'string':
      return node.minLength ? 'a string that is not empty' : 'a string';
    default:
      return 'something else';
  }
}

function hasType(type: SchemaNode['type'], value: unknown): boolean {
  switch (type) {
    case undefined:
      return true;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}

/** Whether the value itself fits, whatever it holds. */
function fitsOutside(node: SchemaNode, value: unknown): boolean {
  if (!hasType(node.type, value)) return false;
  if (node.enum !== undefined && !node.enum.some((word) => word === value)) return false;
  if (typeof value === 'string') return node.minLength === undefined || [...value].length >= node.minLength;
  if (typeof value !== 'number') return true;
  return !(node.minimum !== undefined && value < node.minimum) && !(node.maximum !== undefined && value > node.maximum);
}

/** Everything that is wrong with a value, outermost first, found as it is asked for. */
export function* findProblems(
  node: SchemaNode,
  value: unknown,
  path: readonly string[] = [],
): Generator<SchemaProblem, void, undefined> {
  if (!fitsOutside(node, value)) yield { path, kind: 'invalid', expected: describeSchema(node), actual: value };
  if (isObject(value)) yield* problemsOfObject(node, value, path);
  if (Array.isArray(value) && node.items !== undefined) {
    for (const [at, entry] of value.entries()) yield* findProblems(node.items, entry, [...path, String(at)]);
  }
  if (node.anyOf !== undefined) yield* problemsOfUnion(node, node.anyOf, value, path);
}

type Patterns = readonly (readonly [RegExp, SchemaNode])[];

/** Compiled once for each schema. */
const patternsByNode = new WeakMap<SchemaNode, Patterns>();
const NO_PATTERNS: Patterns = [];

function patternsOf(node: SchemaNode): Patterns {
  const { patternProperties: given } = node;
  if (given === undefined) return NO_PATTERNS;
  return getOrInsert(patternsByNode, node, () =>
    Object.entries(given).map(([source, child]) => [new RegExp(source, 'u'), child]),
  );
}

function* problemsOfObject(node: SchemaNode, value: JsonObject, path: readonly string[]): Generator<SchemaProblem> {
  const { required = [], properties = {} } = node;
  const patterns = patternsOf(node);
  for (const key of required) {
    if (Object.hasOwn(value, key)) continue;
    yield { path: [...path, key], kind: 'missing', expected: describeSchema(properties[key]), actual: undefined };
  }
  if (node.additionalProperties === false) {
    const expected = Object.keys(properties).join(', ');
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(properties, key) || patterns.some(([pattern]) => pattern.test(key))) continue;
      yield { path: [...path, key], kind: 'unknown', expected, actual: undefined };
    }
  }
  for (const [pattern, child] of patterns) {
    for (const [key, entry] of Object.entries(value)) {
      if (pattern.test(key)) yield* findProblems(child, entry, [...path, key]);
    }
  }
  for (const [key, child] of Object.entries(properties)) {
    if (!Object.hasOwn(value, key)) continue;
    // JSON has no undefined: a property of that value is as good as absent, unless it is needed.
    if (value[key] === undefined && !required.includes(key)) continue;
    yield* findProblems(child, value[key], [...path, key]);
  }
}

function* problemsOfUnion(
  node: SchemaNode,
  branches: readonly SchemaNode[],
  value: unknown,
  path: readonly string[],
): Generator<SchemaProblem> {
  if (branches.some((branch) => findProblems(branch, value).next().done)) return;
  for (const branch of branches) yield* findProblems(branch, value, path);
  yield { path, kind: 'invalid', expected: describeSchema(node), actual: value };
}

/** Top-level keys that are null count as absent (wire-shapes, head). */
function withoutNulls(value: JsonObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null && entry !== undefined));
}

export interface CheckedRequest<S extends Schema> {
  readonly request: Static<S>;
  /** Top-level keys that the schema does not declare, sorted; reported, never refused. */
  readonly ignoredFields: readonly string[];
}

export interface RequestCheckOptions {
  /** Fields that are given by other means than the request. */
  readonly provided?: readonly string[];
  /** What the face calls a field: `--valid-at` for `valid_at`. */
  readonly nameOf?: ((field: string) => string) | undefined;
}

/** Checks the request of an operation. */
export function checkRequest<S extends Schema>(
  schema: S,
  value: unknown,
  options: RequestCheckOptions = {},
): CheckedRequest<S> {
  if (!isObject(value)) {
    throw new SvcError('invalid_request', `the request must be one JSON object, not ${showValue(value)}`);
  }
  const request = withoutNulls(value);
  const properties = schema.properties ?? {};
  const ignoredFields = Object.keys(request)
    .filter((key) => !Object.hasOwn(properties, key))
    .sort();
  for (const key of ignoredFields) delete request[key];
  const { provided = [], nameOf = (field: string) => `field '${field}'` } = options;
  for (const { kind, path, expected, actual } of findProblems(schema, request)) {
    const field = formatPath(path);
    if (kind === 'missing') {
      if (path.length === 1 && provided.includes(field)) continue;
      throw new SvcError('invalid_request', `missing '${field}' parameter`);
    }
    const given = kind === 'unknown' ? 'unknown' : showValue(actual);
    throw new SvcError('invalid_request', `${nameOf(field)} is ${given}; expected ${expected}`);
  }
  return { request: request as Static<S>, ignoredFields };
}
