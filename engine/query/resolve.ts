/**
 * Between the text and the plan: what a query may not ask of this caller is refused before anything
 * runs, parameters are put in, and classes are expanded with the snapshot at hand; then the rewrites run.
 */

import { Interrupt } from '../base/interrupt.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';
import type { ParsedQuery } from './algebra/algebra.js';
import { touchedGraphs } from './algebra/touched-graphs.js';
import { ClassHierarchies } from './inference/hierarchy.js';
import { type InferenceReport, inferClasses, type NamedClass } from './inference/infer-classes.js';
import type { QueryOptions } from './options.js';
import { bindQueryParameters } from './parameters/bind.js';
import { patternsToAsk } from './plan/build/distribute.js';
import { datasetOf, isPlainScope, isRootScope, WHOLE_SCOPE } from './read-context.js';
import { refuseGraphPaths, refuseUnknownEndpoints, refuseUnknownFunctions, refuseUnknownNames } from './refusals.js';
import { GraphBooks } from './registry/graph-book.js';
import { rewriteQuery } from './rewrites/index.js';
import { tellGraphs } from './tell-graphs.js';

/** Rewrites whose nodes read this store alone, or the same pattern more than once. */
const NOT_FEDERATED = ['count-from-storage', 'split-distincts'];

export interface Resolved {
  readonly query: ParsedQuery;
  readonly inference: InferenceReport | null;
  readonly classes: readonly NamedClass[];
}

export async function resolveQuery(
  written: ParsedQuery,
  snapshot: StorageSnapshot,
  options: QueryOptions,
  onRewrite?: (name: string) => void,
): Promise<Resolved> {
  const { scope = WHOLE_SCOPE } = options;
  const dataset = datasetOf(scope);
  const parsed = dataset === null ? written : { ...written, dataset };
  if (options.namedGraphPaths === 'refuse') refuseGraphPaths(parsed.algebra);
  refuseUnknownNames(options.disabledRewrites ?? []);
  refuseUnknownFunctions(parsed.algebra);
  refuseUnknownEndpoints(parsed.algebra, options.serviceEndpoints ?? []);
  const bound = options.parameters === undefined ? parsed : bindQueryParameters(parsed, options.parameters);
  const interrupt = new Interrupt('the query', options);
  const check = (): void => interrupt.check();
  const { inference: apply, time = CURRENT, hierarchies = new ClassHierarchies() } = options;
  const root = isPlainScope(scope) ? 'alone' : isRootScope(scope) ? 'with others' : 'no';
  const { query, report, classes } =
    apply === undefined
      ? { query: bound, report: null, classes: [] }
      : await inferClasses(bound, { snapshot, time, hierarchies, root, apply, check });
  const { members, disabledRewrites = [] } = options;
  const disabled = new Set(members === undefined ? disabledRewrites : [...disabledRewrites, ...NOT_FEDERATED]);
  const rewritten = rewriteQuery(query, disabled, { onChange: onRewrite, check });
  const touched = touchedGraphs(bound);
  if (members !== undefined) {
    tellGraphs(touched, rewritten.dataset, snapshot, options.books ?? new GraphBooks(), options);
    await members.prepare(rewritten, patternsToAsk, options);
  }
  return {
    query: { ...rewritten, touched },
    inference: report,
    classes,
  };
}
