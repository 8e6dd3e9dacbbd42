/**
 * The life of a request to an operation: it is told of when it begins, judged by the access guard before anything of it
 * is read, and counted, logged and audited when it ends, whatever became of it. Requests over HTTP and calls of tools
 * share it, so that neither finds a way around the other's rules.
 */

import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticated } from '../../engine/base/control.js';
import { SvcError } from '../../engine/base/errors.js';
import { JoinedSignal } from '../../engine/base/joined-signal.js';
import { ANYONE, chainOfText, checkedChain, type Principal } from '../../engine/base/principal.js';
import type { AwaitedCall, WaitWatch } from '../../engine/base/waiting.js';
import type { Bearer, Credentials } from '../../engine/governance/credentials.js';
import type { ReadRules } from '../../engine/governance/read-rules.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import { answerOperation } from '../../engine/service/operations/definition/answer-operation.js';
import type { Operation } from '../../engine/service/operations/definition/operation.js';
import {
  type RunningEntry,
  type RunningRequest,
  type RunningRequests,
  textOfRequest,
} from '../../engine/service/operations/definition/running-requests.js';
import { readContext } from '../../engine/service/reads/read-context.js';
import type { OperationAnswer } from '../../engine/service/requests/operation-answer.js';
import type { Store } from '../../engine/service/store/store.js';
import type { ToolHostOptions } from '../mcp/tool-host.js';
import { describeCause } from './answers/errors.js';
import { attributionOf } from './figures/attribution.js';
import type { RequestFacts, ServerLog } from './figures/log-lines.js';
import type { ServerMetrics } from './figures/metrics.js';
import { type Access, type Admission, admit } from './guard/access.js';
import type { ClientLimits } from './guard/client-limits.js';
import type { Asked } from './protocols/translator.js';

/** What requests meet. */
export interface ExchangeRules {
  readonly store: Store;
  readonly configuration: Configuration;
  readonly credentials: Credentials;
  /** Whether reads need the bearer, too. */
  readonly protectsReads: boolean;
  readonly log: ServerLog;
  readonly metrics: ServerMetrics;
  /** Who may read which graphs; null = everybody reads everything. */
  readonly readRules: ReadRules | null;
  readonly running: RunningRequests;
  readonly clients: ClientLimits;
  /** Why tools can not write, where that is no rule of the server. */
  readonly toolsReadOnly?: ToolHostOptions['readsOnly'];
}

/** It changes nothing in the store, so a server that only reads takes it. */
const CANCEL_PATH = '/queries/cancel';

/** Its lines alone tell of the query and the size of its answer. */
const QUERY_PATH = '/query';

const OPEN: Admission = { outcome: 'not_required', principal: null, reader: null, refusal: null };

/** What a token proves, in the words in which it is kept and shown. */
function evidenceOf({ principal, credentialId, authClass }: Bearer): Authenticated {
  return { principal, credential_id: credentialId, auth_class: authClass };
}

/** Who is counted: a credential by its name, others by their address, those with the shared token apart. */
function clientOf({ principal }: Admission, address: string): string {
  if (principal === null) return address;
  return principal.credentialId === null ? `bearer ${address}` : `credential ${principal.credentialId}`;
}

const PRINCIPAL_CHAIN = 'x-svc-principal-chain';

/** Undefined: the header names nobody. Node hands over each byte of a header as a character; here they are UTF-8. */
function principalsOf(header: string | string[] | undefined): readonly string[] | undefined {
  const bytes = Buffer.from([header ?? []].flat().join(','), 'latin1');
  if (!isUtf8(bytes)) throw new SvcError('invalid_utf8', 'X-Svc-Principal-Chain is not UTF-8');
  return chainOfText(bytes.toString('utf8'), 'the header X-Svc-Principal-Chain');
}

export class Exchange implements WaitWatch, RunningEntry {
  readonly facts: RequestFacts;
  readonly #rules: ExchangeRules;
  readonly #began = performance.now();
  #admission: Admission = OPEN;
  /** Whose write leaves lines in the audit. */
  #audited: Bearer | null = null;
  #answer: OperationAnswer | null = null;
  /** When the operation began to use the store; null = it did not. */
  #askedMs: number | null = null;
  /** How long it kept the request waiting so far, besides the call that it stands at now. */
  #waitedMs = 0;
  #waits = true;
  #call: AwaitedCall | null = null;
  /** The operation, and the text of its query or update, for lists and logs; null = not known yet. */
  #asked: { readonly operation: string; readonly text: string | null } | null = null;
  /** Why it was ended from outside. */
  #ended: SvcError | null = null;
  /** Where the work runs in this thread. */
  #abort: AbortController | null = null;
  #joined: JoinedSignal | null = null;
  #leave: () => void = () => undefined;
  /** On whose behalf the request says that it comes. */
  readonly #claimed: string | string[] | undefined;

  /** `route`: the template, `unmatched` when there is none. */
  constructor(rules: ExchangeRules, method: string, route: string, headers: IncomingHttpHeaders) {
    this.#rules = rules;
    this.facts = { id: rules.log.nextId(), method, route, ...attributionOf(headers) };
    rules.log.started(this.facts);
    this.#claimed = headers[PRINCIPAL_CHAIN];
  }

