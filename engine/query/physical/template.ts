/** The triples of a CONSTRUCT template for each row. */

import { namesOf, type QuadPattern, termsOf } from '../algebra/algebra.js';
import { TemplateOperator } from '../execute/rows/template.js';
import type { Definition } from './physical-operator.js';

export const template: Definition<'template', { readonly template: readonly QuadPattern[] }> = {
  detail: ({ action }) => `of ${action.template.length} triples`,
  open: ({ action }, input, { terms }) => new TemplateOperator(input(0), action.template, terms),
  matches: ({ action, facts }) => [...facts.variables, ...namesOf(action.template.flatMap(termsOf))],
  computes: () => 'kept',
};
