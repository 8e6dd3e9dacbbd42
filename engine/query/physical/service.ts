/** Asks another endpoint, for everything or for the rows of the input. */

import { ServiceOperator, type ServiceSpec } from '../execute/rows/service.js';
import { type Definition, named } from './physical-operator.js';

export const service: Definition<'service', { readonly spec: ServiceSpec }> = {
  detail: ({ action: { spec } }) => {
    const bound = spec.keys === null ? [] : [...spec.keys.certain, ...spec.keys.loose];
    return `${spec.silent ? 'SILENT ' : ''}<${spec.endpoint}>${bound.length === 0 ? '' : ` for ${named(bound)}`}`;
  },
  open: ({ action, inputs }, input, { service: client, terms, budget }) =>
    new ServiceOperator(inputs.length === 0 ? null : input(0), action.spec, client, terms, budget),
  matches: ({ action }) => action.spec.variables.map(({ variable }) => variable),
  computes: () => 'kept',
  boundToConstants: true,
};