  /** Throws the refusal of the access guard. `address`: of the client, where its requests are counted. */
  admit(access: Access, headers: IncomingHttpHeaders, address: string | null = null): void {
    const { credentials, configuration, log, clients } = this.#rules;
    const admission = admit(access, this.facts.route, headers, {
      credentials,
      readOnly: configuration.server.read_only && this.facts.route !== CANCEL_PATH,
      follows: configuration.follow.primary,
      protectsReads: this.#rules.protectsReads,
    });
    this.#admission = admission;
    if (admission.refusal !== null) throw admission.refusal;
    if (address !== null) this.#leave = clients.enter(clientOf(admission, address));
    this.#audited = access === 'write' && admission.outcome === 'named_bearer' ? admission.principal : null;
    if (this.#audited !== null) {
      log.namedWrite('start', this.facts, this.#audited);
    }
  }

  /** Whom the header names, behind whom a named token proves; undefined: nobody was named, so that nobody's authority counts. */
  get #chain(): readonly string[] | undefined {
    const named = principalsOf(this.#claimed);
    const proved = this.#admission.principal?.principal ?? null;
    if (proved === null) return named;
    return checkedChain(
      [proved, ...(named ?? [])],
      'the header X-Svc-Principal-Chain, with the principal of the token,',
    );
  }

  /** Who asks, and what they may read. */
  get principal(): Principal {
    const { reader } = this.#admission;
    const authenticated = reader && evidenceOf(reader);
    return this.#rules.readRules?.principal(authenticated) ?? { ...ANYONE, authenticated };
  }

  /** Settles when the answer begins. */
  async answer(operation: Operation, asked: Asked, signal: AbortSignal): Promise<OperationAnswer> {
    const { store, configuration, running } = this.#rules;
    const { principal } = this.#admission;
    this.#askedMs = performance.now();
    const { name } = asked.operation ?? operation;
    this.#asked = { operation: name, text: textOfRequest(asked.request) };
    running.add(this.facts.id, this);
    this.#answer = await answerOperation(asked.operation ?? operation, asked.request, {
      store,
      configuration,
      running,
      onMember: (name, ok, seconds) => this.#rules.metrics.memberAsked(name, ok, seconds),
      control: {
        signal: this.#stoppable(signal, (asked.operation ?? operation).inServer(asked.request)),
        wait: this,
        authenticated: principal === null ? undefined : evidenceOf(principal),
        principalChain: this.#chain,
      },
      documents: asked.documents ?? [],
      representation: asked.representation,
      acceptable: asked.acceptable,
      read: readContext(configuration, this.principal),
    });
    return this.#answer;
  }

  /** Threads are told by their call; a signal of its own for every request would cost as much as a small answer. */
  #stoppable(signal: AbortSignal, inServer: boolean): AbortSignal {
    if (this.#rules.store.readers !== null && !inServer) return signal;
    this.#abort = new AbortController();
    this.#joined = new JoinedSignal([signal, this.#abort.signal]);
    return this.#joined.signal;
  }

  describe(): RunningRequest {
    const { operation = '', text = null } = this.#asked ?? {};
    const { id, client } = this.facts;
    const now = performance.now();
    const waitedMs = this.#askedMs === null ? 0 : this.#waitedOf(now - this.#askedMs);
    return { id, operation, text, client, elapsedMs: now - this.#began, waitedMs };
  }

  stop(error: SvcError): void {
    this.#ended = error;
    this.#abort?.abort(error);
    this.#call?.stop(error);
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
    // It was ended while it waited for a place.
    if (this.#ended !== null) call.stop(this.#ended);
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
    const { log, metrics, running, configuration } = this.#rules;
    running.remove(facts.id);
    // A client that leaves ends the exchange a moment before its signal fires.
    if (this.#joined !== null) setImmediate((joined: JoinedSignal) => joined.end(), this.#joined);
    this.#leave();
    const { outcome: authOutcome } = this.#admission;
    const now = performance.now();
    const durationMs = now - this.#began;
    const { queryForm, entries, written, policyOutcome, members = [] } = this.#answer?.notes ?? {};
    const query = facts.route === QUERY_PATH ? { queryShape: queryForm, resultSize: entries } : {};
    const outcome = { status, durationMs, authOutcome, ...query };
    log.completed(facts, outcome);
    if (this.#audited !== null) log.namedWrite('complete', facts, this.#audited, outcome);
    const storeMs = this.#askedMs === null ? 0 : now - this.#askedMs;
    const waitedMs = this.#askedMs === null ? 0 : this.#waitedOf(storeMs);
    const { slow_query_ms: slowMs } = configuration.server;
    if (slowMs !== undefined && durationMs >= slowMs && this.#asked !== null) {
      log.slow(facts, { status, durationMs, waitedMs, rows: entries, text: this.#asked.text ?? undefined });
    }
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
    if (policyOutcome !== undefined) metrics.policyChecked(policyOutcome);
    for (const figures of members) metrics.memberFigures(figures);
  }
}
