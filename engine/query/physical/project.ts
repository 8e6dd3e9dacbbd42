/** Columns of the input, chosen and put in order; what the input does not have is unbound. */

import { ProjectOperator } from '../execute/rows/project.js';
import { always, type Definition, named, none } from './physical-operator.js';

export const project: Definition<'project'> = {
  handsOnColumns: true,
  detail: ({ facts }) => named(facts.variables),
  open: ({ facts }, input) => new ProjectOperator(input(0), facts.variables),
  columns: 'own',
  reads: ({ facts }) => facts.variables,
  matches: none,
  handsOnRows: always,
};
