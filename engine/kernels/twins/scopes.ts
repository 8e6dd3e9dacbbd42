/** Twin of `as/scopes.ts`: labels of blank nodes that wait for the scope of their document. */

import { joinBytes } from './bits.js';

const WAITING = /^\x01d\x01([0-9a-f]{15})/;

/** The number of the document whose scope stored bytes wait for, or null. */
export function awaitedDocument(stored: Uint8Array): number | null {
  const match = WAITING.exec(Buffer.from(stored).toString('latin1'));
  return match === null ? null : Number.parseInt(match[1] as string, 16);
}

/** Stored bytes with the 16 digits of their document's scope in place. */
export function withScope(stored: Uint8Array, scopes: readonly string[]): Uint8Array {
  const document = awaitedDocument(stored);
  if (document === null) return stored;
  return joinBytes([stored.subarray(0, 2), Buffer.from(scopes[document] as string), stored.subarray(18)]);
}
