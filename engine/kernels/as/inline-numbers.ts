/**
 * The values of inlined numbers, read from their ids alone (`storage/ids/halves.ts` is the plain reading).
 * Powers of ten up to 22 are exact doubles, so that one division rounds once.
 */

import { BIAS } from './layout';
import { TAG, TYPE_CODE } from './term-codes';

export const EXACT_POWER_MAX: u32 = 22;
export const INTEGER_PREFIX: u64 = (TAG.integer << 8) | TYPE_CODE.integer;

const POWERS = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]);

// @inline
export function powerOfTen(exponent: u32): f64 {
  return load<f64>(POWERS + ((<usize>exponent) << 3));
}

/** The signed number behind the payload of a biased tag. */
// @inline
export function signedOf(id: u64): i64 {
  return <i64>(id & 0xffffffffffff) - BIAS;
}

/** True for a value that the integer type with this code can have; a payload has 48 bits. */
export function isInRange(code: u32, value: i64): bool {
  if (code < <u32>TYPE_CODE.derivedFirst) return true;
  switch (code - TYPE_CODE.derivedFirst) {
    case 0: // nonPositiveInteger
      return value <= 0;
    case 1: // negativeInteger
      return value < 0;
    case 3: // positiveInteger
      return value > 0;
    case 4: // long
      return true;
    case 5: // int
      return value == <i64>(<i32>value);
    case 6: // short
      return value == <i64>(<i16>value);
    case 7: // byte
      return value == <i64>(<i8>value);
    case 2: // nonNegativeInteger
    case 8: // unsignedLong
      return value >= 0;
    case 9: // unsignedInt
      return value == <i64>(<u32>value);
    case 10: // unsignedShort
      return value == <i64>(<u16>value);
    default: // unsignedByte
      return value == <i64>(<u8>value);
  }
}

/** An inlined integer, decimal or double as the nearest double; NaN for all else, and where that takes more than one division. */
export function doubleOf(id: u64): f64 {
  const tag = id >>> 56;
  const auxiliary = <u32>(id >>> 48) & 255;
  const value = signedOf(id);
  if (tag == TAG.integer) return isInRange(auxiliary, value) ? <f64>value : NaN;
  if ((tag == TAG.decimal || tag == TAG.double) && auxiliary <= EXACT_POWER_MAX) {
    return <f64>value / powerOfTen(auxiliary);
  }
  return NaN;
}

/** Where the order of the ids that begin so is the order of their values, and different ids have different values. */
// @inline
export function isOrdered(prefix: u64): bool {
  const tag = prefix >>> 8;
  if (tag == TAG.double) return (prefix & 255) <= EXACT_POWER_MAX;
  return prefix == INTEGER_PREFIX || tag == TAG.decimal || (tag >= <u64>TAG.date && tag <= <u64>TAG.dateTimeMs);
}
