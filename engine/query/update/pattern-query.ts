/** The pattern of a modification as a query for the variables that its templates read. */

import type { Algebra, DatasetClause, ParsedQuery } from '../algebra/algebra.js';
import type { UpdateOperation } from '../algebra/update.js';
import { hasBlankNodes, templateVariables } from './template.js';

/** `using`: the graphs that the request names, where the text names none. */
export function patternQuery(
  operation: Extract<UpdateOperation, { kind: 'modify' }>,
  using: DatasetClause | null,
): ParsedQuery {
  const quads = [...operation.delete, ...operation.insert];
  const variables = [...templateVariables(quads)];
  let input: Algebra = operation.where;
  // Solutions that write the same quads need not be told apart.
  if (variables.length === 0 && !hasBlankNodes(quads)) input = { kind: 'slice', input, offset: 0, limit: 1 };
  const algebra: Algebra = { kind: 'project', input, variables };
  return { form: 'select', variables, algebra, dataset: operation.using ?? using, template: [], described: [] };
}
