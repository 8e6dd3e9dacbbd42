/**
 * The JSON of a request from its bytes: every face that takes JSON takes it by these words. Depth and number of values are
 * counted before anything is made of them, so that a body of the largest size holds no more than its bytes say.
 */

import { SvcError } from '../../base/errors.js';
import { parseWithExactIntegers } from './exact-integers.js';

export type JsonRequest = Record<string, unknown>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

export function decodeText(bytes: Uint8Array, what = 'the body'): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new SvcError('invalid_utf8', `${what} is not UTF-8`, { cause });
  }
}

/** No request of ours nests as deep; whatever walks a value later may do so by recursion. */
const JSON_DEPTH_MAX = 200;
/** Texts may be as long as a body; members and entries cost many times their bytes, and travel between threads. */
const JSON_VALUES_MAX = 2_000_000;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\,[]{}'].map((character) =>
  character.charCodeAt(0),
);

/** After the quote that ends the string whose text begins at `from`. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(QUOTE as number, from); at >= 0; at = bytes.indexOf(QUOTE as number, at + 1)) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  return bytes.length;
}

/** Judges the marks outside of strings; whether they are JSON at all is for the parser to say. */
function checkExtent(bytes: Buffer, what: string): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at++];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) values++;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth++;
      values++;
    }
    if (depth > JSON_DEPTH_MAX) {
      throw new SvcError('invalid_request', `${what} nests deeper than ${JSON_DEPTH_MAX} levels`);
    }
    if (values > JSON_VALUES_MAX) {
      throw new SvcError('invalid_request', `${what} has more than ${JSON_VALUES_MAX} values`);
    }
  }
}

/** As JSON can write them: everything else in a text that was UTF-8 is whole. */
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;
const HALF_A_PAIR = /\p{Surrogate}/u;

function hasHalfAPair(value: unknown): boolean {
  if (typeof value === 'string') return HALF_A_PAIR.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, entry]) => HALF_A_PAIR.test(key) || hasHalfAPair(entry));
}

/** Names of fields are not judged: one that nobody declared is no error, whatever it is called. */
function fieldHasHalfAPair(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return hasHalfAPair(value);
  return Object.values(value).some(hasHalfAPair);
}

/** Any JSON value within the bounds of a request; errors call it `what`. */
export function parseJsonValue(bytes: Uint8Array, what = 'the body'): unknown {
  checkExtent(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), what);
  const text = decodeText(bytes, what);
  let value: unknown;
  try {
    value = parseWithExactIntegers(text);
  } catch (cause) {
    throw new SvcError('invalid_request', `${what} is not JSON: ${(cause as Error).message}`, { cause });
  }
  if (ESCAPED_SURROGATE.test(text) && fieldHasHalfAPair(value)) {
    throw new SvcError(
      'invalid_utf8',
      `${what} holds half of a surrogate pair (\\ud800 to \\udfff), which is no character`,
    );
  }
  return value;
}

export function parseJsonRequest(bytes: Uint8Array, what = 'the body'): JsonRequest {
  const value = parseJsonValue(bytes, what);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SvcError('invalid_request', `${what} is not a JSON object`);
  }
  return value as JsonRequest;
}
