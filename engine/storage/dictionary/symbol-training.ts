/**
 * Trains the symbol table of a dictionary segment on a sample of its coded suffixes.
 *
 * 1. Code the sample with the table so far (by the kernel that codes the segment too), counting symbols
 *    and pairs of neighbours.
 * 2. Candidates are the symbols, their first bytes, and the joined neighbours up to 8 bytes; a candidate's
 *    gain is its count times its length.
 * 3. Keep the 255 best, and repeat five times from an empty table.
 *
 * Source: Boncz, Neumann and Leis, "FSST: fast random access string compression" (VLDB 2020), section 4.
 */

import { SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { freeSymbols, placeSymbols } from '../../kernels/symbol-table.js';

export const SYMBOLS_MAX = 255;
export const SYMBOL_BYTES_MAX = 8;
export const SAMPLE_BYTES = 48 * 1024;
const CHECKSUM_BYTES = 4;
const ROUNDS = 5;
const ESCAPE = 255;
/** Codes 0..254 are symbols; 256 + b is the escaped byte b. */
const CODES = 512;
/** An escape takes two bytes, so that a single byte is worth more than its length (section 4.3 of the paper). */
const SINGLE_BYTE_WEIGHT = 8;

export interface SymbolList {
  /** Each 1..8 bytes; the position is the code. */
  readonly symbols: readonly Uint8Array[];
}

/** How often codes and pairs of codes came up. */
class Counts {
  readonly single = new Uint32Array(CODES);
  readonly pairs = new Uint32Array(CODES * CODES);

  add(codes: Uint8Array): void {
    let before = -1;
    for (let at = 0; at < codes.length; at++) {
      let code = codes[at] as number;
      if (code === ESCAPE) code = 256 + (codes[++at] as number);
      this.single[code]!++;
      if (before >= 0) this.pairs[before * CODES + code]!++;
      before = code;
    }
  }
}

/** A table for strings like those of the sample, best gain first. */
export function trainSymbols(memory: ThreadMemory, sample: readonly Uint8Array[]): SymbolList {
  const longest = sample.reduce((most, text) => Math.max(most, text.length), 1);
  const input = memory.allocate(longest);
  const output = memory.allocate(2 * longest + 256);
  let symbols: readonly Uint8Array[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const table = placeSymbols(memory, symbols);
    const counts = new Counts();
    for (const text of sample) {
      memory.bytes.set(text, input);
      const length = memory.kernels.encodeSymbols(table, input, text.length, output);
      counts.add(memory.bytesAt(output, length));
    }
    freeSymbols(memory, table);
    symbols = best(symbols, counts);
  }
  memory.free(input, longest);
  memory.free(output, 2 * longest + 256);
  return { symbols };
}

/** The candidates with the greatest gain. */
function best(symbols: readonly Uint8Array[], counts: Counts): Uint8Array[] {
  const texts = Array.from({ length: CODES }, (_, code) =>
    code < ESCAPE ? Buffer.from(symbols[code] ?? []).toString('latin1') : String.fromCharCode(code & 255),
  );
  const gains = new Map<string, number>();
  const add = (text: string, count: number): void => {
    const weight = text.length === 1 ? SINGLE_BYTE_WEIGHT : text.length;
    gains.set(text, (gains.get(text) ?? 0) + count * weight);
  };
  for (let code = 0; code < CODES; code++) {
    const count = counts.single[code] as number;
    if (count === 0) continue;
    const text = texts[code] as string;
    add(text, count);
    if (text.length > 1) add(text.charAt(0), count);
    for (let next = 0; next < CODES; next++) {
      const pair = counts.pairs[code * CODES + next] as number;
      if (pair === 0) continue;
      const joined = text + (texts[next] as string);
      if (joined.length <= SYMBOL_BYTES_MAX) add(joined, pair);
    }
  }
  return [...gains]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, SYMBOLS_MAX)
    .map(([text]) => Buffer.from(text, 'latin1'));
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
