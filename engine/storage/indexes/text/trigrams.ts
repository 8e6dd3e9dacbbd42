/**
 * The trigrams of a text: every three neighbouring bytes of its UTF-8 without case (`fold-case.ts`), and two zero bytes
 * behind it, so that the last bytes begin one as well and a text of one byte has some. A text that contains another has all
 * trigrams of it but those with the zero bytes.
 */

import { foldCase } from './fold-case.js';

const LOWER = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) LOWER[byte] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;

/** Reads the bytes of one text after another, without case, into the same memory. */
export class FoldedReader {
  bytes = Buffer.allocUnsafe(4096);
  /** Of the last text, without the zero bytes that stand behind it. */
  length = 0;

  /** The text is UTF-8, in `[from, to)`. */
  read(source: Uint8Array, from: number, to: number): void {
    const length = to - from;
    if (this.bytes.length < length + 2) this.bytes = Buffer.allocUnsafe(2 * length + 4096);
    const { bytes } = this;
    let or = 0;
    for (let i = 0; i < length; i++) {
      const byte = source[from + i] as number;
      or |= byte;
      bytes[i] = LOWER[byte] as number;
    }
    this.length = length;
    if (or >= 0x80) {
      const text = Buffer.from(source.buffer, source.byteOffset + from, length).toString('utf8');
      const folded = Buffer.from(foldCase(text));
      if (this.bytes.length < folded.length + 2) this.bytes = Buffer.allocUnsafe(2 * folded.length + 4096);
      this.bytes.set(folded);
      this.length = folded.length;
    }
    this.bytes[this.length] = 0;
    this.bytes[this.length + 1] = 0;
  }

  /** Whether a text, UTF-8 in `[from, to)`, contains another that is given without case. */
  holds(source: Uint8Array, from: number, to: number, folded: Uint8Array): boolean {
    let or = 0;
    for (let i = from; i < to; i++) or |= source[i] as number;
    if (or >= 0x80) {
      this.read(source, from, to);
      return this.bytes.subarray(0, this.length).includes(Buffer.from(folded));
    }
    const length = folded.length;
    const first = folded[0];
    for (let at = from; at + length <= to; at++) {
      if (LOWER[source[at] as number] !== first) continue;
      let i = 1;
      while (i < length && LOWER[source[at + i] as number] === folded[i]) i++;
      if (i >= length) return true;
    }
    return false;
  }
}

/** What every text that contains `text`, in any case, has: distinct keys of three bytes; fewer bytes = none. */
export function trigramsIn(folded: Buffer): Buffer[] {
  const keys = new Map<number, Buffer>();
  for (let i = 0; i + 2 < folded.length; i++) {
    const key = folded.subarray(i, i + 3);
    keys.set(key.readUIntBE(0, 3), key);
  }
  return [...keys.values()];
}
