/** What a caller can say about one query. */

import type { Stop } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import type { TxId } from '../storage/ids/layout.js';
import type { TimeSlice } from '../storage/seam/scan.js';
import type { TableFunctions } from './functions/table-function.js';
import type { ClassHierarchies } from './inference/hierarchy.js';
import type { Parameters } from './parameters/bind.js';
import type { PlanCache } from './plan/cache/plan-cache.js';
import type { ReadContext } from './read-context.js';
import type { ReadGate } from './read-gate.js';
import type { AskedGraphs } from './registry/asked-graphs.js';
import type { GraphBooks } from './registry/graph-book.js';
import type { ServiceEndpoint } from './service/endpoints.js';
import type { FederatedRun } from './service/members.js';

type Absent<Of> = { readonly [Key in keyof Of]?: Of[Key] | undefined };

/** What is absent of the context is as in `UNLIMITED_READ`. */
export interface QueryOptions extends Stop, Absent<ReadContext> {
  readonly baseIri?: string | undefined;
  /** Names of rewrites and planner choices to switch off. */
  readonly disabledRewrites?: readonly string[] | undefined;
  /**
   * Subclass inference: in ROOT, `?s a <C>` includes instances of subclasses. False: asserted types only,
   * and the answer says what was withheld. Absent: the same without a word.
   */
  readonly inference?: boolean | undefined;
  /** What NOW() says instead of the clock. */
  readonly now?: Date | undefined;
  /** Terms for variables of the text, by name without the question mark. */
  readonly parameters?: Parameters | undefined;
  /** Endpoints that SERVICE may ask; absent = none. */
  readonly serviceEndpoints?: readonly ServiceEndpoint[] | undefined;
  /** The query is one over these and this store; absent = over this store alone. */
  readonly members?: FederatedRun | undefined;
  /** What SERVICE <urn:svc:...> may call; absent = nothing. */
  readonly functions?: TableFunctions | undefined;
  /** query.named_graph_paths: `refuse` makes a property path inside GRAPH an error. */
  readonly namedGraphPaths?: 'evaluate' | 'refuse' | undefined;
  /** Asked before the query is evaluated; absent = none. */
  readonly gates?: readonly ReadGate[] | undefined;
  /** What the caller remembers of class hierarchies, for one store; absent = nothing. */
  readonly hierarchies?: ClassHierarchies | undefined;
  /** What the caller remembers of plans, for one store; absent = nothing. */
  readonly plans?: PlanCache | undefined;
  /** What the caller remembers of the registry of graphs, for one store; absent = nothing. */
  readonly books?: GraphBooks | undefined;
  /** Kinds of graphs besides those that every store knows (labels.extra_kinds). */
  readonly extraKinds?: readonly string[] | undefined;
  /** Told which graphs the query could read, before it is evaluated; what it throws refuses the query. */
  readonly onGraphs?: ((asked: AskedGraphs) => void) | undefined;
}

/** In seconds since 1970. */
export function nowOf({ now }: QueryOptions): number | undefined {
  if (now === undefined) return undefined;
  if (now instanceof Date && !Number.isNaN(now.getTime())) return now.getTime() / 1000;
  throw new SvcError('invalid_request', 'now: expected a valid Date');
}

/** A transaction that is not there yet can't be asked about: its answer would change once it is there. */
export function refuseFutureTx(time: TimeSlice | undefined, latest: TxId): void {
  if (time === undefined || !('tx' in time) || time.tx <= latest) return;
  throw new SvcError('invalid_request', `there is no transaction ${time.tx} yet: the latest is ${latest}`, {
    hint: 'leave the transaction out to ask about the present',
  });
}
