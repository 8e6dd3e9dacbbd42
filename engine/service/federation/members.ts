/**
 * The remote members of a federation as the operator configures them: where they are asked, how long, with which token, and
 * what their facts are declared as. A member's own word about itself counts for nothing.
 */

import { parseLabels } from '../../graphs/labels/parse-labels.js';
import type { ServiceEndpoint } from '../../query/query.js';
import { AXES, type GraphLabels } from '../../query/registry/label-rows.js';
import { REMOTE_TIMEOUT_MS } from '../../query/service/remote-answer.js';
import type { Configuration } from '../configuration/configuration.js';

/** What answers call this store. */
export const LOCAL = 'local';

/** The columns that an answer has for who says a row. */
export const ANNOTATIONS: readonly string[] = ['_provider', '_trust', '_freshness'];

type RemoteKeys = Configuration['federation']['remotes'][number];

export interface Member {
  readonly name: string;
  /** Without a slash at its end. */
  readonly url: string;
  readonly authToken: string | undefined;
  /** Total time of a request. */
  readonly timeoutMs: number;
  /** As the operator declares them; null = undeclared. */
  readonly label: RemoteKeys['labels'] | null;
  /** The same as those of a graph are kept; none = undeclared. */
  readonly labels: GraphLabels;
}

export function remoteMembers({ federation, labels }: Configuration): readonly Member[] {
  return federation.remotes.map((remote) => ({
    name: remote.name,
    url: withoutSlashes(remote.url),
    authToken: remote.auth_token,
    timeoutMs: remote.timeout_ms ?? REMOTE_TIMEOUT_MS,
    label: remote.labels ?? null,
    labels: remote.labels === undefined ? {} : declaredLabels(remote.labels, labels.extra_kinds),
  }));
}

/** SERVICE may name `<remote url>/query` of each of them, and no other address of theirs. */
export function remoteEndpoints({ federation }: Configuration): readonly ServiceEndpoint[] {
  return federation.remotes.map(({ url, timeout_ms: timeoutMs, auth_token: authToken }) => ({
    url: `${withoutSlashes(url)}/query`,
    timeoutMs,
    authToken,
  }));
}

function withoutSlashes(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Throws what is wrong with them. */
export function declaredLabels(given: NonNullable<RemoteKeys['labels']>, extraKinds: readonly string[]): GraphLabels {
  const values = parseLabels(given as Parameters<typeof parseLabels>[0], extraKinds);
  const declared = AXES.filter((axis) => values[axis] !== undefined);
  return Object.fromEntries(declared.map((axis) => [axis, { value: values[axis], validTo: null }]));
}
