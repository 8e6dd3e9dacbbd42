/**
 * Between the text and the plan: what a query may not ask of this caller is refused before anything
 * runs, parameters are put in, and classes are expanded with the snapshot at hand; then the rewrites run.
 */

import { Interrupt } from '../base/interrupt.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';
import type { ParsedQuery } from './algebra/algebra.js';
import { refuseGraphPaths } from './graph-paths.js';
import { ClassHierarchies } from './inference/hierarchy.js';
import { type InferenceReport, type Inferred, inferClasses, type NamedClass } from './inference/infer-classes.js';
import { refuseUnknownFunctions } from './known-functions.js';
import type { QueryOptions } from './options.js';
import { bindQueryParameters } from './parameters/bind.js';
import { datasetOf, WHOLE_SCOPE } from './read-context.js';
import { rewriteQuery } from './rewrites/index.js';
import { refuseUnknownEndpoints } from './service/endpoints.js';

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
  const dataset = datasetOf(options.scope ?? WHOLE_SCOPE);
  const parsed = dataset === null ? written : { ...written, dataset };
  if (options.namedGraphPaths === 'refuse') refuseGraphPaths(parsed.algebra);
  refuseUnknownFunctions(parsed.algebra);
  refuseUnknownEndpoints(parsed.algebra, options.serviceEndpoints ?? []);
  const bound = options.parameters === undefined ? parsed : bindQueryParameters(parsed, options.parameters);
  const interrupt = new Interrupt('the query', options);
  const check = (): void => interrupt.check();
  const { query, report, classes } = await infer(bound, snapshot, options, check);
  return {
    query: rewriteQuery(query, new Set(options.disabledRewrites), { onChange: onRewrite, check }),
    inference: report,
    classes,
  };
}

async function infer(
  query: ParsedQuery,
  snapshot: StorageSnapshot,
  options: QueryOptions,
  check: () => void,
): Promise<Inferred> {
  if (options.inference === undefined) return { query, report: null, classes: [] };
  return inferClasses(query, {
    snapshot,
    time: options.time ?? CURRENT,
    hierarchies: options.hierarchies ?? new ClassHierarchies(),
    overRoot: options.scope?.graph === undefined,
    apply: options.inference,
    check,
  });
}
