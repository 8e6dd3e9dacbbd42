/** What the library says and gets of federated queries. Light: what answers them is loaded with the first. */

import { SvcError } from '../../../base/errors.js';
import type { LabelFloors } from '../../../graphs/labels/floors.js';
import type { ServiceEndpoint } from '../../../query/query.js';
import { optionsOf, refuseUnknown } from '../../options/refuse-unknown.js';
import type { AnswerLabels } from '../../reads/query.js';
import type { OperationContext } from '../definition/operation.js';

/** A store that is asked along, and what the caller declares of it; what it says of itself counts for nothing. */
export interface FederationMember {
  /** Letters, digits, `-` and `_`; in answers and before labels of its blank nodes. */
  readonly name: string;
  /** Of a server of the same kind. */
  readonly url: string;
  readonly authToken?: string | undefined;
  /** Total time of a request to it; default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** As labels of a remote in the configuration; absent = undeclared. */
  readonly labels?: Readonly<Record<string, unknown>> | undefined;
}

export interface FederationOptions {
  readonly members: readonly FederationMember[];
  /** `union` (default): every member answers the whole query. `join`: one query over the facts of all. */
  readonly how?: 'union' | 'join' | undefined;
  /** Rows at most; default and most 10,000. */
  readonly limit?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** What the graphs of this store and every member must be declared as at least. */
  readonly floors?: LabelFloors | undefined;
  /** Endpoints that SERVICE may ask besides `<url>/query` of each member. */
  readonly serviceEndpoints?: readonly ServiceEndpoint[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The body of POST /query. */
export interface FederatedResult {
  readonly variables: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly count: number;
  readonly truncated: boolean;
  /** No member failed. */
  readonly complete: boolean;
  readonly providers: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly rows: number;
    readonly error: string | null;
    readonly label: unknown;
  }[];
  readonly labels: AnswerLabels;
}

const KNOWN_OPTIONS = optionsOf<FederationOptions>()('members how limit timeoutMs floors serviceEndpoints signal');
const KNOWN_OF_MEMBER = optionsOf<FederationMember>()('name url authToken timeoutMs labels');

/** Asks a SELECT of an open store and of the members, or over the facts of all of them. */
export async function askFederation(
  store: OperationContext['store'],
  text: string,
  options: FederationOptions,
): Promise<FederatedResult> {
  refuseUnknown(options, KNOWN_OPTIONS, 'option of askFederation');
  const { members, how = 'union' } = options;
  if (!Array.isArray(members)) throw new SvcError('invalid_request', 'members: expected a list of members');
  for (const member of members) refuseUnknown(member, KNOWN_OF_MEMBER, 'key of a member');
  if (how !== 'union' && how !== 'join') {
    throw new SvcError('invalid_request', `how: expected 'union' or 'join', not ${JSON.stringify(how)}`);
  }
  const { askMembersOf } = await import('./ask-federation.js');
  return askMembersOf(store, text, options);
}
