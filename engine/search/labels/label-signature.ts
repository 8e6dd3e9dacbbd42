/**
 * Which code points a text has, and how often, as 128 bits: the k-th code point of a slot sets the bit `slot + 37 k`. A bit
 * that only one of two texts has is a code point that the other lacks, so that the bits bound how many they share.
 */

export const WORDS = 4;
const SLOTS = 128;
/** Prime to the slots, and takes a second letter of a kind to where few first ones are. */
const STEP = 37;

const counts = new Uint8Array(SLOTS);

/** Writes the signature of a text at a place of a column. */
export function putSignature(points: Uint32Array, into: Int32Array, at: number): void {
  into.fill(0, at, at + WORDS);
  for (let i = 0; i < points.length; i++) {
    const slot = (points[i] as number) & (SLOTS - 1);
    const bit = (slot + STEP * (counts[slot] as number)) & (SLOTS - 1);
    into[at + (bit >>> 5)] = (into[at + (bit >>> 5)] as number) | (1 << (bit & 31));
    if ((counts[slot] as number) < 255) counts[slot] = (counts[slot] as number) + 1;
  }
  for (let i = 0; i < points.length; i++) counts[(points[i] as number) & (SLOTS - 1)] = 0;
}

/** How many bits a word has; in 32-bit integers throughout, which is what makes it fast. */
export function bitsOf(word: number): number {
  const pairs = (word - ((word >>> 1) & 0x55555555)) | 0;
  const nibbles = ((pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)) | 0;
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const BOOST_ABOVE = 0.7;
const PREFIX_WEIGHT = 0.1;

/** No pair of these lengths with so many matches and such a common prefix scores more. */
export function boundOf(matches: number, a: number, b: number, prefix: number): number {
  if (a === 0 && b === 0) return 1;
  if (matches <= 0) return 0;
  const jaro = (Math.min(1, matches / a) + Math.min(1, matches / b) + 1) / 3;
  return jaro <= BOOST_ABOVE ? jaro : jaro + PREFIX_WEIGHT * prefix * (1 - jaro);
}
