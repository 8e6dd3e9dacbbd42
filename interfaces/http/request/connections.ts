/**
 * Connections of clients: how long they may take, what they call the target, whether they wait to be asked for
 * the body, and that they leave.
 */

import { setMaxListeners } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** A client has this long to send its headers, and its whole request. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How long a connection may be idle between requests. */
  readonly keepAliveMs: number;
  /** How often connections are looked at for it. */
  readonly checkIntervalMs: number;
  /** How many of the largest bodies there may be at once. */
  readonly largestBodies: number;
  /** How often bodies that hold memory are looked at: whether they go on. */
  readonly bodyLookMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 20_000,
  requestTimeoutMs: 300_000,
  keepAliveMs: 65_000,
  checkIntervalMs: 5_000,
  largestBodies: 4,
  bodyLookMs: 1_000,
};

const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/** The target from its path on, whether or not the server is named before it (RFC 9112, 3.2.2); `checkHost` judges the name. */
export function pathOfTarget({ url = '/' }: { readonly url?: string | undefined }): string {
  if (url.startsWith('/') || !ABSOLUTE.test(url)) return url;
  const path = url.replace(ABSOLUTE, '');
  return path.startsWith('/') ? path : `/${path}`;
}

const waiting = new WeakMap<IncomingMessage, () => void>();

/**
 * Requests with `Expect: 100-continue` come like any other; their clients are asked for the body when somebody begins to
 * read it. One that is answered before has a body that may or may not come, so its connection ends.
 */
export function holdExpectations(server: Server): void {
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    waiting.set(message, () => {
      response.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
    });
    server.emit('request', message, response);
  });
  // Expectations that nobody knows are refused like anything else that is wrong with a request.
  server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) => {
    server.emit('request', message, response);
  });
}

/** Asks for the body where the client waits for that. */
export function askForBody(message: IncomingMessage): void {
  const ask = waiting.get(message);
  if (ask === undefined) return;
  waiting.delete(message);
  ask();
}

const endings = new WeakMap<IncomingMessage, () => void>();

/** Calls `end` when the request is answered or its client has left; one for each request. */
export function whenRequestOver(message: IncomingMessage, end: () => void): void {
  endings.set(message, end);
}

/** A request of a connection. */
export interface Asking {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Ends it with a status that its response does not tell; once it is over, that does nothing. */
  end(status: number): void;
}

/** What a connection was used for so far. */
export interface Conversation {
  /** Requests whose answers have not gone yet, in their order. */
  readonly unanswered: Set<Asking>;
  /** The request that came last, answered or not. */
  last: Asking | null;
}

const connections = new WeakMap<Socket, Conversation>();

export function conversationOn(socket: Socket): Conversation {
  return connections.get(socket) ?? watch(socket);
}

/** The status in the books for a client that left before its answer was whole, as proxies call it. */
const LEFT = 499;

/**
 * Calls `end` once with the status: when the answer has gone, or its connection. An answer that waits behind another one
 * on a connection that closes is told of it by nobody else.
 */
export function whenOver(message: IncomingMessage, response: ServerResponse, end: (status: number) => void): void {
  const conversation = conversationOn(message.socket);
  const one: Asking = {
    message,
    response,
    end: (status) => {
      if (!conversation.unanswered.delete(one)) return;
      end(status);
      endings.get(message)?.();
    },
  };
  conversation.unanswered.add(one);
  conversation.last = one;
  response.once('close', () => close(one));
}

function close({ response, end }: Asking): void {
  end(response.writableFinished ? response.statusCode : LEFT);
}

function watch(socket: Socket): Conversation {
  const conversation: Conversation = { unanswered: new Set(), last: null };
  connections.set(socket, conversation);
  socket.once('close', () => conversation.unanswered.forEach(close));
  return conversation;
}

const departures = new WeakMap<Socket, AbortSignal>();

/** Fires when the client of a connection leaves: its requests share it, since to make a signal costs as much as a small answer. */
export function departureOf(socket: Socket): AbortSignal {
  const known = departures.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  departures.set(socket, controller.signal);
  socket.once('close', () => controller.abort(new Error('the client left')));
  return controller.signal;
}
