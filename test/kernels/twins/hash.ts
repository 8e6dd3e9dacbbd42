/**
 * Twin of `as/hash.ts`: SipHash with any number of rounds and 128 bits of output, as the paper of
 * Aumasson and Bernstein (2012) and the authors' 128-bit variant define it, over a list of words.
 */

import { rotateLeft, wordsOf, wrap } from './bits.js';

export type Seed = readonly [low: bigint, high: bigint];
export type Fingerprint = readonly [first: bigint, second: bigint];

const COMPRESSIONS = 1;
const FINALISATIONS = 3;

class SipState {
  v: [bigint, bigint, bigint, bigint];

  constructor([low, high]: Seed) {
    const ascii = (text: string) => BigInt(`0x${Buffer.from(text, 'latin1').toString('hex')}`);
    this.v = [
      low ^ ascii('somepseu'),
      high ^ ascii('dorandom') ^ 0xeen,
      low ^ ascii('lygenera'),
      high ^ ascii('tedbytes'),
    ];
  }

  /** Figure 2.1 of the paper. */
  rounds(count: number): void {
    let [a, b, c, d] = this.v;
    for (let i = 0; i < count; i++) {
      a = wrap(a + b);
      c = wrap(c + d);
      b = rotateLeft(b, 13) ^ a;
      d = rotateLeft(d, 16) ^ c;
      a = rotateLeft(a, 32);
      c = wrap(c + b);
      a = wrap(a + d);
      b = rotateLeft(b, 17) ^ c;
      d = rotateLeft(d, 21) ^ a;
      c = rotateLeft(c, 32);
    }
    this.v = [a, b, c, d];
  }

  take(word: bigint, compressions: number): void {
    this.v[3] ^= word;
    this.rounds(compressions);
    this.v[0] ^= word;
  }

  get folded(): bigint {
    return this.v[0] ^ this.v[1] ^ this.v[2] ^ this.v[3];
  }
}

/** SipHash-c-d-128 of words that are padded already. */
export function sipHash(
  words: readonly bigint[],
  seed: Seed,
  compressions: number,
  finalisations: number,
): Fingerprint {
  const state = new SipState(seed);
  for (const word of words) state.take(word, compressions);
  state.v[2] ^= 0xeen;
  state.rounds(finalisations);
  const first = state.folded;
  state.v[1] ^= 0xddn;
  state.rounds(finalisations);
  return [first, state.folded];
}

/** The words of a byte message: the last one ends in the message's length. */
export function messageWords(message: Uint8Array): bigint[] {
  const whole = message.length - (message.length % 8);
  const tail = Buffer.alloc(8);
  tail.set(message.subarray(whole));
  tail[7] = message.length & 255;
  return [...wordsOf(message.subarray(0, whole)), tail.readBigUInt64LE()];
}

/** The fingerprint of a term: language tags in lower case. */
export function hashTerm(seed: Seed, kind: number, qualifier: Uint8Array, lexical: Uint8Array): Fingerprint {
  const head = BigInt(kind) | (BigInt(qualifier.length) << 8n) | (BigInt(lexical.length) << 32n);
  const words = wordsOf(kind === 4 || kind === 5 ? lowerCase(qualifier) : qualifier);
  return sipHash([head, ...words, ...wordsOf(lexical)], seed, COMPRESSIONS, FINALISATIONS);
}

/** A language tag in lower case: its letters get a bit that digits and hyphens have. */
export function lowerCase(tag: Uint8Array): Uint8Array {
  return tag.map((byte) => byte | 0x20);
}

/**
 * The checksum of stored bytes. Words go by turns into two lanes; a last, incomplete word always
 * goes into the second.
 */
export function checksum(bytes: Uint8Array): number {
  const first = 0xff51afd7ed558ccdn;
  let a = 0x9e3779b97f4a7c15n ^ BigInt(bytes.length);
  let b = 0xd6e8feb86659fd93n;
  const whole = Math.floor(bytes.length / 8);
  wordsOf(bytes).forEach((word, i) => {
    if (i % 2 === 0 && i < whole) a = rotateLeft(wrap((a ^ word) * first), 29);
    else b = rotateLeft(wrap((b + word) * 0xc4ceb9fe1a85ec53n), 31);
  });
  a ^= wrap(b * 0x9e3779b97f4a7c15n);
  a ^= a >> 32n;
  return Number(wrap(a * first) >> 32n);
}
