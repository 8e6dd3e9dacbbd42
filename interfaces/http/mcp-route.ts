/**
 * `/mcp`: messages of agents over HTTP, one POST at a time, without sessions or streams. A call of a tool is a request of
 * its own to the route of its operation: the same guard, limits, threads, log lines and figures, without the network.
 */

import type { IncomingMessage } from 'node:http';
import { SvcError } from '../../engine/base/errors.js';
import { programVersion } from '../../engine/base/program.js';
import { featuresOf } from '../../engine/service/configuration/features.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import type { OperationAnswer } from '../../engine/service/requests/operation-answer.js';
import type { ReaderPool } from '../../engine/service/threads/reader-pool.js';
import type { HttpAnswer } from '../mcp/sdk.js';
import { type Caller, type Dispatch, ToolHost } from '../mcp/tool-host.js';
import { toErrorAnswer } from './answers/errors.js';
import { Exchange, type ExchangeRules } from './exchange.js';
import { type BodyLimit, readJsonValue } from './request/body.js';
import { OPERATION_ROUTES, type OperationRoute } from './routes.js';

/** An answer beyond this is refused: a message holds it whole, twice. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** The route that a tool stands for: the one that takes its request as a body, where there are several. */
function routeOf(name: string): OperationRoute {
  const routes = OPERATION_ROUTES.filter(({ operation }) => operation.name === name);
  const route = routes.find((one) => one.route.method === 'POST') ?? routes[0];
  if (route === undefined) throw new Error(`the tool of ${name} has no route`);
  return route;
}

async function textOf(answer: OperationAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) {
      throw new SvcError('too_large', `the answer is larger than ${ANSWER_BYTES_MAX} bytes`, {
        hint: 'ask for less: a LIMIT, a narrower pattern, or a smaller part of the graph',
      });
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function answerOf(
  exchange: Exchange,
  { operation, access }: OperationRoute,
  prepare: Parameters<Dispatch>[1],
  caller: Caller,
) {
  exchange.admit(access, caller.headers);
  const asked = { request: prepare().request, representation: 'body' };
  return textOf(await exchange.answer(operation, asked, caller.signal));
}

function dispatcher(rules: ExchangeRules): Dispatch {
  return async (operation, prepare, caller) => {
    const route = routeOf(operation.name);
    const exchange = new Exchange(rules, route.route.method, route.route.path, caller.headers);
    let status = 200;
    try {
      return { failed: false, text: await answerOf(exchange, route, prepare, caller) };
    } catch (error) {
      const failure = toErrorAnswer(error);
      status = failure.status;
      if (failure.cause !== null) exchange.failed(failure.cause);
      return { failed: true, text: JSON.stringify(failure.body) };
    } finally {
      exchange.end(caller.signal.aborted ? 499 : status);
    }
  };
}

export function createToolHost(rules: ExchangeRules): ToolHost {
  const { extra_tools: extra, tools: only, answer_tokens_max: answerTokensMax } = rules.configuration.mcp;
  const version = programVersion();
  const { toolsReadOnly: readsOnly } = rules;
  const choice = { extra, only, features: featuresOf(rules.configuration) };
  return new ToolHost(OPERATIONS, { version, ...choice, answerTokensMax, readsOnly, dispatch: dispatcher(rules) });
}

export interface MessageOptions {
  /** Fires when the client leaves. */
  readonly signal: AbortSignal;
  readonly limit: BodyLimit;
  readonly readers: ReaderPool | null;
}

/** Reads and answers what a POST holds. */
export async function answerMessages(
  host: ToolHost,
  message: IncomingMessage,
  { signal, limit, readers }: MessageOptions,
): Promise<HttpAnswer> {
  // Loaded by the first request: the protocol is a third of what a server loads.
  const { answerHttp, parseErrorAnswer } = await import('../mcp/sdk.js');
  let parsed: unknown;
  try {
    parsed = await readJsonValue(message, { limit, readers });
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (error.code !== 'invalid_request' && error.code !== 'invalid_utf8') throw error;
    return parseErrorAnswer(`Parse error: ${error.message}`);
  }
  return answerHttp(host, { headers: message.headers, message: parsed, signal });
}
