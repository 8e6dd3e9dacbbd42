/** Numbers packed by a fixed count of bits, lowest bit first, as the blocks of the storage engine hold them. */

const WORD_MASK = (1n << 64n) - 1n;

/** Bits that a value needs. */
export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** The `width` bits of `bytes` from bit `from` on. */
export function readBits(bytes: Uint8Array, from: number, width: number): bigint {
  if (width === 0) return 0n;
  const first = Math.floor(from / 8);
  const last = Math.floor((from + width - 1) / 8);
  let value = 0n;
  for (let at = last; at >= first; at--) value = (value << 8n) | BigInt(bytes[at]!);
  return (value >> BigInt(from % 8)) & ((1n << BigInt(width)) - 1n);
}

/** The values one behind the other, in whole bytes. */
export function packBits(values: readonly bigint[], width: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((values.length * width) / 8));
  values.forEach((value, i) => {
    for (let bit = 0; bit < width; bit++) {
      const at = i * width + bit;
      if ((value >> BigInt(bit)) & 1n) bytes[Math.floor(at / 8)]! |= 1 << (at % 8);
    }
  });
  return bytes;
}

/** Little-endian words of a text, the last one padded with zeros. */
export function wordsOf(bytes: Uint8Array): bigint[] {
  const words: bigint[] = [];
  for (let at = 0; at < bytes.length; at += 8) {
    words.push(readBits(bytes.subarray(at, at + 8), 0, 8 * Math.min(8, bytes.length - at)));
  }
  return words;
}

/** A number as it is in 64 bits. */
export function wrap(value: bigint): bigint {
  return value & WORD_MASK;
}

export function rotateLeft(value: bigint, bits: number): bigint {
  return wrap((value << BigInt(bits)) | (value >> BigInt(64 - bits)));
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
