/**
 * What a connection of agents talks to: the list of tools, and calls of them. A call goes to its operation through the
 * application, which the face below hands in; its answer or its failure becomes the result, with the JSON body of the
 * HTTP request of the same purpose as text and as structured content.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '../../engine/service/operations/definition/operation.js';
import { tellingHowToGoOn, withinBudget } from './answer-budget.js';
import type { Mark, RawTexts } from './raw-json.js';
import { type Arguments, operationOf, sentencesOn, toToolRequest, withIgnored } from './tool-request.js';
import { type Tool, type ToolChoice, type ToolDefinition, toolsOf } from './tools.js';

/** On whose behalf a tool is called: the headers that say who, and what fires when nobody waits any more. */
export interface Caller {
  readonly headers: IncomingHttpHeaders;
  readonly signal: AbortSignal;
}

/** An answer of the application, failed or not: its JSON text. */
export interface Dispatched {
  readonly failed: boolean;
  readonly text: string;
}

/** Runs an operation as a request of its own; `prepare` runs once the guard has admitted the caller. Errors that a caller can cause are answers, not exceptions. */
export type Dispatch = (
  operation: Operation,
  prepare: () => { readonly request: Record<string, unknown> },
  caller: Caller,
) => Promise<Dispatched>;

/** What every kind of client shows of a result. */
export interface ToolResult {
  readonly [key: string]: unknown;
  /** The body as text; after it, what a model may have meant otherwise. */
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Mark;
  readonly isError: boolean;
}

const INSTRUCTIONS = [
  'svc is a store of RDF facts that keeps all of their history: every fact has a time of validity and the transaction that wrote it.',
  'Read with svc_query (SPARQL; valid_at and tx ask about the past), look around with svc_cord, svc_ask and svc_graph_list.',
  'Write with svc_knot (Turtle), svc_set and svc_retract; nothing that is retracted or replaced is lost from the history.',
  'Entities, predicates and graphs are named by absolute IRIs, or by short names (ex:ann) with a prefix that loaded shapes declare. A reference to an entity as a value is {"iri": "..."}.',
  'Tools that list take limit and offset, and say truncated where there is more. timestamp labels a write; it is not when a fact began to hold.',
  'A failed call has the error as JSON: error says what to change, code is stable.',
].join('\n');

/** Methods that the protocol's library would serve by a stream of events; none is offered, so they are unknown here. */
export function isServed(method: unknown): boolean {
  return method !== 'subscriptions/listen';
}

export interface ToolHostOptions extends ToolChoice {
  readonly version: string;
  readonly dispatch: Dispatch;
  /** Why nothing can be written here, and what to do; absent = writes are what the rules of the server make them. */
  readonly readsOnly?: { readonly error: string; readonly hint: string } | undefined;
  /** mcp.answer_tokens_max */
  readonly answerTokensMax: number;
}

export class ToolHost {
  readonly version: string;
  readonly instructions = INSTRUCTIONS;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #dispatch: Dispatch;
  readonly #answerTokensMax: number;
  readonly #readsOnly: ToolHostOptions['readsOnly'];

  constructor(
    operations: readonly Operation[],
    { version, dispatch, answerTokensMax, readsOnly, ...choice }: ToolHostOptions,
  ) {
    this.version = version;
    this.#tools = toolsOf(operations, choice);
    this.#answerTokensMax = answerTokensMax;
    this.#readsOnly = readsOnly;
    this.#dispatch = dispatch;
  }

  list(): ToolDefinition[] {
    return [...this.#tools.values()].map(({ definition }) => definition);
  }

  /** Null when there is no such tool. */
  async call(name: string, given: Arguments, caller: Caller, raw: RawTexts): Promise<ToolResult | null> {
    const tool = this.#tools.get(name);
    if (tool === undefined) return null;
    let ignored: readonly string[] = [];
    const prepare = () => {
      const prepared = toToolRequest(tool, given);
      ignored = prepared.ignored;
      return prepared;
    };
    const operation = operationOf(tool, given);
    const { failed, text: body } = this.#refusal(tool, operation) ?? (await this.#dispatch(operation, prepare, caller));
    const text = this.#fitted(tool, given, failed ? body : withIgnored(body, ignored));
    const texts = [text, ...(failed ? [] : sentencesOn(tool, given, ignored))];
    const content = texts.map((one) => ({ type: 'text', text: one }) as const);
    return { content, structuredContent: raw.mark(text), isError: failed };
  }

  #refusal({ definition }: Tool, { access }: Operation): Dispatched | null {
    if (this.#readsOnly === undefined || access === 'read') return null;
    const { error, hint } = this.#readsOnly;
    return {
      failed: true,
      text: JSON.stringify({ error: `${definition.name} writes, and ${error}`, code: 'read_only', hint }),
    };
  }

  #fitted({ definition, projection }: Tool, given: Arguments, body: string): string {
    const tokensMax = this.#answerTokensMax;
    const pages = 'offset' in projection.parameters;
    return tellingHowToGoOn(withinBudget(body, tokensMax), { tool: definition.name, given, pages, tokensMax });
  }
}
