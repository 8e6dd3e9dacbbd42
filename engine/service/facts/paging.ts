/** Pages of lists: which part of a whole a caller wants. */

import { SvcError } from '../../base/errors.js';

export interface PageOptions {
  /** Most entries; absent = all. */
  readonly limit?: number | undefined;
  /** Entries that are passed over first; default 0. */
  readonly offset?: number | undefined;
}

export interface Window {
  readonly from: number;
  readonly to: number;
}

export function windowOf(options: PageOptions): Window {
  const { offset = 0, limit = Number.POSITIVE_INFINITY } = options;
  checkCount(offset, 'offset');
  if (limit !== Number.POSITIVE_INFINITY) checkCount(limit, 'limit');
  return { from: offset, to: offset + limit };
}

export function checkCount(value: unknown, name: string): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  throw new SvcError('invalid_request', `${name} is ${String(value)}; expected an integer of at least 0`);
}
