/**
 * Requests of SERVICE: a POST of the SPARQL protocol for SPARQL JSON results. They follow no redirects,
 * carry no credentials but the endpoint's own token, end after the endpoint's time, and read no more than
 * a bounded answer. Whatever goes wrong becomes one error that names the endpoint.
 */

import { SvcError } from '../../base/errors.js';
import { JoinedSignal } from '../../base/joined-signal.js';
import { Waits } from '../runtime/operator.js';
import type { ServiceEndpoint } from './endpoints.js';
import { MalformedResults, parseResults, type RemoteRow } from './read-results.js';

const TIMEOUT_MS = 5000;
/** Such an answer is parsed in one step, which must not take much longer than a tenth of a second. */
export const ANSWER_BYTES_MAX = 64 * 2 ** 20;
const MEDIA_TYPE = 'application/sparql-results+json';
const EXCERPT_CHARACTERS = 200;

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

class Refusal extends Error {}

async function ask(endpoint: ServiceEndpoint, query: string, signal: AbortSignal): Promise<ServiceOutcome> {
  const stop = new JoinedSignal([signal], endpoint.timeoutMs ?? TIMEOUT_MS);
  try {
    return await request(endpoint, query, stop.signal);
  } finally {
    stop.end();
  }
}

async function request(endpoint: ServiceEndpoint, query: string, signal: AbortSignal): Promise<ServiceOutcome> {
  const { url, authToken } = endpoint;
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      accept: MEDIA_TYPE,
      'content-type': 'application/x-www-form-urlencoded',
      ...(authToken === undefined ? {} : { authorization: `Bearer ${authToken}` }),
    },
    body: new URLSearchParams({ query }).toString(),
    signal,
  });
  const { text, bytes } = await readText(response);
  if (response.status >= 300 && response.status < 400) {
    throw new Refusal(`it answered with a redirect (${response.status}), which is not followed`);
  }
  if (response.status !== 200) throw new Refusal(`it answered ${response.status}${excerpt(text)}`);
  const type = response.headers.get('content-type') ?? 'nothing';
  if (!/^application\/(sparql-results\+)?json\s*(;|$)/i.test(type)) {
    throw new Refusal(`it answered with ${type.slice(0, 100)} instead of ${MEDIA_TYPE}`);
  }
  return { kind: 'rows', rows: parseResults(text), bytes };
}

async function readText(response: Response): Promise<{ text: string; bytes: number }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) {
      throw new Refusal(
        `its answer is larger than ${ANSWER_BYTES_MAX / 2 ** 20} MB; narrow the pattern inside SERVICE`,
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), bytes };
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? '' : `: ${line.slice(0, EXCERPT_CHARACTERS)}`;
}

function failure(endpoint: ServiceEndpoint, error: unknown): SvcError {
  const { url, timeoutMs = TIMEOUT_MS } = endpoint;
  const failed = (reason: string) =>
    new SvcError('service_failed', `SERVICE <${url}>: ${reason}`, {
      hint: 'with SERVICE SILENT the query goes on without this endpoint',
      cause: error,
    });
  if (error instanceof Refusal) return failed(error.message);
  if (error instanceof MalformedResults) return failed(`its answer can't be read: ${error.message}`);
  if (!(error instanceof Error)) return failed(String(error));
  if (error.name === 'TimeoutError') {
    return failed(`no whole answer within ${timeoutMs} ms (timeout_ms of federation.service_endpoints)`);
  }
  const cause = error.cause instanceof Error ? error.cause.message || (error.cause as NodeJS.ErrnoException).code : '';
  return failed(`no answer (${cause || error.message})`);
}
