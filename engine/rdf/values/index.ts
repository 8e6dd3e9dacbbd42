/** XSD values as SPARQL needs them: parse, compare, order, compute, format. */

export * from './cast.js';
export * from './compare.js';
export {
  compareDecimals,
  decimalText,
  decimalToNumber,
  decimalValue,
  SHORT_DIVISOR_MAX,
  shortQuotientText,
} from './decimal.js';
export * from './format.js';
export { INTEGER_TYPES } from './integer-types.js';
export {
  type ArithmeticOperator,
  arithmetic,
  compareNumbers,
  negate,
  orderNumbers,
  toDouble,
  toFloat,
} from './numeric.js';
export * from './order.js';
export * from './parse.js';
export { absolute, type RoundingMode, toWhole } from './rounding.js';
export { compareTemporals, type TemporalFields, temporalFields, zoneText } from './temporal.js';
export { negatedDuration, temporalArithmetic } from './temporal-arithmetic.js';
export * from './value.js';
