/** Twin of `as/front-code.ts`: blocks of terms by the table at its head, without the checksum and the values. */

import { joinBytes } from './bits.js';
import { decodeSymbols, encodeSymbols, type Symbols } from './symbols.js';

const HEADER_BYTES = 16;
const GROUP_TERMS = 32;

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

function sharedPrefix(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return i;
  return length;
}

function entryOf(term: Uint8Array, before: Uint8Array | null, symbols: Symbols | null): Uint8Array {
  const shared = before === null ? 0 : sharedPrefix(before, term);
  const suffix = term.subarray(shared);
  const coded = symbols === null ? suffix : encodeSymbols(symbols, suffix);
  const head = before === null ? [] : [varint(shared)];
  return joinBytes([...head, varint(coded.length), coded]);
}

/** As many of the terms as fit `capacity` bytes, at least one. */
export function encodeTermBlock(
  terms: readonly Uint8Array[],
  symbols: Symbols | null,
  capacity: number,
): { readonly block: Uint8Array; readonly count: number } {
  const entries: Uint8Array[] = [];
  const groups: number[] = [];
  let at = HEADER_BYTES;
  for (const [i, term] of terms.entries()) {
    const opens = i % GROUP_TERMS === 0;
    const entry = entryOf(term, opens ? null : (terms[i - 1] as Uint8Array), symbols);
    const groupBytes = 2 * (groups.length + (opens ? 1 : 0));
    if (i > 0 && at + entry.length + groupBytes > capacity) break;
    if (opens) groups.push(at);
    entries.push(entry);
    at += entry.length;
  }
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16LE(entries.length, 4);
  header.writeUInt8(symbols === null ? 0 : 1, 6);
  header.writeUInt32LE(at, 8);
  header.writeUInt32LE(
    terms.slice(0, entries.length).reduce((sum, term) => sum + term.length, 0),
    12,
  );
  const trailer = Buffer.alloc(2 * groups.length);
  groups.forEach((offset, i) => {
    trailer.writeUInt16LE(offset, 2 * i);
  });
  return { block: joinBytes([header, ...entries, trailer]), count: entries.length };
}

/** All terms of a sound block. */
export function decodeTermBlock(block: Uint8Array, symbols: Symbols | null): Uint8Array[] {
  const view = Buffer.from(block);
  const trailer = view.readUInt32LE(8);
  const terms: Uint8Array[] = [];
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = view.readUInt8(at++);
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  for (let i = 0; i < view.readUInt16LE(4); i++) {
    const opens = i % GROUP_TERMS === 0;
    if (opens) at = view.readUInt16LE(trailer + 2 * (i / GROUP_TERMS));
    const prefix = opens ? new Uint8Array(0) : (terms[i - 1] as Uint8Array).subarray(0, readVarint());
    const length = readVarint();
    const coded = block.subarray(at, at + length);
    at += length;
    terms.push(joinBytes([prefix, symbols === null ? coded : decodeSymbols(symbols, coded)]));
  }
  return terms;
}
