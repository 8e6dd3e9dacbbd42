/** What a request and the configuration say together about how a query is answered. */

import { lowered } from '../../../base/interrupt.js';
import { hasFloors, type LabelFloors } from '../../../graphs/labels/floors.js';
import type { ServiceEndpoint } from '../../../query/query.js';
import type { Configuration } from '../../configuration/configuration.js';
import { remoteEndpoints } from '../../federation/members.js';
import { checkOptions } from '../../options/check-options.js';
import { toTimeSlice } from '../../options/store-options.js';
import type { EngineQuery } from '../../reads/query.js';
import type { OperationContext } from '../definition/operation.js';
import type { ScopeRequest } from './query-scope.js';

/** The query that a request asks: the read context of the request, narrowed by what it says. */
export function queryOf({ read, configuration, control }: Asking, request: ScopeRequest): EngineQuery {
  checkOptions({ baseIri: request.base });
  const { deadline } = read;
  return {
    principal: read.principal,
    // The dataset of the protocol beats FROM and `graph`.
    scope: {
      graph: request.graph,
      includeKinds: request.include_kinds,
      fork: request.fork,
      overlay: request.overlay,
      precedence: request.precedence,
      inferred: request.inferred,
      defaultGraphs: request.default_graph_uri,
      namedGraphs: request.named_graph_uri,
    },
    time: toTimeSlice({ validAt: request.valid_at, tx: request.tx }),
    deadline: deadline === undefined ? undefined : lowered(deadline, request.timeout_ms),
    budget: read.budget,
    signal: control.signal,
    flag: control.flag,
    baseIri: request.base,
    inference: request.inference ?? configuration.query.subclass_inference,
    namedGraphPaths: configuration.query.named_graph_paths as 'evaluate' | 'refuse',
    serviceEndpoints: serviceEndpointsOf(configuration),
    extraKinds: configuration.labels.extra_kinds,
    floors: floorsOf(configuration),
  };
}

type Asking = Pick<OperationContext, 'read' | 'configuration' | 'control'>;

const NO_ENDPOINTS: readonly ServiceEndpoint[] = [];

/** What stands in service_endpoints goes before a remote of the same address. */
function serviceEndpointsOf(configuration: Configuration): readonly ServiceEndpoint[] {
  const { service_endpoints: endpoints, remotes } = configuration.federation;
  if (endpoints.length === 0 && remotes.length === 0) return NO_ENDPOINTS;
  const listed = endpoints.map(({ url, timeout_ms: timeoutMs, auth_token: authToken }) => ({
    url,
    timeoutMs,
    authToken,
  }));
  return [...listed, ...remoteEndpoints(configuration)];
}

/** The floors of the section `labels`; undefined = none is set. */
function floorsOf({ labels }: Configuration): LabelFloors | undefined {
  const { min_trust_rank: rank, min_trust_chain: chain, deny_policy_tokens: denyPolicyTokens } = labels;
  const floors: LabelFloors = {
    minFreshness: labels.min_freshness as LabelFloors['minFreshness'],
    minDurability: labels.min_durability as LabelFloors['minDurability'],
    minTrust: rank === undefined || chain === undefined ? undefined : { rank, chain },
    denyPolicyTokens,
  };
  return hasFloors(floors) ? floors : undefined;
}
