/**
 * Federated queries of the library: the operation that servers answer, in the thread of the caller, over an open store and the
 * members that the caller names in place of a configuration.
 */

import { SvcError } from '../../../base/errors.js';
import type { LabelFloors } from '../../../graphs/labels/floors.js';
import type { ServiceEndpoint } from '../../../query/query.js';
import { type Configuration, withDefaults } from '../../configuration/keys.js';
import { describeProblems } from '../../configuration/parse.js';
import { brokenRules } from '../../configuration/rules.js';
import { readContext } from '../../reads/read-context.js';
import { encodeOperation } from '../definition/answer-operation.js';
import type { OperationContext } from '../definition/operation.js';
import type { FederatedResult, FederationMember, FederationOptions } from './federation-options.js';
import { read } from './read.js';

type Given = Readonly<Record<string, unknown>>;

/** By the list of members: a caller who asks again with the same list asks by what is known of them already. */
const configurations = new WeakMap<object, { readonly federation: string; readonly configuration: Configuration }>();

export async function askMembersOf(
  store: OperationContext['store'],
  text: string,
  { members, how = 'union', limit, timeoutMs, floors, serviceEndpoints, signal }: FederationOptions,
): Promise<FederatedResult> {
  const configuration = configurationOf(members, floors, serviceEndpoints);
  const request = { query: text, federated: how, limit, timeout_ms: timeoutMs };
  const context: OperationContext = {
    store,
    configuration,
    control: { signal },
    read: readContext(configuration),
    documents: [],
    representation: 'body',
  };
  const answer = encodeOperation(await read.run(context, request));
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as FederatedResult;
}

function configurationOf(
  members: readonly FederationMember[],
  floors: LabelFloors | undefined,
  serviceEndpoints: readonly ServiceEndpoint[] | undefined,
): Configuration {
  const given = {
    federation: {
      remotes: members.map(({ name, url, authToken, timeoutMs, labels }) =>
        stated({ name, url, auth_token: authToken, timeout_ms: timeoutMs, labels }),
      ),
      service_endpoints: serviceEndpoints?.map(({ url, authToken, timeoutMs }) =>
        stated({ url, auth_token: authToken, timeout_ms: timeoutMs }),
      ),
    },
    labels: stated({
      min_freshness: floors?.minFreshness,
      min_durability: floors?.minDurability,
      min_trust_rank: floors?.minTrust?.rank,
      min_trust_chain: floors?.minTrust?.chain,
      deny_policy_tokens: floors?.denyPolicyTokens,
    }),
  };
  const federation = JSON.stringify(given);
  const known = configurations.get(members);
  if (known?.federation === federation) return known.configuration;
  const clean = JSON.parse(federation) as Given;
  for (const { message } of [...describeProblems(clean), ...brokenRules(clean)]) throw invalid(message);
  const configuration = withDefaults(clean);
  configurations.set(members, { federation, configuration });
  return configuration;
}

function stated(keys: Given): Given {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
}

/** In the words of the library. */
function invalid(message: string): SvcError {
  const told = message
    .replace(/(svc\.)?federation\.remotes/g, 'members')
    .replace(/(svc\.)?federation\.service_endpoints/g, 'serviceEndpoints')
    .replace(/\bauth_token\b/g, 'authToken')
    .replace(/\btimeout_ms\b/g, 'timeoutMs');
  return new SvcError('invalid_request', told);
}
