/** A symbol table in kernel memory; the layout is at the head of `as/symbols.ts`. */

import type { ThreadMemory } from './memory.js';

export const SYMBOL_TABLE_BYTES = 133376 + 2048 * 16;
const LENGTHS_AT = 2048;

/** Writes symbols (1..8 bytes each, at most 255) and prepares coding; returns the table's address. */
export function placeSymbols(memory: ThreadMemory, symbols: readonly Uint8Array[]): number {
  const table = memory.allocate(SYMBOL_TABLE_BYTES);
  const bytes = memory.bytesAt(table, SYMBOL_TABLE_BYTES);
  bytes.fill(0, 0, LENGTHS_AT + 256);
  symbols.forEach((symbol, code) => {
    bytes.set(symbol, code * 8);
    bytes[LENGTHS_AT + code] = symbol.length;
  });
  memory.kernels.prepareSymbols(table, symbols.length);
  return table;
}

export function freeSymbols(memory: ThreadMemory, table: number): void {
  memory.free(table, SYMBOL_TABLE_BYTES);
}
