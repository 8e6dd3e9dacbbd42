/**
 * The life of a request to an operation: it is told of when it begins, judged by the access guard before anything of it
 * is read, and counted, logged and audited when it ends, whatever became of it. Requests over HTTP and calls of tools
 * share it, so that neither finds a way around the other's rules.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Credentials } from '../../engine/governance/credentials.js';
import { answerOperation } from '../../engine/service/answer-operation.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import type { OperationAnswer } from '../../engine/service/operation-answer.js';
import type { Operation } from '../../engine/service/operations/operation.js';
import type { Store } from '../../engine/service/store.js';
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
}

const OPEN: Admission = { outcome: 'not_required', principal: null, refusal: null };

export class Exchange {
  readonly facts: RequestFacts;
  readonly #rules: ExchangeRules;
  readonly #began = performance.now();
  #admission: Admission = OPEN;
  /** What the store said, and how long it kept the request waiting. */
  #answer: OperationAnswer | null = null;

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

  /** Settles when the answer begins. */
  async answer(operation: Operation, asked: Asked, signal: AbortSignal): Promise<OperationAnswer> {
    const { store, configuration } = this.#rules;
    this.#answer = await answerOperation(asked.operation ?? operation, asked.request, {
      store,
      configuration,
      control: { signal },
      documents: asked.documents ?? [],
      representation: asked.representation,
      acceptable: asked.acceptable,
      timeoutMs: configuration.search.query_timeout_ms,
    });
    return this.#answer;
  }

  /** A failure that the caller is not told the whole of. */
  failed(cause: unknown): void {
    this.#rules.log.failed(this.facts, describeCause(cause));
  }

  end(status: number): void {
    const { facts } = this;
    const { log, metrics } = this.#rules;
    const { outcome: authOutcome, principal } = this.#admission;
    const durationMs = performance.now() - this.#began;
    const { queryForm: queryShape, entries: resultSize, written } = this.#answer?.notes ?? {};
    const outcome = { status, durationMs, authOutcome, queryShape, resultSize };
    log.completed(facts, outcome);
    if (authOutcome === 'named_bearer' && principal !== null) log.namedWrite('complete', facts, principal, outcome);
    metrics.observe({
      client: facts.client,
      task: facts.task,
      endpoint: facts.route,
      status,
      seconds: durationMs / 1000,
      waitedSeconds: this.#answer === null ? null : (this.#answer.waitedMs ?? 0) / 1000,
    });
    if (written !== undefined) metrics.factsWritten(written);
  }
}
