/**
 * The protocol, in both of its eras: with `initialize` (2024-11-05 to 2025-11-25), and without (2026-07-28). Each
 * request over HTTP has a server of its own and no session; a connection over lines keeps one.
 *
 * `@modelcontextprotocol/server` stands behind this file: handshakes, versions, the shapes of messages, cancellation.
 */

import type { IncomingHttpHeaders } from 'node:http';
import {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCMessage,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  Server,
  type ServerContext,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { SvcError } from '../../engine/base/errors.js';
import { repeatsIds, withoutCancellations } from './batches.js';
import { RawTexts } from './raw-json.js';
import { isServed, type ToolHost, type ToolResult } from './tool-host.js';

/** What a transport of lines is to be. */
export type LineTransport = Transport;
export type LineMessage = JSONRPCMessage;

const NAME = 'svc';
interface Surroundings {
  readonly host: ToolHost;
  readonly texts: RawTexts;
  readonly headersOf: (client: string | null) => IncomingHttpHeaders;
}

type ClientInfo = { readonly name?: unknown; readonly version?: unknown } | undefined;

function describeClient(info: ClientInfo): string | null {
  return typeof info?.name === 'string' ? info.name : null;
}

function createServer({ host, texts, headersOf }: Surroundings): Server {
  const { version, instructions } = host;
  const server = new Server({ name: NAME, version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', () => ({ tools: host.list() }) as never);
  server.setRequestHandler('tools/call', async ({ params }, context: ServerContext) => {
    const { name, arguments: given = {} } = params;
    const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
    const info = (envelope?.[CLIENT_INFO_META_KEY] as ClientInfo) ?? server.getClientVersion();
    const caller = { headers: headersOf(describeClient(info)), signal: context.mcpReq.signal };
    const result: ToolResult | null = await host.call(name, given, caller, texts);
    if (result === null) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 200)}`);
    }
    return result as never;
  });
  return server;
}

export interface HttpMessage {
  readonly headers: IncomingHttpHeaders;
  /** The body, parsed: a message or several. */
  readonly message: unknown;
  /** Fires when the client leaves. */
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: string;
}

function errorAnswer(status: number, code: number, message: string, id: unknown): HttpAnswer {
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
  return { status, contentType: 'application/json', body };
}

/** What is not JSON, in the words of the protocol. */
export function parseErrorAnswer(what: string): HttpAnswer {
  return errorAnswer(400, ProtocolErrorCode.ParseError, what, null);
}

function unknownMethod(message: unknown): HttpAnswer {
  const id = (message as { id?: unknown } | null)?.id;
  const shown = typeof id === 'string' || typeof id === 'number' ? id : null;
  return errorAnswer(404, ProtocolErrorCode.MethodNotFound, 'Method not found', shown);
}

const NOTHING: HttpAnswer = { status: 202, contentType: null, body: '' };

/** The headers that the protocol looks at; every answer is one JSON text, whatever a client would rather have. */
function protocolHeaders(headers: IncomingHttpHeaders): Headers {
  const kept = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith('mcp-') && typeof value === 'string') kept.set(name, value);
  }
  return kept;
}

async function answerLegacy(server: Server, request: Request, message: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return transport.handleRequest(request, { parsedBody: message });
}

/** Answers what one POST held. Throws when the client leaves before there is an answer. */
export async function answerHttp(host: ToolHost, { headers, message: sent, signal }: HttpMessage): Promise<HttpAnswer> {
  if (Array.isArray(sent) && repeatsIds(sent)) {
    return errorAnswer(400, ProtocolErrorCode.InvalidRequest, 'Invalid Request: two requests of one id', null);
  }
  const message = Array.isArray(sent) && sent.length > 0 ? withoutCancellations(sent) : sent;
  if (Array.isArray(message) && message.length === 0 && message !== sent) return NOTHING;
  const texts = new RawTexts();
  const leaving = new AbortController();
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: protocolHeaders(headers),
    signal: leaving.signal,
  });
  let server: Server | null = null;
  const factory = (_context?: McpRequestContext): Server => {
    server = createServer({ host, texts, headersOf: () => headers });
    return server;
  };
  let leave = (): void => undefined;
  const left = new Promise<never>((_resolve, reject) => {
    leave = () => {
      leaving.abort(signal.reason);
      reject(new SvcError('aborted', 'the client left', { cause: signal.reason }));
    };
  });
  left.catch(() => undefined);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    const legacy = await isLegacyRequest(request, message);
    if (!legacy && !isServed((message as { method?: unknown } | null)?.method)) return unknownMethod(message);
    const answering = legacy
      ? answerLegacy(factory(), request, message)
      : createMcpHandler(factory, { legacy: 'reject' }).fetch(request, { parsedBody: message });
    const response = await Promise.race([answering, left]);
    const body = texts.fill(await response.text());
    return { status: response.status, contentType: response.headers.get('content-type'), body };
  } finally {
    signal.removeEventListener('abort', leave);
    await (server as Server | null)?.close();
  }
}

export interface LineConnection {
  close(): Promise<void>;
}

export interface LineOptions {
  /** Makes the transport; `parse` throws for what is no message. */
  readonly transport: (texts: RawTexts, parse: (value: unknown) => LineMessage) => LineTransport;
  /** The credential of the connection; null = none. */
  readonly authorization: string | null;
  /** Principals on whose behalf its calls write, as a header has them; null = none. */
  readonly principalChain: string | null;
  readonly onError: (error: Error) => void;
}

/** Serves one connection of lines until its transport closes. */
export function serveLines(
  host: ToolHost,
  { transport, authorization, principalChain, onError }: LineOptions,
): LineConnection {
  const texts = new RawTexts();
  const headersOf = (client: string | null): IncomingHttpHeaders => ({
    'user-agent': client ?? NAME,
    ...(authorization === null ? {} : { authorization }),
    ...(principalChain === null ? {} : { 'x-svc-principal-chain': principalChain }),
  });
  return serveStdio(() => createServer({ host, texts, headersOf }), {
    transport: transport(texts, parseJSONRPCMessage),
    onerror: onError,
  });
}
