/**
 * Requests of SERVICE: a POST of the SPARQL protocol for SPARQL JSON results. Whatever goes wrong becomes one error that
 * names the endpoint.
 */

import { SvcError } from '../../base/errors.js';
import { JoinedSignal } from '../../base/joined-signal.js';
import { Waits } from '../runtime/operator.js';
import type { ServiceEndpoint } from './endpoints.js';
import { parseResults, type RemoteRow } from './read-results.js';
import { askRemote, REMOTE_TIMEOUT_MS, reasonOf, textOf } from './remote-answer.js';

const MEDIA_TYPE = 'application/sparql-results+json';

export type ServiceOutcome =
  | { readonly kind: 'rows'; readonly rows: readonly RemoteRow[]; readonly bytes: number }
  | { readonly kind: 'failed'; readonly error: SvcError };

/** One request under way. */
export class ServiceCall {
  /** Null until it is known. */
  outcome: ServiceOutcome | null = null;
  /** Resolves when `outcome` is there; never rejects. */
  readonly settled: Promise<void>;
  private readonly controller = new AbortController();

  constructor(endpoint: ServiceEndpoint, query: string) {
    const { signal } = this.controller;
    this.settled = ask(endpoint, query, signal).then(
      (outcome) => {
        this.outcome = outcome;
      },
      (error: unknown) => {
        this.outcome = { kind: 'failed', error: failure(endpoint, error) };
      },
    );
  }

  abort(): void {
    this.controller.abort();
  }
}

/** The endpoints of one query. */
export class ServiceClient {
  readonly waits = new Waits();

  constructor(private readonly endpoints: readonly ServiceEndpoint[]) {}

  ask(url: string, query: string): ServiceCall {
    const endpoint = this.endpoints.find((known) => known.url === url);
    if (endpoint === undefined) throw new SvcError('internal', `SERVICE <${url}> was not refused in time`);
    return new ServiceCall(endpoint, query);
  }
}

async function ask(endpoint: ServiceEndpoint, query: string, signal: AbortSignal): Promise<ServiceOutcome> {
  const stop = new JoinedSignal([signal], endpoint.timeoutMs ?? REMOTE_TIMEOUT_MS);
  try {
    const response = await askRemote({
      url: endpoint.url,
      authToken: endpoint.authToken,
      contentType: 'application/x-www-form-urlencoded',
      body: new URLSearchParams({ query }).toString(),
      mediaType: MEDIA_TYPE,
      accepts: /^application\/(sparql-results\+)?json\s*(;|$)/i,
      signal: stop.signal,
    });
    let text = '';
    // An answer is parsed in one step, which its bound keeps from taking much longer than a tenth of a second.
    for await (const piece of textOf(response, 'narrow the pattern inside SERVICE')) text += piece;
    return { kind: 'rows', rows: parseResults(text), bytes: text.length };
  } finally {
    stop.end();
  }
}

function failure(endpoint: ServiceEndpoint, error: unknown): SvcError {
  const { url, timeoutMs = REMOTE_TIMEOUT_MS } = endpoint;
  const reason = reasonOf(error, `${timeoutMs} ms (timeout_ms of federation.service_endpoints)`);
  return new SvcError('service_failed', `SERVICE <${url}>: ${reason}`, {
    hint: 'with SERVICE SILENT the query goes on without this endpoint',
    cause: error,
  });
}
