/**
 * Trains the symbol table of a dictionary segment on a sample of its coded suffixes.
 *
 * 1. Code the sample with the table so far, counting symbols and pairs of neighbours.
 * 2. Candidates are the symbols, their first bytes, and the joined neighbours up to 8 bytes; a candidate's gain is
 *    its count times its length.
 * 3. Keep the 255 best, and repeat five times from an empty table.
 *
 * Source: Boncz, Neumann and Leis, "FSST: fast random access string compression" (VLDB 2020), section 4.
 * Training takes some 50 ms on 16 KiB; the kernels code and decode (`kernels/as/symbols.ts`).
 */

import { SvcError } from '../../base/errors.js';

export const SYMBOLS_MAX = 255;
export const SYMBOL_BYTES_MAX = 8;
export const SAMPLE_BYTES = 16 * 1024;
const ROUNDS = 5;
const CHECKSUM_BYTES = 4;

export interface SymbolList {
  /** Each 1..8 bytes; the position is the code. */
  readonly symbols: readonly Uint8Array[];
}

/** Symbols as latin-1 strings, looked up by their first byte, longest first. */
class Table {
  readonly symbols: string[];
  readonly #byFirst: number[][] = Array.from({ length: 256 }, () => []);

  constructor(symbols: readonly string[]) {
    this.symbols = [...symbols];
    this.symbols.forEach((symbol, code) => {
      this.#byFirst[symbol.charCodeAt(0)]?.push(code);
    });
    for (const codes of this.#byFirst) codes.sort((a, b) => this.#length(b) - this.#length(a));
  }

  #length(code: number): number {
    return this.symbols[code]?.length ?? 0;
  }

  /** The code of the longest symbol at `at`, or -1. */
  longest(text: string, at: number): number {
    for (const code of this.#byFirst[text.charCodeAt(at)] ?? []) {
      if (text.startsWith(this.symbols[code] as string, at)) return code;
    }
    return -1;
  }
}

function count(table: Table, strings: readonly string[]): Map<string, number> {
  const gains = new Map<string, number>();
  const add = (symbol: string): void => {
    gains.set(symbol, (gains.get(symbol) ?? 0) + symbol.length);
  };
  for (const text of strings) {
    let before = '';
    for (let at = 0; at < text.length; ) {
      const code = table.longest(text, at);
      const symbol = code < 0 ? text.charAt(at) : (table.symbols[code] as string);
      add(symbol);
      if (symbol.length > 1) add(text.charAt(at));
      if (before !== '' && before.length + symbol.length <= SYMBOL_BYTES_MAX) add(before + symbol);
      before = symbol;
      at += symbol.length;
    }
  }
  return gains;
}

/** A table for strings like those of the sample, best gain first. */
export function trainSymbols(sample: readonly Uint8Array[]): SymbolList {
  const strings = sample.map((bytes) => Buffer.from(bytes).toString('latin1'));
  let table = new Table([]);
  for (let round = 0; round < ROUNDS; round++) {
    const gains = [...count(table, strings)];
    // A byte saved from an escape saves twice: favour single bytes as the paper does.
    for (const gain of gains) if (gain[0].length === 1) gain[1] *= 8;
    gains.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    table = new Table(gains.slice(0, SYMBOLS_MAX).map(([symbol]) => symbol));
  }
  return { symbols: table.symbols.map((symbol) => Buffer.from(symbol, 'latin1')) };
}

/** Stored form: count; per symbol its length and bytes; a checksum of all that. */
export function encodeSymbolList(list: SymbolList): Buffer {
  const parts = [Buffer.from([list.symbols.length])];
  for (const symbol of list.symbols) parts.push(Buffer.from([symbol.length]), Buffer.from(symbol));
  const bytes = Buffer.concat(parts);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(checksumOf(bytes));
  return Buffer.concat([bytes, checksum]);
}

/** Damage is refused: a wrong symbol would give wrong terms, and one that is too long breaks a bound of the decoder. */
export function decodeSymbolList(bytes: Uint8Array): SymbolList {
  const symbols: Uint8Array[] = [];
  const end = bytes.length - CHECKSUM_BYTES;
  let at = 1;
  for (let i = 0; i < (bytes[0] ?? 0) && at < end; i++) {
    const length = bytes[at] ?? 0;
    symbols.push(Uint8Array.from(bytes.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  const isSound =
    at === end &&
    symbols.length === bytes[0] &&
    symbols.every((symbol) => symbol.length > 0 && symbol.length <= SYMBOL_BYTES_MAX) &&
    Buffer.from(bytes.subarray(end)).readUInt32LE() === checksumOf(bytes.subarray(0, end));
  if (!isSound) throw new SvcError('store_corrupt', 'a symbol table of the dictionary is damaged');
  return { symbols };
}

/** FNV-1a, 32 bits. */
function checksumOf(bytes: Uint8Array): number {
  let h = 0x811c9dc5;
  for (const byte of bytes) h = Math.imul(h ^ byte, 0x01000193);
  return h >>> 0;
}
