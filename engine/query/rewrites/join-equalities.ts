/**
 * `FILTER(?x = <iri>)` over a path that has ?x at an end becomes one row to join with, so that the path is
 * walked from there. The IRI does not replace the end: a path that may be empty relates a term of
 * the query to itself even where no graph holds it, and the values of a variable only where one does.
 */

import { type Algebra, rewriteUp } from '../algebra/algebra.js';
import { equalityOf } from './bind-equalities.js';
import type { Rewrite } from './rewrite.js';

export const joinEqualities: Rewrite = {
  name: 'join-equalities',
  apply: (algebra) => rewriteUp(algebra, joinEquality),
};

function joinEquality(node: Algebra): Algebra {
  if (node.kind !== 'filter') return node;
  const equality = equalityOf(node.condition);
  if (equality === null) return node;
  const row: Algebra = { kind: 'values', variables: [equality.variable], rows: [[equality.term]] };
  return joinRow(node.input, equality.variable, row) ?? node;
}

/** The node joined with the row below its filters; null when no path of it ends in the variable. */
function joinRow(node: Algebra, variable: string, row: Algebra): Algebra | null {
  switch (node.kind) {
    case 'filter': {
      const input = joinRow(node.input, variable, row);
      return input === null ? null : { ...node, input };
    }
    case 'closure':
      return endsIn(node, variable) ? { kind: 'join', inputs: [row, node] } : null;
    case 'join':
      return node.inputs.some((input) => endsIn(input, variable)) ? { ...node, inputs: [row, ...node.inputs] } : null;
    default:
      return null;
  }
}

function endsIn(node: Algebra, variable: string): boolean {
  if (node.kind !== 'closure') return false;
  return [node.s, node.o].some((end) => end.kind === 'variable' && end.name === variable);
}
