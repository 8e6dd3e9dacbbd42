/**
 * Who reads which graphs, as of when, until when, and what it may cost. A read context is made once, where a request
 * comes in or the library is called; operations narrow it, and the query engine and its scans read by it. It is plain
 * data, so that it crosses to a reader thread as it is.
 */

import { availableParallelism } from 'node:os';
import { SvcError } from '../base/errors.js';
import type { Deadline } from '../base/interrupt.js';
import { ANYONE, type Principal } from '../base/principal.js';
import { CURRENT, type TimeSlice } from '../storage/seam/scan.js';
import type { DatasetClause } from './algebra/algebra.js';

export const PRECEDENCES = ['nearest', 'governed'] as const;
/** `nearest`: the overlay wins; `governed`: its tombstones don't count. */
export type Precedence = (typeof PRECEDENCES)[number];

/** Which graphs a query reads; whatever is absent is left to its text, and then to ROOT. */
export interface ReadScope {
  /** IRI of the default graph in place of ROOT, or name of a dataset; FROM in the text beats it. An unknown one is empty. */
  readonly graph?: string | undefined;
  /** Kinds of graphs that the default graph holds besides; FROM beats them. */
  readonly includeKinds?: readonly string[] | undefined;
  /** Name of a fork that is the default graph. */
  readonly fork?: string | undefined;
  /** IRI of an overlay whose view, composed with its parent, is the default graph; FROM beats it. */
  readonly overlay?: string | undefined;
  /** How the view is composed; absent = `nearest`. */
  readonly precedence?: Precedence | undefined;
  /** With the companion of each graph of the default graph, which holds what was derived from it; FROM beats it. */
  readonly inferred?: boolean | undefined;
  /**
   * IRIs of the graphs of the default graph, and of the named graphs: where either list has an entry, the two are the
   * dataset of the query, whatever its text says (SPARQL 1.1 Protocol, 2.1.4).
   */
  readonly defaultGraphs?: readonly string[] | undefined;
  readonly namedGraphs?: readonly string[] | undefined;
}

export interface ReadBudget {
  /** query.memory_budget_mb in bytes. */
  readonly memoryBytes?: number | undefined;
  /** Where queries put what does not fit into memory; default the system's folder for temporary files. */
  readonly spillDirectory?: string | undefined;
  /** query.spill_max_mb in bytes. */
  readonly spillBytesMax?: number | undefined;
  /** search.max_join_rows: what a join may give; absent = no ceiling. */
  readonly joinRowsMax?: number | undefined;
  /** query.threads: threads that may work on one large query; 1 = its own alone; default as many as there are cores. */
  readonly threads?: number | undefined;
}

export interface ReadContext {
  readonly principal: Principal;
  readonly scope: ReadScope;
  readonly time: TimeSlice;
  /** Undefined = it may take any time. */
  readonly deadline: Deadline | undefined;
  readonly budget: ReadBudget;
}

export const WHOLE_SCOPE: ReadScope = {};
export const NO_BUDGET: ReadBudget = {};

/** A read of the present by anyone, without a limit. */
export const UNLIMITED_READ: ReadContext = {
  principal: ANYONE,
  scope: WHOLE_SCOPE,
  time: CURRENT,
  deadline: undefined,
  budget: NO_BUDGET,
};

/** Default of query.memory_budget_mb. */
export const MEMORY_BUDGET_BYTES = 1024 * 2 ** 20;

/** Default of query.threads. */
export const QUERY_THREADS = availableParallelism();

/** The dataset that a scope describes; null where it leaves it to the text. */
export function datasetOf({ defaultGraphs = [], namedGraphs = [] }: ReadScope): DatasetClause | null {
  return defaultGraphs.length === 0 && namedGraphs.length === 0 ? null : { defaultGraphs, namedGraphs };
}

/** True when the default graph is ROOT as far as the fields of a request go, with its companion or without. */
export function isRootScope({ graph, fork, overlay, includeKinds = [] }: ReadScope): boolean {
  return graph === undefined && fork === undefined && overlay === undefined && includeKinds.length === 0;
}

/** True when the default graph is ROOT alone as far as the fields of a request go. */
export function isPlainScope(scope: ReadScope): boolean {
  return scope.inferred !== true && isRootScope(scope);
}

/** Refuses what can't be said together, and words that nobody knows (wire shapes, 4.1). */
export function checkScope(scope: ReadScope, kinds: readonly string[]): void {
  const { fork, overlay, precedence, includeKinds } = scope;
  const beside = { graph: scope.graph, include_kinds: includeKinds, fork: fork };
  for (const [field, value] of Object.entries({ fork, overlay })) {
    if (value === undefined) continue;
    for (const [other, given] of Object.entries(beside)) {
      if (given !== undefined && other !== field) throw invalid(`pass either '${field}' or '${other}', not both`);
    }
  }
  if (precedence !== undefined && !PRECEDENCES.includes(precedence)) {
    throw invalid(`'precedence': there is no '${String(precedence)}'; expected ${PRECEDENCES.join(' or ')}`);
  }
  if (precedence !== undefined && overlay === undefined) throw invalid("'precedence' is said of an 'overlay' only");
  const unknown = includeKinds?.find((kind) => typeof kind !== 'string' || !kinds.includes(kind));
  if (unknown === undefined) return;
  throw invalid(`'include_kinds': there is no kind '${String(unknown).slice(0, 100)}'; expected ${kinds.join(', ')}`);
}

function invalid(message: string): SvcError {
  return new SvcError('invalid_request', message);
}
