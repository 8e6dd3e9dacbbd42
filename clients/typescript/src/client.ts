/** A server and how to ask it, from a browser or from Node: nothing but `fetch`. */

import { errorOf, SvcError } from './errors.js';
import { type Documents, type Operations, ROUTES } from './operations.js';
import { type Row, readRows } from './rows.js';

export interface ClientOptions {
  /** The bearer token, sent with writes. */
  readonly token?: string | undefined;
  /** Sends the token with reads, too: for a server whose `server.require_token_for_reads` is on. */
  readonly tokenOnReads?: boolean | undefined;
  /** Who asks, and what for: X-Svc-Client and X-Svc-Task. */
  readonly clientId?: string | undefined;
  readonly taskId?: string | undefined;
  /** On whose behalf it is written, the outermost first: X-Svc-Principal-Chain, sent with writes. */
  readonly principalChain?: readonly string[] | undefined;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  /**
   * At least this transaction has to be seen, the `tx_id` of a write for instance: X-Svc-Min-Tx. A server that does not have
   * it yet, as a follower may, waits for it, and answers 503 after its time for queries.
   */
  readonly minTx?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Request<Name extends keyof Operations> = Operations[Name]['request'];
type Response_<Name extends keyof Operations> = Operations[Name]['response'];
/** What a query takes besides its text. */
export type QueryFields = Omit<Request<'read'>, 'query'>;

export interface UpdateResult {
  readonly tx_id: number;
  readonly inserted: number;
  readonly deleted: number;
  readonly graphs: readonly string[];
}

const JSON_TYPE = 'application/json';
const SPARQL_JSON = 'application/sparql-results+json';

export class SvcClient {
  readonly #base: string;
  readonly #options: ClientOptions;

