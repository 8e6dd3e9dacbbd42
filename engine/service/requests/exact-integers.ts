/**
 * JSON in which integers of values keep all their digits: those of `{"int": 9007199254740993}` and of the properties of
 * nodes, which are literals (wire-shapes 3.1: as written). Any other number is the double that JavaScript makes of it.
 */
import { randomUUID } from 'node:crypto';

/** An integer that a double may not hold, outside of strings or not: whether to look closer. */
const LONG_INTEGER = /\d{16}/;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;
/** A random word, so that no text of a request can pass for such a number. */
const MARK = `${randomUUID()}:`;

/** Members whose numbers are literals, at any depth below. */
const LITERALS = new Set(['int', 'properties']);

/** As `JSON.parse`, with a bigint for each integer of a value that a double would change. Throws what that throws. */
export function parseWithExactIntegers(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  // What is no JSON fails with the message for its own text.
  const plain: unknown = JSON.parse(text);
  let marked = false;
  const guarded = text.replace(TOKEN, (token) => {
    if (!INTEGER.test(token) || Number.isSafeInteger(Number(token))) return token;
    marked = true;
    return `"${MARK}${token}"`;
  });
  return marked ? settled(JSON.parse(guarded), false) : plain;
}

function settled(value: unknown, isLiteral: boolean): unknown {
  if (typeof value === 'string' && value.startsWith(MARK)) {
    const digits = value.slice(MARK.length);
    return isLiteral ? BigInt(digits) : Number(digits);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => settled(entry, isLiteral));
  for (const [key, entry] of Object.entries(value)) {
    const now = settled(entry, isLiteral || LITERALS.has(key));
    // Written as its own: a member may be called __proto__.
    if (now !== entry)
      Object.defineProperty(value, key, { value: now, enumerable: true, configurable: true, writable: true });
  }
  return value;
}
