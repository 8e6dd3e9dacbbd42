/**
 * The one spelling of a JSON value (RFC 8785): keys in the order of their UTF-16 units, no spaces, numbers and texts as
 * ECMAScript writes them. What is hashed as a share id is written here.
 */

import { invariant, SvcError } from '../base/errors.js';
import { isObject } from '../base/objects.js';

/** A surrogate without its other half: it has no UTF-8. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refusal('a number is beyond the range of a double');
    return JSON.stringify(value);
  }
  if (typeof value === 'string') return canonicalText(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  invariant(isObject(value), `canonical JSON is asked of JSON values, not of a ${typeof value}`);
  const members = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${members
    .sort()
    .map((key) => `${canonicalText(key)}:${canonicalJson(value[key])}`)
    .join(',')}}`;
}

function canonicalText(text: string): string {
  if (LONE_SURROGATE.test(text)) throw refusal('a text holds half of a surrogate pair');
  return JSON.stringify(text);
}

function refusal(what: string): SvcError {
  return new SvcError('invalid_request', `the value has no canonical JSON (RFC 8785): ${what}`);
}
