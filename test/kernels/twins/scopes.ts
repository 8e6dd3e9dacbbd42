/** Twin of `as/scopes.ts`: labels of blank nodes that wait for the scope of their document. */

import { joinBytes } from './bits.js';

const KIND_BLANK = 1;
const KIND_TRIPLE = 7;
const SCOPE_BYTES = 17;
const DIGITS = /^[0-9a-f]{15}$/;

/** Where in stored bytes a label stands that waits, with the number of its document. */
interface Awaited {
  readonly at: number;
  readonly document: number;
}

function awaitedIn(stored: Uint8Array): Awaited[] {
  const found: Awaited[] = [];
  const last = stored[0] === KIND_TRIPLE ? stored.length - SCOPE_BYTES : stored[0] === KIND_BLANK ? 1 : 0;
  for (let at = 1; at <= last; at++) {
    const digits = Buffer.from(stored.subarray(at + 2, at + SCOPE_BYTES)).toString('latin1');
    const waits = stored[at] === 0x64 && stored[at + 1] === 1 && DIGITS.test(digits);
    if (waits) found.push({ at, document: Number.parseInt(digits, 16) });
  }
  return found;
}

/** The numbers of the documents whose scopes stored bytes wait for. */
export function awaitedDocuments(stored: Uint8Array): number[] {
  return awaitedIn(stored).map(({ document }) => document);
}

/** Stored bytes with the 16 digits of their documents' scopes in place. */
export function withScope(stored: Uint8Array, scopes: readonly string[]): Uint8Array {
  return awaitedIn(stored).reduce(
    (bytes, { at, document }) =>
      joinBytes([bytes.subarray(0, at + 1), Buffer.from(scopes[document] as string), bytes.subarray(at + SCOPE_BYTES)]),
    stored,
  );
}
