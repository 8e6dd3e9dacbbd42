/** Rows that may have the least or greatest value of their keys. */

import { MinMaxPrefilterOperator, type MinMaxPrefilterSpec } from '../execute/range-join/min-max-prefilter.js';
import { type Definition, named, never } from './physical-operator.js';

export const minMaxPrefilter: Definition<'minMaxPrefilter', { readonly spec: MinMaxPrefilterSpec }> = {
  explainedAs: 'extremes',
  detail: ({ action: { spec } }) => `${spec.greatest ? 'greatest' : 'least'} ?${spec.value} by ${named(spec.keys)}`,
  open: ({ action }, input, { budget }) => new MinMaxPrefilterOperator(input(0), action.spec, budget),
  usesOrder: never,
  matches: ({ action: { spec } }) => [spec.value, ...spec.keys],
};
