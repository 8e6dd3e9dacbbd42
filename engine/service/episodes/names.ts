/** From names to IRIs (wire shapes, 6.2): what stands behind the namespace, and what keeps apart names that would give the same. */

import { createHash } from 'node:crypto';

const OUTSIDE = /[^A-Za-z0-9._-]/gu;
const PLAIN = /^[A-Za-z0-9._-]+$/;

/** Every character, not every UTF-16 unit, outside of `[A-Za-z0-9._-]` becomes one `_`. */
export function localName(name: string): string {
  return name.replace(OUTSIDE, '_');
}

/** Whether a text stands for itself behind a namespace. */
export function isPlainName(text: string): boolean {
  return PLAIN.test(text);
}

export const EPISODE_PREFIX = 'episode_';

/** The source of the transactions of an episode. */
export function sourceOfEpisode(name: string): string {
  return `episode:${name}`;
}

/** Digits of a name's hash behind an IRI that another name has; more of them where even that is taken. */
const SUFFIX_DIGITS = [8, 16, 32, 64] as const;

/** What a name is minted as where that is free, else with longer and longer parts of its hash; undefined after the last. */
export function mintedIri(namespace: string, name: string, attempt = 0): string | undefined {
  const plain = namespace + localName(name);
  if (attempt === 0) return plain;
  const digits = SUFFIX_DIGITS[attempt - 1];
  if (digits === undefined) return undefined;
  return `${plain}_${createHash('sha256').update(name, 'utf8').digest('hex').slice(0, digits)}`;
}

/** All that a name may be minted as, each made when it is asked for. */
export function* mintedIris(namespace: string, name: string): Generator<string> {
  for (let attempt = 0; attempt <= SUFFIX_DIGITS.length; attempt++) yield mintedIri(namespace, name, attempt) as string;
}

/** Whether a name may be minted as that IRI. */
export function isMintedAs(namespace: string, name: string, iri: string): boolean {
  if (!iri.startsWith(namespace + localName(name))) return false;
  for (const minted of mintedIris(namespace, name)) if (minted === iri) return true;
  return false;
}

const PRIME_LOW = 0x1b3;
const OFFSET = [0x2325, 0x8422, 0x9ce4, 0xcbf2] as const;

/**
 * FNV-1a of the UTF-8 bytes of a text, 64 bits, as 16 hex digits. Four parts of 16 bits, so that products stay exact:
 * the prime is 2^40 + 0x1b3.
 */
export function fnv64(text: string): string {
  let [a, b, c, d] = OFFSET as readonly [number, number, number, number];
  for (const byte of Buffer.from(text, 'utf8')) {
    a ^= byte;
    const low = a * PRIME_LOW;
    const second = b * PRIME_LOW + (low >>> 16);
    const third = c * PRIME_LOW + (a << 8) + Math.floor(second / 0x10000);
    const fourth = d * PRIME_LOW + (b << 8) + Math.floor(third / 0x10000);
    a = low & 0xffff;
    b = second & 0xffff;
    c = third & 0xffff;
    d = fourth & 0xffff;
  }
  return [d, c, b, a].map((part) => part.toString(16).padStart(4, '0')).join('');
}
