/**
 * What a query of a shape may not hold, since variables are bound before it runs (SHACL 5.2.1): MINUS, VALUES,
 * SERVICE, subqueries that do not give such a variable, and AS with one. The shapes graph is not part of the data, so
 * that `$shapesGraph` is refused as well.
 */

import { type Algebra, childrenOf, expressionsOf } from '../../query/algebra/algebra.js';
import { someExpression } from '../../query/algebra/expression.js';
import { parseQuery } from '../../query/parse/parse.js';

/** Null, or the rest of a sentence that begins with `its query`. */
export function faultOfQuery(text: string, bound: ReadonlySet<string>): string | null {
  const { algebra } = parseQuery(text);
  if (/[$?]shapesGraph\b/.test(text)) return 'asks for $shapesGraph, which is not part of the data';
  return faultIn(algebra, bound, true);
}

function faultIn(node: Algebra, bound: ReadonlySet<string>, isOuter: boolean): string | null {
  const own = ownFault(node, bound, isOuter);
  if (own !== null) return own;
  for (const expression of expressionsOf(node)) {
    let fault: string | null = null;
    someExpression(expression, (part) => {
      if (part.kind === 'exists') fault ??= faultIn(part.pattern, bound, false);
      return fault !== null;
    });
    if (fault !== null) return fault;
  }
  // The projection of the whole query stands below DISTINCT, ORDER BY and LIMIT.
  const staysOuter = isOuter && (node.kind === 'slice' || node.kind === 'distinct' || node.kind === 'reduced');
  for (const child of childrenOf(node)) {
    const fault = faultIn(child, bound, staysOuter);
    if (fault !== null) return fault;
  }
  return null;
}

function ownFault(node: Algebra, bound: ReadonlySet<string>, isOuter: boolean): string | null {
  switch (node.kind) {
    case 'minus':
      return 'holds MINUS, which has no meaning with variables that are bound before';
    case 'values':
      return 'holds VALUES, which has no meaning with variables that are bound before';
    case 'service':
      return 'holds SERVICE, which a shape may not';
    case 'extend':
      return bound.has(node.variable) ? `assigns ?${node.variable}, which is bound before` : null;
    case 'project': {
      const missing = isOuter
        ? undefined
        : [...bound].find((name) => !node.variables.includes(name) && name !== 'currentShape');
      return missing === undefined ? null : `holds a subquery that does not give ?${missing}`;
    }
    default:
      return null;
  }
}
