/** The JSON object of a request from its bytes: every face that takes JSON takes it by these words. */

import { SvcError } from '../base/errors.js';

export type JsonRequest = Record<string, unknown>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new SvcError('invalid_utf8', 'the body is not UTF-8', { cause });
  }
}

/** No request of ours nests as deep; whatever walks a value later may do so by recursion. */
const JSON_DEPTH_MAX = 200;

function nestsTooDeeply(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > JSON_DEPTH_MAX) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** Any JSON value that nests no deeper than requests may. */
export function parseJsonValue(bytes: Uint8Array): unknown {
  const text = decodeText(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SvcError('invalid_request', `the body is not JSON: ${(cause as Error).message}`, { cause });
  }
  if (nestsTooDeeply(value)) {
    throw new SvcError('invalid_request', `the body nests deeper than ${JSON_DEPTH_MAX} levels`);
  }
  return value;
}

export function parseJsonRequest(bytes: Uint8Array): JsonRequest {
  const value = parseJsonValue(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SvcError('invalid_request', 'the body is not a JSON object');
  }
  return value as JsonRequest;
}
