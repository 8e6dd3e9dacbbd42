/** XSD values as SPARQL needs them: parse, compare, order, compute, format. */

export * from './boolean.js';
export * from './compare.js';
export { compareDecimals, decimalText, decimalToNumber, decimalValue } from './decimal.js';
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
export { compareTemporals, type TemporalFields, temporalFields } from './temporal.js';
export * from './value.js';
