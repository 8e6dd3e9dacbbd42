/**
 * The 64-bit term id. One id per term; the id of a literal whose lexical form can be regenerated
 * exactly is its value, so that filters, sorts and aggregates need no dictionary.
 *
 * | bits   | meaning                                                                  |
 * |--------|--------------------------------------------------------------------------|
 * | 63..56 | tag, in SPARQL's order of kinds: unbound, blank, IRI, literals, triple    |
 * | 55..48 | auxiliary: datatype code, decimal scale, or zone code                     |
 * | 47..0  | payload: term number in the dictionary, or the inlined value              |
 *
 * Signed inlined values are biased by 2^47, so that unsigned order is value order within one tag
 * and auxiliary byte. Tags and codes stand in `kernels/as/term-codes.ts`, which the kernels read too.
 */

import { TAG, TYPE_CODE } from '../../kernels/as/term-codes.js';

export type TermId = bigint & { readonly __brand?: 'TermId' };
export type TxId = number & { readonly __brand?: 'TxId' };
/** Seconds since 1970-01-01T00:00:00Z, whole. */
export type Instant = number & { readonly __brand?: 'Instant' };

export { TAG };

export const PAYLOAD_BITS = 48n;
export const PAYLOAD_MASK = (1n << PAYLOAD_BITS) - 1n;
export const BIAS = 1n << 47n;

/** The greatest term number: 2^48 - 1. */
export const TERM_NUMBER_MAX = Number(PAYLOAD_MASK);

export const UNBOUND: TermId = 0n;

/** The ROOT graph's IRI is term 1 of every store. */
export const ROOT_TERM_NUMBER = 1;
export const ROOT_ID: TermId = makeId(TAG.iri, 0, BigInt(ROOT_TERM_NUMBER));

/** Open end of a transaction or valid interval in a stored column. */
export const OPEN_HALVES = 0xffffffff;
export const OPEN = (1n << 64n) - 1n;

/**
 * Valid times in columns count seconds from 0000-01-01T00:00:00Z, the first instant there is, so
 * that unsigned order is the order of time before 1970 too.
 */
export const INSTANT_BIAS = 62_167_219_200;

export function instantToColumn(instant: Instant): bigint {
  return BigInt(instant + INSTANT_BIAS);
}

export function columnToInstant(value: bigint): Instant {
  return Number(value) - INSTANT_BIAS;
}

export function makeId(tag: number, auxiliary: number, payload: bigint): TermId {
  return (BigInt(tag) << 56n) | (BigInt(auxiliary) << 48n) | payload;
}

export function tagOf(id: TermId): number {
  return Number(id >> 56n);
}

export function auxiliaryOf(id: TermId): number {
  return Number((id >> 48n) & 0xffn);
}

export function payloadOf(id: TermId): bigint {
  return id & PAYLOAD_MASK;
}

/** Of literals that are their own ids. */
export function isInlinedTag(tag: number): boolean {
  return tag >= TAG.integer && tag <= TAG.float;
}

/** True when the payload is a term number, so that decoding needs the dictionary. */
export function isDictionaryTag(tag: number): boolean {
  return (tag >= TAG.blank && tag <= TAG.typed) || tag === TAG.triple;
}

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const RDF_NS = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/**
 * Datatypes that have a code of their own in the auxiliary byte; the position is the code.
 * Append only: the numbers stand in stored ids.
 */
export const DATATYPES: readonly string[] = [
  '',
  `${XSD}integer`,
  `${XSD}decimal`,
  `${XSD}double`,
  `${XSD}float`,
  `${XSD}boolean`,
  `${XSD}date`,
  `${XSD}dateTime`,
  `${XSD}dateTimeStamp`,
  `${XSD}time`,
  `${XSD}gYear`,
  `${XSD}gYearMonth`,
  `${XSD}gMonthDay`,
  `${XSD}gDay`,
  `${XSD}gMonth`,
  `${XSD}duration`,
  `${XSD}yearMonthDuration`,
  `${XSD}dayTimeDuration`,
  `${XSD}nonPositiveInteger`,
  `${XSD}negativeInteger`,
  `${XSD}nonNegativeInteger`,
  `${XSD}positiveInteger`,
  `${XSD}long`,
  `${XSD}int`,
  `${XSD}short`,
  `${XSD}byte`,
  `${XSD}unsignedLong`,
  `${XSD}unsignedInt`,
  `${XSD}unsignedShort`,
  `${XSD}unsignedByte`,
  `${XSD}anyURI`,
  `${XSD}hexBinary`,
  `${XSD}base64Binary`,
  `${XSD}normalizedString`,
  `${XSD}token`,
  `${XSD}language`,
  `${XSD}Name`,
  `${XSD}NCName`,
  `${XSD}NMTOKEN`,
  `${RDF_NS}HTML`,
  `${RDF_NS}XMLLiteral`,
  `${RDF_NS}JSON`,
  'http://www.opengis.net/ont/geosparql#wktLiteral',
];

const CODES = new Map(DATATYPES.map((iri, code) => [iri, code]));

/** The code of a datatype IRI; 0 when it has none. */
export function datatypeCode(iri: string): number {
  return CODES.get(iri) ?? 0;
}

/** True for xsd:integer and every type derived from it. */
export function isIntegerCode(code: number): boolean {
  return code === TYPE_CODE.integer || (code >= TYPE_CODE.derivedFirst && code <= TYPE_CODE.derivedLast);
}

/**
 * Zone codes: 0 = none, 1 = `Z`, 2 + k = offset of (k - 56) quarter hours, written `+hh:mm` or
 * `-hh:mm`. Zero offset is written `+00:00`; other spellings go to the dictionary.
 */
export const ZONE_NONE = 0;
export const ZONE_UTC = 1;
export const ZONE_FIRST = 2;
export const ZONE_QUARTERS_BIAS = 56;

/** Minutes east of UTC, or null for no zone. */
export function zoneMinutes(code: number): number | null {
  if (code === ZONE_NONE) return null;
  if (code === ZONE_UTC) return 0;
  return (code - ZONE_FIRST - ZONE_QUARTERS_BIAS) * 15;
}
