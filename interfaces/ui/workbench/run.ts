/**
 * A query on its way: asked, being answered, ended, each with its times. Rows and triples are read by a worker
 * (`rows/rows-worker.ts`), which keeps them; the page asks it for what is shown. Fires `change`.
 */

import { errorOf } from '../../../clients/typescript/src/errors.js';
import { SvcError, type UpdateResult } from '../../../clients/typescript/src/index.js';
import { isAbort } from '../parts/errors.js';
import { startWorker } from '../parts/worker.js';
import type { ScopeFields } from '../wire/scope.js';
import type { Server } from '../wire/server.js';
import type { QueryForm } from './query-form.js';
import type { Asked, EndCause, FromWorker, NumberColumn, ShownRow, ToWorker } from './rows/messages.js';

export interface RunOptions {
  readonly server: Server;
  readonly text: string;
  readonly form: QueryForm;
  readonly scope: ScopeFields;
  /** Absent = as the server does it. */
  readonly inference: boolean | undefined;
  readonly timeoutMs: number | undefined;
}

export type Outcome =
  | { readonly kind: 'rows' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'update'; readonly result: UpdateResult };

type DistributedOmit<T> = T extends unknown ? Omit<T, 'id'> : never;

export class Run extends EventTarget {
  readonly options: RunOptions;
  readonly startedMs = performance.now();
  outcome: Outcome | null = null;
  columns: readonly string[] = [];
  rows = 0;
  bytes = 0;
  /** From the beginning on; null = not yet. */
  firstMs: number | null = null;
  endedMs: number | null = null;
  /** Why there are no more rows than these; null = there are none, or they still come. */
  cause: EndCause | null = null;
  cutByServer = false;
  failure: unknown = null;
  #worker: Worker | null = null;
  readonly #stop = new AbortController();
  readonly #asked = new Map<number, (message: FromWorker) => void>();
  #lastId = 0;

  constructor(options: RunOptions) {
    super();
    this.options = options;
    void this.#start();
  }

  get isRunning(): boolean {
    return this.endedMs === null;
  }

  /** Closes the connection: the server ends the query when nobody waits for it. What has come stays. */
  cancel(): void {
    this.#stop.abort();
    this.#send({ kind: 'stop' });
  }

  /** Nothing of it is needed any more. */
  dispose(): void {
    this.cancel();
    this.#worker?.terminate();
    this.#worker = null;
    this.#asked.clear();
  }

  async shownRows(from: number, to: number, charactersMax: number): Promise<readonly ShownRow[]> {
    const answer = await this.#ask({ kind: 'rows', from, to, charactersMax });
    return answer.kind === 'rows' ? answer.rows : [];
  }

  async lines(from: number, to: number, charactersMax: number): Promise<readonly string[]> {
    const answer = await this.#ask({ kind: 'lines', from, to, charactersMax });
    return answer.kind === 'lines' ? answer.lines : [];
  }

  async numbers(rowsMax: number): Promise<readonly NumberColumn[]> {
    const answer = await this.#ask({ kind: 'numbers', rowsMax });
    return answer.kind === 'numbers' ? answer.columns : [];
  }

  /** Of requests: with the time and graph, and what else was chosen. */
  get fields(): Record<string, unknown> {
    const { text, scope, inference, timeoutMs } = this.options;
    return {
      query: text,
      ...scope,
      ...(inference === undefined ? {} : { inference }),
      ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
    };
  }

