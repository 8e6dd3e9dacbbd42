/**
 * Schemas of requests, answers and configuration: JSON Schema objects with static types, and the
 * check that turns a value from outside into a typed one or into an error that names the field and
 * what is expected there.
 *
 * `typebox` stands behind this file: it builds plain JSON Schema, which HTTP descriptions and tools
 * publish as it is, and infers the TypeScript type from the same text. Hand-written schemas plus
 * hand-written types would replace it.
 */

import Type, { type Static, type TSchema } from 'typebox';
import { Errors } from 'typebox/schema';
import { SvcError } from '../base/errors.js';

export type { Static, TSchema };
export { Type };

/** A string that is one of a few words; in JSON Schema an `enum`. */
export function oneOf<const Words extends readonly string[]>(words: Words, options: { description?: string } = {}) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });
}

interface SchemaNode {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

export interface SchemaProblem {
  /** Keys from the outermost to the one that is wrong. */
  readonly path: readonly string[];
  readonly kind: 'missing' | 'unknown' | 'invalid';
  readonly expected: string;
  readonly actual: unknown;
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

/** `#/properties/a/items` in the schema. */
function nodeAt(schema: TSchema, pointer: string): SchemaNode | undefined {
  let node: unknown = schema;
  for (const step of pointer.split('/').slice(1)) {
    node = (node as Record<string, unknown> | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return node as SchemaNode | undefined;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at: unknown = value;
  for (const key of path) at = (at as Record<string, unknown> | undefined)?.[key];
  return at;
}

/** Everything that is wrong with a value, outermost first; empty when it fits. */
export function findProblems(schema: TSchema, value: unknown): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  for (const error of Errors(schema, value)[1]) {
    // The schema `false` behind an undeclared key; `additionalProperties` tells the same better.
    if (error.keyword === 'boolean') continue;
    const path = error.instancePath.split('/').slice(1);
    const node = nodeAt(schema, error.schemaPath);
    if (error.keyword === 'required') {
      for (const key of (error.params as { requiredProperties: string[] }).requiredProperties) {
        problems.push({
          path: [...path, key],
          kind: 'missing',
          expected: describeSchema(node?.properties?.[key]),
          actual: undefined,
        });
      }
    } else if (error.keyword === 'additionalProperties') {
      for (const key of (error.params as { additionalProperties: string[] }).additionalProperties) {
        problems.push({
          path: [...path, key],
          kind: 'unknown',
          expected: Object.keys(node?.properties ?? {}).join(', '),
          actual: undefined,
        });
      }
    } else {
      problems.push({ path, kind: 'invalid', expected: describeSchema(node), actual: valueAt(value, path) });
    }
  }
  return problems;
}

export function showValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Top-level keys that are null count as absent (wire-shapes, head). */
function withoutNulls(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null && entry !== undefined));
}

export interface CheckedRequest<Schema extends TSchema> {
  readonly request: Static<Schema>;
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
export function checkRequest<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  options: RequestCheckOptions = {},
): CheckedRequest<Schema> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SvcError('invalid_request', `the request must be one JSON object, not ${showValue(value)}`);
  }
  const request = withoutNulls(value as Record<string, unknown>);
  const properties = (schema as SchemaNode).properties ?? {};
  const ignoredFields = Object.keys(request)
    .filter((key) => !Object.hasOwn(properties, key))
    .sort();
  for (const key of ignoredFields) delete request[key];
  const { provided = [], nameOf = (field: string) => `field '${field}'` } = options;
  const problem = findProblems(schema, request).find(
    ({ kind, path }) => kind !== 'missing' || path.length > 1 || !provided.includes(path[0] as string),
  );
  if (problem === undefined) return { request: request as Static<Schema>, ignoredFields };
  const field = problem.path.join('.');
  if (problem.kind === 'missing') throw new SvcError('invalid_request', `missing '${field}' parameter`);
  const actual = problem.kind === 'unknown' ? 'unknown' : showValue(problem.actual);
  throw new SvcError('invalid_request', `${nameOf(field)} is ${actual}; expected ${problem.expected}`);
}
