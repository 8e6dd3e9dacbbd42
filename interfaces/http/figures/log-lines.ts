/**
 * The log of a server: one JSON object a line. A line is written when a request starts and when it ends, so that one that
 * never ends can be seen. Lines of one turn of the event loop go out together, in their order; those of the audit at once,
 * so that a write never comes before the line that says that it began. No line holds an Authorization header, a token or
 * the body of an answer.
 */

import type { Bearer } from '../../../engine/governance/credentials.js';
import type { AuthOutcome } from '../guard/access.js';
import type { Attribution } from './attribution.js';

/** Takes one line or several. */
export type WriteLine = (lines: string) => void;

/** A request as its lines tell it. */
export interface RequestFacts extends Attribution {
  readonly id: number;
  readonly method: string;
  /** The template of the route, `unmatched` when there is none. */
  readonly route: string;
}

export interface RequestOutcome {
  readonly status: number;
  readonly durationMs: number;
  readonly authOutcome: AuthOutcome;
  /** On /query only. */
  readonly queryShape?: string | undefined;
  readonly resultSize?: number | undefined;
}

/** What a server goes by. */
export interface StartFacts {
  readonly address: string;
  readonly public_url: string | null;
  readonly db: string;
  readonly read_pool: number;
  readonly writes_need_token: boolean;
  readonly reads_need_token: boolean;
  readonly read_only: boolean;
}

/** A request that took long. */
export interface SlowRequest {
  readonly status: number;
  readonly durationMs: number;
  /** How much of it was waiting. */
  readonly waitedMs: number;
  /** Of the answer, where it is known. */
  readonly rows: number | undefined;
  /** Of the query or update, cut; absent for requests that have none. */
  readonly text: string | undefined;
}

function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

/** Held back at most. */
const PENDING_CHARACTERS_MAX = 64 * 1024;

export class ServerLog {
  readonly #write: WriteLine;
  readonly #requests: boolean;
  #pending = '';
  #lastId = 0;

  /** `requests`: whether each request leaves its two lines. Audits and failures always do. */
  constructor(write: WriteLine, { requests = true }: { readonly requests?: boolean } = {}) {
    this.#write = write;
    this.#requests = requests;
  }

  /** The number of the next request. */
  nextId(): number {
    return ++this.#lastId;
  }

  #line(event: string, fields: object): void {
    if (this.#pending === '') setImmediate(() => this.flush());
    this.#pending += `${JSON.stringify({ event, ts: now(), ...fields })}\n`;
    if (this.#pending.length > PENDING_CHARACTERS_MAX) this.flush();
  }

  /** Writes what is held back. */
  flush(): void {
    const lines = this.#pending;
    this.#pending = '';
    if (lines !== '') this.#write(lines);
  }

  started({ id, client, task, method, route }: RequestFacts): void {
    if (this.#requests) this.#line('request_start', { id, client, task, method, route });
  }

  completed({ id, client, task, method, route }: RequestFacts, outcome: RequestOutcome): void {
    if (!this.#requests) return;
    this.#line('request_complete', {
      id,
      client,
      task,
      method,
      route,
      status: outcome.status,
      duration_ms: Math.round(outcome.durationMs),
      auth_outcome: outcome.authOutcome,
      query_shape: outcome.queryShape,
      result_size: outcome.resultSize,
    });
  }

  /** A request that took longer than the setting allows to go unnoticed; always written. */
  slow({ id, client, task, method, route }: RequestFacts, slow: SlowRequest): void {
    this.#line('slow_query', {
      id,
      client,
      task,
      method,
      route,
      status: slow.status,
      duration_ms: Math.round(slow.durationMs),
      queue_ms: Math.round(slow.waitedMs),
      rows: slow.rows,
      text: slow.text,
    });
  }

  /** Bytes that were no request; `reason`: what the parser calls it, which holds none of them. */
  unreadable(status: number, reason: string | undefined): void {
    if (this.#requests) this.#line('request_unreadable', { id: this.nextId(), status, reason });
  }

  /** The audit of a write under a named credential; a start without its completion is indeterminate. */
  namedWrite(
    at: 'start' | 'complete',
    { id, method, route }: RequestFacts,
    principal: Bearer,
    outcome?: RequestOutcome,
  ): void {
    this.#line(`authenticated_request_${at}`, {
      correlation_id: id,
      credential_id: principal.credentialId,
      principal: principal.principal,
      method,
      route,
      ...(outcome && { status: outcome.status, duration_ms: Math.round(outcome.durationMs) }),
    });
    this.flush();
  }

  /** Once, when the server listens: what the lines before it tell people, for programs. */
  listening(facts: StartFacts): void {
    this.#line('server_start', facts);
    this.flush();
  }

  /** A failure of what runs beside the requests. */
  failedBeside(what: string, account: string): void {
    this.#line('background_failed', { what, account });
  }

  /** A failure that the caller was not told. */
  failed({ id, method, route }: RequestFacts, account: string): void {
    this.#line('request_failed', { id, method, route, account });
  }
}
