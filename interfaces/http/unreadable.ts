/**
 * Bytes that are no request, or do not become one in time. They get an answer where one still makes sense, a line in the
 * log and a place in the figures; none of them holds a byte of what came.
 *
 * 1. Where a request has begun that is not whole, the answer is that request's, unless it has one already.
 * 2. Whole requests before it are answered first, since clients count answers.
 * 3. Then the connection ends. What still comes is thrown away for a while: a connection that is closed with bytes unread
 *    is reset, and the client might never see the answer.
 */

import type { Socket } from 'node:net';
import { Refusal } from './answers/refusal.js';
import type { ExchangeRules } from './exchange.js';
import { NOBODY } from './figures/attribution.js';
import { type Asking, conversationOn } from './request/connections.js';
import { headOverflow } from './request/head.js';

/** What the parser or the connection says. */
export interface ConnectionError extends Error {
  readonly code?: string;
  /** The last bytes that the parser was given, and how many of them it took. */
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

/** As long as a client needs to see its answer. */
const LINGER_MS = 1_000;

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
};

/** What the parser says of an end of the connection in the middle of a request. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE';

/** In the place of a route. */
const ENDPOINT = 'unreadable';

/** A request, or what there is of one, that did not come in time. */
export function timedOut(account: string): Refusal {
  return new Refusal('invalid_request', account, { status: 408 });
}

/** CONNECT asks for a tunnel. */
export function noProxy(): Refusal {
  return new Refusal('invalid_request', 'this is no proxy');
}

function refusalOf({ code, rawPacket, bytesParsed = 0 }: ConnectionError): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return headOverflow(Buffer.isBuffer(rawPacket) ? rawPacket : null, bytesParsed);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return timedOut('the request did not arrive in time');
  if (code === ENDED_EARLY) return new Refusal('invalid_request', 'the request ended before it was whole');
  return new Refusal('invalid_request', 'this is not HTTP');
}

/** The request whose body is still on its way. */
function begunOn(socket: Socket): Asking | null {
  const { last } = conversationOn(socket);
  return last?.message.complete === false ? last : null;
}

export class Unreadable {
  readonly #rules: Pick<ExchangeRules, 'log' | 'metrics'>;
  /** Connections that have been refused: nothing more is read of them. */
  readonly #refused = new WeakSet<Socket>();

  constructor(rules: Pick<ExchangeRules, 'log' | 'metrics'>) {
    this.#rules = rules;
  }

  refuse(error: ConnectionError, socket: Socket): void {
    const hasLeft = error.code === 'ECONNRESET' || (error.code === ENDED_EARLY && begunOn(socket) !== null);
    if (hasLeft) socket.destroy();
    else this.end(socket, refusalOf(error), error.code);
  }

  /** Ends a connection of which nothing more can be read, or is worth it. `reason`: for the log, where no request began. */
  end(socket: Socket, refusal: Refusal, reason?: string): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const { unanswered } = conversationOn(socket);
    const begun = begunOn(socket);
    const isAnswered = (): boolean => begun !== null && (begun.response.headersSent || !unanswered.has(begun));
    const answer = (): void => {
      if (!socket.writable || isAnswered()) {
        socket.destroy();
        return;
      }
      if (begun === null) this.#tell(refusal.status, reason);
      else begun.end(refusal.status);
      sendLast(socket, refusal);
    };
    const ahead = [...unanswered].filter((one) => one !== begun).at(-1);
    if (ahead === undefined || isAnswered()) answer();
    else ahead.response.once('close', answer);
  }

  #tell(status: number, reason: string | undefined): void {
    const { log, metrics } = this.#rules;
    log.unreadable(status, reason);
    metrics.observe({
      ...NOBODY,
      endpoint: ENDPOINT,
      status,
      seconds: 0,
      asked: false,
      waitedSeconds: 0,
      heldSeconds: 0,
    });
  }
}

function sendLast(socket: Socket, { status, message, code }: Refusal): void {
  // No other listener is left on this connection, and an error without a listener would end the process.
  socket.on('error', () => socket.destroy()).resume();
  const body = JSON.stringify({ error: message, code });
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}
