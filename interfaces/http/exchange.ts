/**
 * The life of a request to an operation: it is told of when it begins, judged by the access guard before anything of it
 * is read, and counted, logged and audited when it ends, whatever became of it. Requests over HTTP and calls of tools
 * share it, so that neither finds a way around the other's rules.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticated } from '../../engine/base/control.js';
import type { AwaitedCall, WaitWatch } from '../../engine/base/waiting.js';
import type { Credentials } from '../../engine/governance/credentials.js';
import { answerOperation } from '../../engine/service/answer-operation.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import type { OperationAnswer } from '../../engine/service/operation-answer.js';
import type { Operation } from '../../engine/service/operations/operation.js';
import type { Store } from '../../engine/service/store.js';
import type { ToolHostOptions } from '../mcp/tool-host.js';
import { type Admission, admit } from './access.js';
import { attributionOf } from './attribution.js';
import { describeCause } from './errors.js';
import type { RequestFacts, ServerLog } from './log-lines.js';
import type { ServerMetrics } from './metrics.js';
import type { Asked } from './protocols/translator.js';

/** What requests meet. */
export interface ExchangeRules {
  readonly store: Store;
  readonly configuration: Configuration;
  readonly credentials: Credentials;
  readonly log: ServerLog;
  readonly metrics: ServerMetrics;
  /** Why tools can not write, where that is no rule of the server. */
  readonly toolsReadOnly?: ToolHostOptions['readsOnly'];
}

/** Its lines alone tell of the query and the size of its answer. */
const QUERY_PATH = '/query';

const OPEN: Admission = { outcome: 'not_required', principal: null, refusal: null };

export class Exchange implements WaitWatch {
  readonly facts: RequestFacts;
  readonly #rules: ExchangeRules;
  readonly #began = performance.now();
  #admission: Admission = OPEN;
  #answer: OperationAnswer | null = null;
  /** When the store was asked; null = it was not. */
  #askedMs: number | null = null;
  /** How long it kept the request waiting so far, besides the call that it stands at now. */
  #waitedMs = 0;
  #waits = true;
  #call: AwaitedCall | null = null;

  /** `route`: the template, `unmatched` when there is none. */
  constructor(rules: ExchangeRules, method: string, route: string, headers: IncomingHttpHeaders) {
    this.#rules = rules;
    this.facts = { id: rules.log.nextId(), method, route, ...attributionOf(headers) };
    rules.log.started(this.facts);
  }

  /** Throws the refusal of the access guard. */
  admit(access: 'read' | 'write', headers: IncomingHttpHeaders): void {
    const { credentials, configuration, log } = this.#rules;
    const admission = admit(access, this.facts.route, headers, {
      credentials,
      readOnly: configuration.server.read_only,
    });
    this.#admission = admission;
    if (admission.refusal !== null) throw admission.refusal;
    if (admission.outcome === 'named_bearer' && admission.principal !== null) {
      log.namedWrite('start', this.facts, admission.principal);
    }
  }

  #evidence(): Authenticated | undefined {
    const { principal } = this.#admission;
    if (principal === null) return undefined;
    return {
      principal: principal.principal,
      credential_id: principal.credentialId,
      auth_class: principal.authClass,
    };
  }

  /** Settles when the answer begins. */
  async answer(operation: Operation, asked: Asked, signal: AbortSignal): Promise<OperationAnswer> {
    const { store, configuration } = this.#rules;
    this.#askedMs = performance.now();
    this.#answer = await answerOperation(asked.operation ?? operation, asked.request, {
      store,
      configuration,
      control: { signal, wait: this, authenticated: this.#evidence() },
      documents: asked.documents ?? [],
      representation: asked.representation,
      acceptable: asked.acceptable,
      timeoutMs: configuration.search.query_timeout_ms,
    });
    return this.#answer;
  }

  waits(): void {
    this.#waits = true;
  }

  begins(waitedMs: number): void {
    this.#waits = false;
    this.#waitedMs += waitedMs;
  }

  follows(call: AwaitedCall): void {
    this.#waitedMs += this.#call?.waitedMs ?? 0;
    this.#call = call;
  }

  /** Of so long since the store was asked, what was waiting: all of it where the work never began. */
  #waitedOf(elapsedMs: number): number {
    const waitedMs = this.#call === null ? null : this.#call.waitedMs;
    const waits = this.#call === null ? this.#waits : waitedMs === null;
    return waits ? elapsedMs : Math.min(this.#waitedMs + (waitedMs ?? 0), elapsedMs);
  }

  /** A failure that the caller is not told the whole of. */
  failed(cause: unknown): void {
    this.#rules.log.failed(this.facts, describeCause(cause));
  }

  end(status: number): void {
    const { facts } = this;
    const { log, metrics } = this.#rules;
    const { outcome: authOutcome, principal } = this.#admission;
    const now = performance.now();
    const durationMs = now - this.#began;
    const { queryForm, entries, written } = this.#answer?.notes ?? {};
    const query = facts.route === QUERY_PATH ? { queryShape: queryForm, resultSize: entries } : {};
    const outcome = { status, durationMs, authOutcome, ...query };
    log.completed(facts, outcome);
    if (authOutcome === 'named_bearer' && principal !== null) log.namedWrite('complete', facts, principal, outcome);
    const storeMs = this.#askedMs === null ? 0 : now - this.#askedMs;
    const waitedMs = this.#askedMs === null ? 0 : this.#waitedOf(storeMs);
    metrics.observe({
      client: facts.client,
      task: facts.task,
      endpoint: facts.route,
      status,
      seconds: durationMs / 1000,
      asked: this.#askedMs !== null,
      waitedSeconds: waitedMs / 1000,
      heldSeconds: (storeMs - waitedMs) / 1000,
    });
    if (written !== undefined) metrics.factsWritten(written);
  }
}
