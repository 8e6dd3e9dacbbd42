/** Random values for kernels, with the edges of 64 bits and of strings among them. */

import fc from 'fast-check';

export const U64_MAX = (1n << 64n) - 1n;

export const RUNS = Number(process.env.SVC_FUZZ_RUNS ?? 200);

export const u64 = fc.oneof(
  fc.bigInt({ min: 0n, max: U64_MAX }),
  fc.bigInt({ min: 0n, max: 20n }),
  fc.bigInt({ min: U64_MAX - 20n, max: U64_MAX }),
  fc.constantFrom(1n << 63n, (1n << 63n) - 1n, 1n << 32n, (1n << 32n) - 1n),
);

/** Few different values, the edges among them, so that equal ones meet. */
export const few = fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.constantFrom(U64_MAX, U64_MAX - 1n, 1n << 63n));

/** Ids as the store has them: few tags, payloads near each other. */
export const id = fc
  .tuple(fc.constantFrom(0x10n, 0x20n, 0x30n, 0x33n, 0x38n, 0x3cn, 0xffn), fc.nat({ max: 2000 }))
  .map(([tag, payload]) => (tag << 56n) | BigInt(payload));

/** Bytes whose prefixes are often shared, with many zeros, and often longer than a few words. */
export const text: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.constantFrom('', 'http://example.org/', 'http://example.org/things/number/', '\0\0\0\0\0\0\0\0', 'aaaaaaaa'),
    fc.uint8Array({ maxLength: 20 }),
    fc.array(fc.constantFrom(0, 0, 97, 98, 255), { maxLength: 20 }),
  )
  .map(([prefix, any, few]) => Buffer.concat([Buffer.from(prefix), any.length % 3 === 0 ? any : Buffer.from(few)]));

export function distinctTexts(texts: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(texts.map((bytes) => [Buffer.from(bytes).toString('latin1'), bytes])).values()];
}

/** A generator of numbers in [0, 1) from a seed, for cases that are too large to shrink. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
