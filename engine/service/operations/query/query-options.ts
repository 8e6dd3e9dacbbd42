/** What a request and the configuration say together about how a query is answered. */

import type { ServiceEndpoint } from '../../../query/query.js';
import type { Configuration } from '../../configuration/configuration.js';
import type { QueryOptions } from '../../reads/query.js';

const MEGABYTE = 1024 * 1024;

export interface QueryRequest {
  readonly base?: string | undefined;
  readonly valid_at?: string | undefined;
  readonly tx?: number | undefined;
  readonly graph?: string | undefined;
  /** The dataset by the protocol: it beats FROM and `graph`. */
  readonly default_graph_uri?: readonly string[] | undefined;
  readonly named_graph_uri?: readonly string[] | undefined;
  /** May lower the deadline of the configuration. */
  readonly timeout_ms?: number | undefined;
  readonly inference?: boolean | undefined;
}

/** `stop` is what ends the query early. */
export function queryOptions(
  configuration: Configuration,
  request: QueryRequest,
  stop: Pick<QueryOptions, 'signal' | 'flag' | 'waitedMs'> = {},
): QueryOptions {
  const { query_timeout_ms: timeoutMax } = configuration.search;
  return {
    baseIri: request.base,
    validAt: request.valid_at,
    tx: request.tx,
    graph: request.graph,
    defaultGraphs: request.default_graph_uri,
    namedGraphs: request.named_graph_uri,
    timeoutMs: Math.min(request.timeout_ms ?? timeoutMax, timeoutMax),
    inference: request.inference ?? configuration.query.subclass_inference,
    namedGraphPaths: configuration.query.named_graph_paths as 'evaluate' | 'refuse',
    serviceEndpoints: serviceEndpointsOf(configuration),
    memoryBudgetBytes: configuration.query.memory_budget_mb * MEGABYTE,
    spillBytesMax: configuration.query.spill_max_mb * MEGABYTE,
    joinRowsMax: configuration.search.max_join_rows,
    spillDirectory: configuration.query.spill_directory,
    signal: stop.signal,
    flag: stop.flag,
    waitedMs: stop.waitedMs,
  };
}

const NO_ENDPOINTS: readonly ServiceEndpoint[] = [];

function serviceEndpointsOf({ federation }: Configuration): readonly ServiceEndpoint[] {
  if (federation.service_endpoints.length === 0) return NO_ENDPOINTS;
  return federation.service_endpoints.map(({ url, timeout_ms: timeoutMs, auth_token: authToken }) => ({
    url,
    timeoutMs,
    authToken,
  }));
}
