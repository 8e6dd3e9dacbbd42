/** Twin of `as/scopes.ts`: labels of blank nodes that wait for the scope of their document. */

import { joinBytes } from './bits.js';

const KIND_BLANK = 1;
const MARK = [KIND_BLANK, 0x64, 1];
const DIGITS = /^[0-9a-f]{15}$/;

/** The number of the document whose scope stored bytes wait for, or null. */
export function awaitedDocument(stored: Uint8Array): number | null {
  const digits = Buffer.from(stored.subarray(3, 18)).toString('latin1');
  const waits = MARK.every((byte, i) => stored[i] === byte) && DIGITS.test(digits);
  return waits ? Number.parseInt(digits, 16) : null;
}

/** Stored bytes with the 16 digits of their document's scope in place. */
export function withScope(stored: Uint8Array, scopes: readonly string[]): Uint8Array {
  const document = awaitedDocument(stored);
  if (document === null) return stored;
  return joinBytes([stored.subarray(0, 2), Buffer.from(scopes[document] as string), stored.subarray(18)]);
}
