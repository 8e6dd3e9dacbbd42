/** What a request and the configuration say together about how a query is answered. */

import { lowered } from '../../../base/interrupt.js';
import type { Principal } from '../../../base/principal.js';
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
    serviceEndpoints: serviceEndpointsOf(configuration, read.principal),
    extraKinds: configuration.labels.extra_kinds,
    floors: floorsOf(configuration),
  };
}

type Asking = Pick<OperationContext, 'read' | 'configuration' | 'control'>;

/** Why a member or an endpoint is not asked for somebody who may read some graphs only. */
export const WITH_TOKEN =
  'it is asked with a token of this server, and the reader may read some graphs only (governance.read_rules)';
const NO_ENDPOINTS: readonly ServiceEndpoint[] = [];

/**
 * What stands in service_endpoints goes before a remote of the same address. Where this server shows a token, the answer is
 * what the token may read, at this very address perhaps: who may read some graphs only is not asked for there.
 */
function serviceEndpointsOf(configuration: Configuration, { readable }: Principal): readonly ServiceEndpoint[] {
  const { service_endpoints: endpoints, remotes } = configuration.federation;
  if (endpoints.length === 0 && remotes.length === 0) return NO_ENDPOINTS;
  const listed = endpoints.map(({ url, timeout_ms: timeoutMs, auth_token: authToken }) => ({
    url,
    timeoutMs,
    authToken,
  }));
  const all = [...listed, ...remoteEndpoints(configuration)];
  return readable === null
    ? all
    : all.map((one) => (one.authToken === undefined ? one : { ...one, refusal: WITH_TOKEN }));
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
