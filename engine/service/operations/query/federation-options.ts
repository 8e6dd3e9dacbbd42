/** What the library says and gets of federated queries. */

import type { LabelFloors } from '../../../graphs/labels/floors.js';
import type { ServiceEndpoint } from '../../../query/query.js';
import type { AnswerLabels } from '../../reads/query.js';

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
