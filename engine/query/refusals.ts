/** What a query may not ask is refused before anything runs, whether or not there are rows for it. */

import { SvcError } from '../base/errors.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';
import { type Algebra, expressionsOf, type QuadPattern } from './algebra/algebra.js';
import { someExpression } from './algebra/expression.js';
import { someNode } from './algebra/mentioned.js';
import { knownFunction } from './expressions/functions/casts.js';
import type { QueryOptions } from './options.js';
import { PLAN_CHOICES } from './plan/context/choices.js';
import { GraphScope } from './plan/context/graph-scope.js';
import { checkScope, isPlainScope, WHOLE_SCOPE } from './read-context.js';
import { GraphBooks } from './registry/graph-book.js';
import { GRAPH_KINDS } from './registry/label-words.js';
import { REWRITES } from './rewrites/index.js';
import type { ServiceEndpoint } from './service/endpoints.js';

/**
 * Functions named by an IRI that are not known. What another endpoint is asked for is no part of the algebra: that
 * endpoint has functions of its own.
 */
export function refuseUnknownFunctions(pattern: Algebra): void {
  someNode(pattern, (node) => {
    for (const expression of expressionsOf(node)) {
      someExpression(expression, (part) => {
        if (part.kind === 'function') knownFunction(part.iri);
        return false;
      });
    }
    return false;
  });
}

/**
 * Endpoints that are not configured, also with SILENT, which is about endpoints that fail: no request leaves for a place
 * that nobody allowed.
 */
export function refuseUnknownEndpoints(pattern: Algebra, endpoints: readonly ServiceEndpoint[]): void {
  someNode(pattern, (node) => {
    if (node.kind !== 'service') return false;
    const known = endpoints.find(({ url }) => url === node.endpoint);
    if (known?.refusal !== undefined) {
      throw new SvcError('authority_denied', `SERVICE <${node.endpoint}> can not be asked: ${known.refusal}`);
    }
    if (known !== undefined) return false;
    throw new SvcError('invalid_request', `SERVICE <${node.endpoint}>: this endpoint is not configured`, {
      hint: 'add it to federation.service_endpoints, exactly as the query writes it, or name <url>/query of one of federation.remotes',
    });
  });
}

/** True when some part of the pattern is another endpoint's. */
export function asksEndpoints(pattern: Algebra): boolean {
  return someNode(pattern, ({ kind }) => kind === 'service');
}

/**
 * `query.named_graph_paths: "refuse"`: a property path inside GRAPH. Steps of a path are known by their mark; what stands
 * for a negated set is a predicate that no text can name.
 */
export function refuseGraphPaths(pattern: Algebra): void {
  if (!someNode(pattern, walksInGraph)) return;
  throw new SvcError('invalid_request', 'a property path inside GRAPH is refused (query.named_graph_paths)', {
    hint: 'read the graph as the default graph (FROM), or set query.named_graph_paths to "evaluate"',
  });
}

function walksInGraph(node: Algebra): boolean {
  return node.kind === 'closure' ? node.g !== null : node.kind === 'patterns' && node.patterns.some(isStepInGraph);
}

function isStepInGraph({ p, g }: QuadPattern): boolean {
  if (g === null) return false;
  return p.kind === 'variable' ? p.name.startsWith('_:') : p.inPath === true;
}

/** What a request may not say of the graphs that it reads, and forks and overlays that can't be read. */
export function refuseUnknownScope(snapshot: StorageSnapshot, options: QueryOptions): void {
  const { scope = WHOLE_SCOPE, extraKinds = [], time = CURRENT, books = new GraphBooks() } = options;
  // Most queries read ROOT.
  if (isPlainScope(scope) && scope.precedence === undefined) return;
  checkScope(scope, [...GRAPH_KINDS, ...extraKinds]);
  if (scope.fork !== undefined || scope.overlay !== undefined) new GraphScope(snapshot, time, books).check(scope);
}

/** Names of rewrites and choices that are switched off and not there. */
export function refuseUnknownNames(disabled: Iterable<string>): void {
  const known = [...REWRITES.map(({ name }) => name), ...PLAN_CHOICES];
  const unknown = [...disabled].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new SvcError('invalid_request', `there is no rewrite '${unknown}'`, {
    hint: `the names are ${known.join(', ')}`,
  });
}