  /** `baseUrl`: where the server is, `http://127.0.0.1:3030`. */
  constructor(baseUrl: string, options: ClientOptions = {}) {
    const { protocol, origin, pathname } = new URL(baseUrl);
    if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${baseUrl} is no address of a server`);
    const joined = options.principalChain?.find((one) => one.trim() === '' || one.includes(','));
    if (joined !== undefined)
      throw new TypeError(`principalChain: '${joined}' is no principal: it is empty or holds a comma`);
    this.#base = origin + pathname.replace(/\/+$/, '');
    this.#options = options;
  }

  /** Runs an operation of the server by its name. Fields that are undefined are left out. */
  async call<Name extends keyof Operations>(
    name: Name,
    request: Request<Name>,
    options: CallOptions = {},
  ): Promise<Response_<Name>> {
    const { method, path, input, access } = ROUTES[name];
    const headers = this.#headers(JSON_TYPE, access === 'write', options);
    const target = input === 'parameters' ? targetOf(path, request) : path;
    const body = input === 'body' ? JSON.stringify(request) : undefined;
    if (body !== undefined) headers['Content-Type'] = JSON_TYPE;
    return (await this.#json(target, { method, headers, body, ...options })) as Response_<Name>;
  }

  /** Whether the server lives. */
  async health(options: CallOptions = {}): Promise<{ readonly status: string }> {
    const answer = await this.#json('/health', {
      method: 'GET',
      headers: this.#headers(JSON_TYPE, false, options),
      ...options,
    });
    return answer as { readonly status: string };
  }

  /** Answers a SPARQL query: `variables` and `rows`, or `triples`, or `result`. */
  query(query: string, fields: QueryFields = {}, options: CallOptions = {}): Promise<Response_<'read'>> {
    return this.call('read', { query, ...fields }, options);
  }

  /** Rows of a SELECT as they arrive, however many there are. Leaving the loop stops the query. */
  rows(query: string, fields: QueryFields = {}, options: CallOptions = {}): AsyncGenerator<Row, void, undefined> {
    return readRows(this.document(query, SPARQL_JSON, fields, options));
  }

  /** An answer as a document of a media type that the server has, in pieces: CSV, Arrow, Turtle ... */
  async *document(
    query: string,
    mediaType: string,
    fields: QueryFields = {},
    options: CallOptions = {},
  ): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.#stream('/query', { query, ...fields }, mediaType, options);
  }

  /** RDF of ROOT, a graph or a CONSTRUCT query, in pieces. */
  async *export(
    request: Documents['export'] = {},
    options: CallOptions = {},
  ): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.#stream('/export', request, '*/*', options);
  }

  /** Runs a SPARQL update as one transaction. */
  async update(update: string, options: CallOptions = {}): Promise<UpdateResult> {
    const headers = { ...this.#headers(JSON_TYPE, true, options), 'Content-Type': 'application/sparql-update' };
    return (await this.#json('/update', { method: 'POST', headers, body: update, ...options })) as UpdateResult;
  }

  async #json(target: string, init: Init): Promise<unknown> {
    const response = await this.#send(target, init);
    const content = await response.text().catch((error: unknown) => {
      throw broken(target, error, init.signal);
    });
    try {
      return JSON.parse(content);
    } catch (error) {
      throw new SvcError(`the answer to ${target} is not JSON`, null, content.slice(0, 200), error);
    }
  }

  async *#stream(
    path: string,
    request: object,
    accept: string,
    options: CallOptions,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const { signal } = options;
    const headers = { ...this.#headers(accept, false, options), 'Content-Type': JSON_TYPE };
    const response = await this.#send(path, { method: 'POST', headers, body: JSON.stringify(request), signal });
    const reader = response.body?.getReader();
    if (reader === undefined) return;
    let ended = false;
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          ended = true;
          throw broken(path, error, signal);
        });
        if (done) {
          ended = true;
          return;
        }
        yield value;
      }
    } finally {
      if (!ended) await reader.cancel().catch(() => undefined);
    }
  }

  async #send(target: string, { signal, body, ...init }: Init): Promise<Response> {
    const ask = this.#options.fetch ?? fetch;
    const response = await ask(this.#base + target, {
      ...init,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      throw broken(target, error, signal);
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  #headers(accept: string, isWrite: boolean, { minTx }: CallOptions): Record<string, string> {
    if (minTx !== undefined && !(Number.isSafeInteger(minTx) && minTx >= 0)) {
      throw new TypeError(`minTx is ${minTx}; expected the number of a transaction`);
    }
    const { token, tokenOnReads = false, clientId, taskId, principalChain = [] } = this.#options;
    return {
      Accept: accept,
      ...(clientId === undefined ? {} : { 'X-Svc-Client': clientId }),
      ...(minTx === undefined ? {} : { 'X-Svc-Min-Tx': String(minTx) }),
      ...(taskId === undefined ? {} : { 'X-Svc-Task': taskId }),
      ...(isWrite && principalChain.length > 0
        ? { 'X-Svc-Principal-Chain': headerText(principalChain.join(',')) }
        : {}),
      ...((isWrite || tokenOnReads) && token !== undefined ? { Authorization: `Bearer ${token}` } : {}),
    };
  }
}

interface Init extends CallOptions {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
}

/** Each byte of UTF-8 as a character, as headers carry it. */
function headerText(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

/** Who cancels sees the reason that was given; everything else is an answer that did not come. */
function broken(target: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const told = cause instanceof Error ? cause.message : String(cause);
  return new SvcError(`no whole answer to ${target}: ${told}`, null, null, error);
}

/** A variable of the path is the field of its name; the others are parameters. */
function targetOf(path: string, request: object): string {
  const fields = { ...request } as Record<string, unknown>;
  const named = path.replace(/\{(\w+)\}/, (_, name: string) => {
    const value = encodeURIComponent(String(fields[name]));
    delete fields[name];
    return value;
  });
  return named + parametersOf(fields);
}

function parametersOf(request: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(request)) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const one of values) if (one !== undefined && one !== null) parameters.append(name, String(one));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}
