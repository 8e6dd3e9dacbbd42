/** The integer types of XSD: xsd:integer and the twelve derived from it, with their ranges. */

import { XSD } from '../terms.js';

/** Both ends belong to the range; absent = unbounded. */
export interface IntegerRange {
  readonly min?: bigint;
  readonly max?: bigint;
}

const RANGES: Readonly<Record<string, IntegerRange>> = {
  integer: {},
  nonPositiveInteger: { max: 0n },
  negativeInteger: { max: -1n },
  nonNegativeInteger: { min: 0n },
  positiveInteger: { min: 1n },
  long: signedRange(64n),
  int: signedRange(32n),
  short: signedRange(16n),
  byte: signedRange(8n),
  unsignedLong: { min: 0n, max: (1n << 64n) - 1n },
  unsignedInt: { min: 0n, max: (1n << 32n) - 1n },
  unsignedShort: { min: 0n, max: (1n << 16n) - 1n },
  unsignedByte: { min: 0n, max: (1n << 8n) - 1n },
};

/** Datatype IRI -> range. */
export const INTEGER_TYPES: ReadonlyMap<string, IntegerRange> = new Map(
  Object.entries(RANGES).map(([name, range]) => [XSD + name, range]),
);

export function isInIntegerRange(value: number | bigint, range: IntegerRange): boolean {
  return (range.min === undefined || value >= range.min) && (range.max === undefined || value <= range.max);
}

function signedRange(bits: bigint): IntegerRange {
  return { min: -(1n << (bits - 1n)), max: (1n << (bits - 1n)) - 1n };
}
