/** Columns of the input, chosen and put in order; what the input does not have is unbound. */

import { ProjectOperator } from '../execute/rows/project.js';
import { always, named, none, type PhysicalOperator } from './physical-operator.js';

export interface ProjectAction {
  readonly kind: 'project';
}

export const project: PhysicalOperator<ProjectAction> = {
  handsOnColumns: true,
  detail: ({ facts }) => named(facts.variables),
  open: ({ facts }, input) => new ProjectOperator(input(0), facts.variables),
  columns: 'own',
  reads: ({ facts }) => facts.variables,
  matches: none,
  handsOnRows: always,
};
