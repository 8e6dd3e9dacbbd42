/**
 * Twin of `as/symbols.ts`. The choice of symbols is part of the twin: long symbols share a table of
 * 2,048 places, addressed by their first three bytes, in which the first comer stays; a long text is
 * cut in four, and no symbol reaches over a cut.
 */

import { joinBytes } from './bits.js';

const ESCAPE = 255;
const PLACES_BITS = 11;
const CUT_LENGTH_MIN = 96;

export type Symbols = readonly Uint8Array[];

function placeOf(bytes: Uint8Array): number {
  const three = (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8) | ((bytes[2] ?? 0) << 16);
  return Math.imul(three, 0x9e3779b1) >>> (32 - PLACES_BITS);
}

/** The code of the symbol that the text begins with, or -1. */
function codeOf(symbols: Symbols, text: Uint8Array): number {
  const begins = (symbol: Uint8Array) => symbol.every((byte, i) => text[i] === byte);
  const place = placeOf(text);
  const long = symbols.findIndex((symbol) => symbol.length > 2 && placeOf(symbol) === place);
  if (long >= 0 && begins(symbols[long] as Uint8Array)) return long;
  const pair = symbols.findIndex(
    (symbol) => symbol.length === 2 && symbol[0] === text[0] && symbol[1] === (text[1] ?? 0),
  );
  // A pair of the last byte and a zero hides the symbol of that byte alone.
  if (pair >= 0) return text.length > 1 ? pair : -1;
  return symbols.findIndex((symbol) => symbol.length === 1 && begins(symbol));
}

export function encodeSymbols(symbols: Symbols, text: Uint8Array): Uint8Array {
  if (text.length < CUT_LENGTH_MIN) return encodeStretch(symbols, text);
  const quarter = Math.floor(text.length / 4);
  const cuts = [0, quarter, 2 * quarter, 3 * quarter, text.length];
  return joinBytes([0, 1, 2, 3].map((i) => encodeStretch(symbols, text.subarray(cuts[i], cuts[i + 1]))));
}

function encodeStretch(symbols: Symbols, text: Uint8Array): Uint8Array {
  const codes: number[] = [];
  for (let at = 0; at < text.length; ) {
    const code = codeOf(symbols, text.subarray(at));
    if (code < 0) codes.push(ESCAPE, text[at] as number);
    else codes.push(code);
    at += code < 0 ? 1 : (symbols[code] as Uint8Array).length;
  }
  return Uint8Array.from(codes);
}

export function decodeSymbols(symbols: Symbols, codes: Uint8Array): Uint8Array {
  const text: number[] = [];
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number;
    if (code === ESCAPE) text.push(codes[++at] as number);
    else text.push(...(symbols[code] ?? []));
  }
  return Uint8Array.from(text);
}
