/** The triples of a CONSTRUCT template for each row. */

import type { QuadPattern } from '../algebra/algebra.js';
import { TemplateOperator } from '../execute/rows/template.js';
import type { PhysicalOperator } from './physical-operator.js';

export interface TemplateAction {
  readonly kind: 'template';
  readonly template: readonly QuadPattern[];
}

export const template: PhysicalOperator<TemplateAction> = {
  detail: ({ action }) => `of ${action.template.length} triples`,
  open: ({ action }, input, { terms }) => new TemplateOperator(input(0), action.template, terms),
  matches: ({ action, facts }) => [
    ...facts.variables,
    ...action.template.flatMap(({ s, p, o, g }) =>
      [s, p, o, g].flatMap((term) => (term?.kind === 'variable' ? [term.name] : [])),
    ),
  ],
  computes: () => 'kept',
};
