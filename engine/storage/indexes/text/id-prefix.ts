/** What stands before the term number in the id of a text: its upper 16 bits, the tag and the auxiliary byte. */

import { TERM_KIND as KIND } from '../../../kernels/as/term-codes.js';
import { qualifierOf } from '../../dictionary/stored-term.js';
import { datatypeCode, TAG, type TermId } from '../../ids/layout.js';

const TAG_OF_KIND = new Uint8Array(16);
TAG_OF_KIND[KIND.iri] = TAG.iri;
TAG_OF_KIND[KIND.string] = TAG.string;
TAG_OF_KIND[KIND.language] = TAG.langString;
TAG_OF_KIND[KIND.direction] = TAG.dirLangString;
TAG_OF_KIND[KIND.typed] = TAG.typed;

export const IRI_PREFIX = TAG.iri << 8;

/** Of the stored bytes of a literal or an IRI. */
export function idPrefixOf(bytes: Buffer, from: number, to: number): number {
  const kind = bytes[from] as number;
  const tag = TAG_OF_KIND[kind] as number;
  if (kind !== KIND.typed) return tag << 8;
  return (tag << 8) | datatypeCode(qualifierOf(bytes.subarray(from, to)));
}

/** The upper half of the ids with a prefix. */
export function upperHalf(prefix: number): number {
  return (prefix << 16) >>> 0;
}

export function idWith(prefix: number, number: number): TermId {
  return (BigInt(prefix) << 48n) | BigInt(number);
}

/** The key of all texts of a segment whose ids have a prefix; its first byte is none of UTF-8. */
export function prefixKey(prefix: number): Buffer {
  return Buffer.of(0xff, prefix >>> 8, prefix & 0xff);
}

/** What such a key begins with. */
export const PREFIX_KEYS = Buffer.of(0xff);

export function prefixOfKey(key: Uint8Array): number {
  return ((key[1] as number) << 8) | (key[2] as number);
}