  async #start(): Promise<void> {
    const { form } = this.options;
    try {
      if (form === 'update') await this.#update();
      else if (form === 'ask') await this.#askWhether();
      else this.#read();
    } catch (error) {
      this.#end(isAbort(error) ? { kind: 'stopped' } : null, isAbort(error) ? null : error);
    }
  }

  async #update(): Promise<void> {
    const { server, text, scope } = this.options;
    if (scope.valid_at !== undefined || scope.tx !== undefined) {
      throw new Error(
        'The page looks at the past, and the past is not written: go back to now (N), then run it again.',
      );
    }
    const graph = scope.graph === undefined ? '' : `?using-graph-uri=${encodeURIComponent(scope.graph)}`;
    const response = await server.fetch(`${server.base}/update${graph}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/sparql-update', Accept: 'application/json', 'X-Svc-Client': 'web-ui' },
      body: text,
      signal: this.#stop.signal,
    });
    if (!response.ok) throw await errorOf(response);
    this.outcome = { kind: 'update', result: (await response.json()) as UpdateResult };
    this.#end(null);
  }

  async #askWhether(): Promise<void> {
    const { text, server } = this.options;
    const { query: _, ...fields } = this.fields;
    const { result } = await server.client.query(text, fields, { signal: this.#stop.signal });
    this.outcome = { kind: 'boolean', value: result === true };
    this.#end(null);
  }

  #read(): void {
    const { server, form } = this.options;
    const isGraph = form === 'construct' || form === 'describe';
    const worker = startWorker(new URL('./rows/rows-worker.js', import.meta.url));
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => this.#take(data));
    worker.addEventListener('error', ({ message }) =>
      this.#end(null, new Error(`the reader of the answer failed: ${message}`)),
    );
    const { headers } = server.withToken({
      headers: {
        Accept: isGraph ? 'application/n-triples' : 'text/tab-separated-values',
        'Content-Type': 'application/json',
        'X-Svc-Client': 'web-ui',
      },
    });
    this.#send({
      kind: 'start',
      url: `${server.base}/query`,
      headers: Object.fromEntries(new Headers(headers)),
      body: JSON.stringify(this.fields),
      format: isGraph ? 'ntriples' : 'tsv',
    });
  }

  #take(message: FromWorker): void {
    const { server } = this.options;
    switch (message.kind) {
      case 'head':
        server.noted(true);
        this.outcome = { kind: 'rows' };
        this.columns = message.columns;
        this.cutByServer = message.cutByServer;
        break;
      case 'progress':
        if (message.rows > 0) this.firstMs ??= performance.now() - this.startedMs;
        this.rows = message.rows;
        this.bytes = message.bytes;
        break;
      case 'end':
        this.rows = message.rows;
        this.bytes = message.bytes;
        if (message.rows > 0) this.firstMs ??= performance.now() - this.startedMs;
        if (message.cause?.kind === 'broken') {
          server.noted(false);
          this.#end(message.cause, this.outcome === null ? unanswered(message.cause.message) : null);
        } else this.#end(message.cause);
        return;
      case 'refused':
        server.noted(true);
        void this.#refused(message.status, message.content);
        return;
      default:
        this.#asked.get(message.id)?.(message);
        this.#asked.delete(message.id);
        return;
    }
    this.#changed();
  }

  /** A token is asked for, and the query sent again with it. */
  async #refused(status: number, content: string): Promise<void> {
    const { tokens } = this.options.server;
    const used = tokens.current;
    if (status === 401 && (await tokens.renew(used)) !== null && !this.#stop.signal.aborted) {
      this.#worker?.terminate();
      this.#read();
      return;
    }
    this.#end(null, refusal(status, content));
  }

  #ask(asked: DistributedOmit<Asked>): Promise<FromWorker> {
    this.#lastId++;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#worker === null) {
        reject(new Error('the answer is gone'));
        return;
      }
      this.#asked.set(id, (message) =>
        message.kind === 'failed' ? reject(new Error(message.message)) : resolve(message),
      );
      this.#send({ ...asked, id });
    });
  }

  #send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  #end(cause: EndCause | null, failure: unknown = null): void {
    if (this.endedMs !== null) return;
    this.cause = cause;
    this.failure = failure;
    this.endedMs = performance.now() - this.startedMs;
    this.#changed();
  }

  #changed(): void {
    this.dispatchEvent(new Event('change'));
  }
}

function unanswered(message: string): SvcError {
  return new SvcError(`no answer to /query: ${message}`, null, null);
}

function refusal(status: number, content: string): SvcError {
  let body: unknown = content;
  try {
    body = JSON.parse(content);
  } catch {
    // A proxy says what it says.
  }
  const said = typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : content;
  return new SvcError(`${status}: ${said}`, status, body);
}
