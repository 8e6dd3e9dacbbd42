/** Functions on numbers (SPARQL 1.1, 17.4.4). */

import { absolute, doubleValue, type NumericValue, type RoundingMode, toWhole } from '../../../rdf/values/index.js';
import type { FunctionName } from '../../algebra/expression.js';
import { Operand } from '../../terms/operand.js';
import { type FunctionDefinition, numberOf, ofBoolean, unary } from './definition.js';

export const NUMBER_FUNCTIONS = {
  isnumeric: unary((operand) => ofBoolean(numberOf(operand) !== null)),
  abs: numeric(absolute),
  round: rounding('round'),
  ceil: rounding('ceil'),
  floor: rounding('floor'),
  rand: { arity: [0, 0], evaluate: () => Operand.ofValue(doubleValue(Math.random())) },
} as const satisfies Partial<Record<FunctionName, FunctionDefinition>>;

function rounding(mode: RoundingMode): FunctionDefinition {
  return numeric((value) => toWhole(value, mode));
}

function numeric(apply: (value: NumericValue) => NumericValue): FunctionDefinition {
  return unary((operand) => {
    const value = numberOf(operand);
    return value === null ? null : Operand.ofValue(apply(value));
  });
}
