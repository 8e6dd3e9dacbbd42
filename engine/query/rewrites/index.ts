/**
 * The rewrites, in the order in which they run. Each can be switched off by its name; a test holds
 * that no answer depends on any of them.
 */

import { isDeepStrictEqual } from 'node:util';
import { type Algebra, type ParsedQuery, rewriteUp } from '../algebra/algebra.js';
import { mapExists } from '../algebra/expression.js';
import { asTooDeep } from '../parse/guard.js';
import { countFromStorage, splitDistincts } from './count-groups.js';
import { dropDistincts } from './drop-distincts.js';
import { bindEqualities, joinEqualities } from './equalities.js';
import { foldConstants } from './fold-constants.js';
import { joinTexts } from './join-texts.js';
import { normaliseJoins } from './normalise-joins.js';
import { absentOptionals, filterOptionals, joinOptionals } from './optionals.js';
import { pushFilters, splitFilters } from './push-filters.js';
import { pushJoins } from './push-joins.js';
import type { Rewrite, RewriteContext } from './rewrite.js';
import { dropSorts, limitIntoSort } from './sorts.js';
import { unifyVariables } from './unify-variables.js';

/** Those that make an EXISTS, whose pattern has to go through all the others. */
const MAKING_EXISTS: readonly Rewrite[] = [absentOptionals];

export const REWRITES: readonly Rewrite[] = [
  ...MAKING_EXISTS,
  foldConstants,
  splitFilters,
  joinOptionals,
  filterOptionals,
  normaliseJoins,
  bindEqualities,
  joinEqualities,
  unifyVariables,
  joinTexts,
  pushJoins,
  pushFilters,
  dropSorts,
  dropDistincts,
  countFromStorage,
  splitDistincts,
  limitIntoSort,
];

export interface RewriteWatch {
  /** Told the name of each rewrite that changed the query; it may hear a name more than once. */
  readonly onChange?: ((name: string) => void) | undefined;
  /** Called before each rewrite; throws when the query has to stop. */
  readonly check?: (() => void) | undefined;
}

export function rewriteQuery(
  query: ParsedQuery,
  disabled: ReadonlySet<string>,
  { onChange, check }: RewriteWatch = {},
): ParsedQuery {
  const context: RewriteContext = { form: query.form };
  try {
    return { ...query, algebra: rewriteAlgebra(query.algebra, { disabled, onChange, check }, context) };
  } catch (error) {
    throw asTooDeep(error);
  }
}

interface RewriteRun extends RewriteWatch {
  readonly disabled: ReadonlySet<string>;
}

/** All rewrites over a node, after those over the patterns of EXISTS inside it. */
function rewriteAlgebra(node: Algebra, run: RewriteRun, context: RewriteContext): Algebra {
  const inExists = (pattern: Algebra): Algebra => rewriteAlgebra(pattern, run, { form: 'select', correlated: true });
  const made = applied(MAKING_EXISTS, node, run, context);
  const algebra = rewriteUp(made, (part) => mapExists(part, inExists));
  return applied(REWRITES.slice(MAKING_EXISTS.length), algebra, run, context);
}

function applied(rewrites: readonly Rewrite[], node: Algebra, run: RewriteRun, context: RewriteContext): Algebra {
  let algebra = node;
  for (const rewrite of rewrites) {
    if (run.disabled.has(rewrite.name)) continue;
    run.check?.();
    const before = algebra;
    algebra = rewrite.apply(before, context);
    if (run.onChange !== undefined && !isDeepStrictEqual(before, algebra)) run.onChange(rewrite.name);
  }
  return algebra;
}
