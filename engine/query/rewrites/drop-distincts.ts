/**
 * DISTINCT goes where rows differ anyway: over all variables of basic graph patterns, whose matches
 * are sets, and over the keys of a GROUP BY. REDUCED always goes: duplicates may stay.
 */

import type { Algebra } from '../algebra/algebra.js';
import { scopeOf } from '../algebra/scope.js';
import { type Rewrite, rewriteOf } from './rewrite.js';

export const dropDistincts: Rewrite = rewriteOf('drop-distincts', dropDistinct);

function dropDistinct(node: Algebra): Algebra {
  if (node.kind === 'reduced') return node.input;
  if (node.kind === 'distinct' && isSet(node.input, null)) return node.input;
  return node;
}

/** True when the rows of the node differ from one another, looking at the `kept` variables only. */
function isSet(node: Algebra, kept: ReadonlySet<string> | null): boolean {
  switch (node.kind) {
    case 'project':
      return isSet(node.input, new Set(node.variables.filter((name) => kept?.has(name) ?? true)));
    case 'filter':
    case 'sort':
    case 'extend':
      return isSet(node.input, kept);
    case 'distinct':
      return keepsAll(node, kept);
    case 'patterns':
    case 'closure':
      return keepsAll(node, kept);
    case 'group':
      return kept === null || node.keys.every((key) => kept.has(key));
    case 'unit':
    case 'empty':
    case 'countPattern':
      return true;
    default:
      return false;
  }
}

function keepsAll(node: Algebra, kept: ReadonlySet<string> | null): boolean {
  return kept === null || [...scopeOf(node).variables].every((name) => kept.has(name));
}
