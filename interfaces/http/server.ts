/**
 * The HTTP server: one fastify application around a store. Every request meets, in this order: the name it was asked
 * under, CORS, its route, the access guard, and only then its body; every one leaves a line in the log when it starts and
 * when it ends, and is counted. Nothing that a client sends ends the process.
 *
 * `fastify` stands behind this file: routing, hooks, the life of a connection.
 *
 * Length: the way of a request from hook to hook stands in one place; what a hook does stands in files of its own.
 */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Address } from '../../engine/service/configuration/network.js';
import { pathPrefix } from '../../engine/service/operations/definition/fields.js';
import { needsEveryGraph } from '../../engine/service/reads/narrowed-engine.js';
import { parseParameters } from '../../engine/service/requests/form-request.js';
import { StoreReplication } from '../../engine/service/store/store-replication.js';
import type { ToolHost } from '../mcp/tool-host.js';
import { checkHost } from './addresses/host.js';
import { decodedPath, KnownPaths, pathOf } from './addresses/known-paths.js';
import { checkOrigin } from './addresses/origin.js';
import { PublicName } from './addresses/public-name.js';
import { headersOf, sendAnswer } from './answers/answer.js';
import {
  CODED_BYTES_MIN,
  type Coding,
  codeWhole,
  codingOf,
  isCodable,
  withCodingVary,
} from './answers/coded-answer.js';
import { statusFor, toErrorAnswer } from './answers/errors.js';
import { fromFramework } from './answers/framework-errors.js';
import { acceptedTypes } from './answers/negotiation.js';
import { Refusal } from './answers/refusal.js';
import { Exchange, type ExchangeRules } from './exchange.js';
import { followRoutes } from './follow-routes.js';
import type { Access } from './guard/access.js';
import { atLeast } from './guard/least-transaction.js';
import { answerMessages, createToolHost } from './mcp-route.js';
import { errorPage, wantsPage } from './pages/error-page.js';
import { pageHeaders } from './pages/markup.js';
import { askWithDocument, documentFormat } from './protocols/documents.js';
import { TRANSLATORS } from './protocols/index.js';
import { opensEntity } from './protocols/linked-data.js';
import { type Asked, formsOf, type Incoming } from './protocols/translator.js';
import { type BodyLimit, type JsonBody, readJson } from './request/body.js';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  departureOf,
  holdExpectations,
  pathOfTarget,
  whenOver,
} from './request/connections.js';
import { checkHead, HEAD_BYTES_MAX, TARGET_BYTES_MAX } from './request/head.js';
import { HeldBodies } from './request/held-bodies.js';
import { pathVariable, requestOf } from './request/parameters.js';
import {
  accessOf,
  MCP_PATH,
  OPERATION_ROUTES,
  type OperationRoute,
  TELLS_OF_EVERY_GRAPH,
  toPattern,
} from './routes.js';
import { noProxy, timedOut, Unreadable } from './unreadable.js';

export interface ServerOptions extends ExchangeRules {
  /** Where it listens, for the check of names. */
  readonly bound: () => Address;
  /** Pages and figures of the server itself, by path. */
  readonly pages: Readonly<Record<string, Page>>;
  /** Absent = `CONNECTION_LIMITS`. */
  readonly limits?: ConnectionLimits | undefined;
}

/** What a route of the server itself answers. */
export type Page = (message: IncomingMessage) => Promise<{
  readonly status?: number;
  readonly mediaType: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** How the body is compressed already; null = it is not, and shall not be. Absent: as the client takes it. */
  readonly coding?: Coding | null;
}>;

declare module 'fastify' {
  interface FastifyRequest {
    svc: Exchange;
  }
  interface FastifyContextConfig {
    template?: string;
    access?: Access;
  }
}

const CORS_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
const METHODS: ReadonlySet<string> = new Set(CORS_METHODS);
const CORS_HEADERS = [
  'Content-Type',
  'Accept',
  'Authorization',
  'X-Svc-Client',
  'X-Svc-Task',
  'X-Svc-Actor',
  'X-Svc-Principal-Chain',
  'X-Svc-Min-Tx',
  'Accept-Datetime',
];
/** What clients of the protocol of agents send besides, in any of its versions. */
const MCP_CORS_HEADERS = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id', 'Last-Event-ID'];
const EXPOSED_HEADERS = [
  'X-Svc-Labels',
  'X-Svc-Inference',
  'X-Svc-Inferred',
  'X-Svc-Ignored-Fields',
  'X-Svc-Truncated',
  'X-Svc-Tx',
  'Memento-Datetime',
];
const HSTS_FREE = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

export class HttpServer {
  readonly app: FastifyInstance;
  readonly #options: ServerOptions;
  readonly #known = new KnownPaths();
  readonly #publicName: PublicName;
  #stopping = false;
  /** Ends answers that would never end by themselves. */
  readonly #ending = new AbortController();
  readonly #held: HeldBodies;
  /** Tools of agents: they call operations past the network, and by the same rules. */
  readonly tools: ToolHost;

  private constructor(options: ServerOptions) {
    this.#options = options;
    this.#publicName = new PublicName(options.configuration.server);
    this.tools = createToolHost(options);
    const limits = options.limits ?? CONNECTION_LIMITS;
    const { headersTimeoutMs, requestTimeoutMs, keepAliveMs, checkIntervalMs } = limits;
    const unreadable = new Unreadable(options);
    this.#held = new HeldBodies({
      bytesMax: limits.largestBodies * options.configuration.server.max_body_bytes,
      lookMs: limits.bodyLookMs,
      lose: (message, account) => unreadable.end(message.socket, timedOut(account)),
    });
    this.app = fastify({
      logger: false,
      bodyLimit: options.configuration.server.max_body_bytes,
      // A GET declares its HEAD itself: what is not sent has a length all the same.
      exposeHeadRoutes: false,
      // What comes while it stops is refused in the words of the service.
      return503OnClosing: false,
      forceCloseConnections: 'idle',
      keepAliveTimeout: keepAliveMs,
      requestTimeout: requestTimeoutMs,
      http: {
        maxHeaderSize: HEAD_BYTES_MAX,
        // A request without a name is refused in the words of the service.
        requireHostHeader: false,
        headersTimeout: headersTimeoutMs,
        connectionsCheckingInterval: checkIntervalMs,
      },
      rewriteUrl: (request) => this.#publicName.pathOf(pathOfTarget(request)),
      routerOptions: { ignoreTrailingSlash: true, maxParamLength: TARGET_BYTES_MAX },
      clientErrorHandler: (error, socket) => unreadable.refuse(error, socket),
      frameworkErrors: (error, request, reply) => this.#failEarly(error, request, reply),
    });
    this.app.server.on('connect', (_request, socket: Socket) => unreadable.end(socket, noProxy()));
  }

  static async create(options: ServerOptions): Promise<HttpServer> {
    const server = new HttpServer(options);
    const { app } = server;
    // Bodies are read by the routes, which know their types and limits.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    app.decorateRequest('svc');
    app.addHook('onRequest', async (request, reply) => server.#begin(request, reply));
    app.setErrorHandler((error, request, reply) => server.#failOrOpen(error, request, reply));
    app.setNotFoundHandler((request, reply) => server.#notFound(request, reply));
    await server.#addCors();
    await app.register(async (scope) => server.#addRoutes(scope));
    holdExpectations(app.server);
    await app.ready();
    return server;
  }

  /** Takes nothing new; settles when what runs has ended and every connection is closed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#ending.abort(new Error('the server is stopping'));
    await this.app.close();
  }

  async #addCors(): Promise<void> {
    const { cors_allowed_origins: origins } = this.#options.configuration.server;
    // Without a list no browser of another origin gets a header, on any route.
    if (origins.length === 0) return;
    const options = {
      origin: [...origins],
      methods: CORS_METHODS,
      allowedHeaders: CORS_HEADERS,
      exposedHeaders: EXPOSED_HEADERS,
      strictPreflight: false,
    };
    const ofAgents = { ...options, allowedHeaders: [...CORS_HEADERS, ...MCP_CORS_HEADERS] };
    // A preflight meets no route of its path, so the path itself decides.
    await this.app.register(cors, {
      delegator: (request, done) => done(null, decodedPath(pathOf(request)) === MCP_PATH ? ofAgents : options),
    });
  }

  #addRoutes(scope: FastifyInstance): void {
    for (const [path, page] of Object.entries(this.#options.pages)) {
      this.#declare(scope, 'GET', toPattern(path), path, accessOf(path), async (request, reply) => {
        if (TELLS_OF_EVERY_GRAPH.has(path))
          needsEveryGraph(request.svc.principal, `${path} counts what is in every graph`);
        return sendPage(page, request, reply);
      });
    }
    this.#declare(scope, 'POST', MCP_PATH, MCP_PATH, 'read', (request, reply) => this.#converse(request, reply));
    const { store, configuration, metrics } = this.#options;
    const { auth_token: token } = configuration.follow;
    const options = { store, ending: this.#ending.signal, onFollower: (change: 1 | -1) => metrics.followed(change) };
    for (const { path, answer } of token === undefined ? [] : followRoutes({ ...options, token })) {
      this.#declare(scope, 'GET', toPattern(path), path, 'open', answer);
    }
    const declared = new Set<string>();
    for (const route of OPERATION_ROUTES) {
      const { method, path } = route.route;
      // Every GET answers HEAD, too.
      if (method === 'HEAD') continue;
      const pattern = toPattern(path);
      // Several templates may be one pattern: the translator tells them apart.
      if (declared.has(`${method} ${pattern}`)) continue;
      declared.add(`${method} ${pattern}`);
      // Whether a request writes stands in its body where some actions only read.
      const access = route.route.reads === undefined ? route.access : 'read';
      this.#declare(scope, method, pattern, path, access, (request, reply) => this.#operate(route, request, reply));
    }
  }

  #declare(
    scope: FastifyInstance,
    method: OperationRoute['route']['method'],
    url: string,
    template: string,
    access: Access,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void {
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
    this.#known.add(url, methods);
    scope.route({
      method: methods,
      url,
      config: { template, access },
      onRequest: async (request, reply) => {
        // What comes back depends on who asks, and no cache on the way may give it to somebody else.
        if (this.#options.readRules !== null && access !== 'open') {
          reply.headers(withVary(reply, { Vary: 'Authorization' })).header('Cache-Control', 'private');
        }
        await this.#admit(request);
        if (access !== 'open') await this.#waitFor(request, reply);
      },
      handler,
    });
  }

  /** The first step of every request: the client's address, and the name that it used for the server. */
  async #begin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const route = request.routeOptions.config.template ?? 'unmatched';
    this.#open(route, request, reply);
    // The framework has rules of its own for the bodies of methods that it knows and no route has.
    if (!METHODS.has(request.method)) throw this.#known.refusalOf(request);
    if (route === MCP_PATH || (route === 'unmatched' && decodedPath(pathOf(request)) === MCP_PATH)) {
      checkOrigin(request.headers, MCP_PATH, { allowed: this.#allowedOrigins(), own: null });
    }
  }

  /** What every request meets, whatever its path. */
  #open(route: string, request: FastifyRequest, reply: FastifyReply): void {
    request.svc = new Exchange(this.#options, request.method, route, request.headers);
    whenOver(request.raw, reply.raw, (status) => request.svc.end(status));
    reply.headers(HSTS_FREE);
    if (this.#stopping) throw new Refusal('unavailable', 'the server is stopping');
    checkHead(request.raw);
    const { bound, credentials } = this.#options;
    checkHost(request.raw, { bound: bound(), isOpen: !credentials.required, publicName: this.#publicName });
  }

  /** A path that the router can't read: no hook of the framework runs for it. */
  #failEarly(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    try {
      this.#open('unmatched', request, reply);
    } catch (refusal) {
      return this.#fail(refusal, request, reply);
    }
    return this.#fail(error, request, reply);
  }

  async #admit(request: FastifyRequest): Promise<void> {
    const { access = 'read', template = 'unmatched' } = request.routeOptions.config;
    const { client } = this.#publicName.reached(request.raw);
    if (access === 'write') this.#checkOrigin(request, template);
    // Whoever looks after the server always gets an answer; calls of tools come inside of a request.
    const isCounted = this.#options.pages[template] === undefined;
    request.svc.admit(access, request.headers, isCounted ? (client ?? request.raw.socket.remoteAddress ?? '') : null);
  }

  /** The transaction that a read needs at least; what is answered is of the one that is told, or of a later one. */
  async #waitFor(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { store, configuration } = this.#options;
    const asks = request.headers['x-svc-min-tx'] !== undefined;
    if (!asks && configuration.follow.primary === undefined) return;
    const { search, follow } = configuration;
    const signal = departureOf(request.raw.socket);
    const replication = new StoreReplication(store);
    const newest = () => replication.log.newest();
    const tx = await atLeast(request.headers, { newest, timeoutMs: search.query_timeout_ms, signal });
    if (follow.primary !== undefined) reply.header('X-Svc-Tx', String(tx));
  }

  #checkOrigin(request: FastifyRequest, template: string): void {
    const { host, scheme } = this.#publicName.reached(request.raw);
    const own = { origin: this.#publicName.origin, host: host ?? request.headers.host, scheme };
    checkOrigin(request.headers, template, { allowed: this.#allowedOrigins(), own });
  }

  /** A request whose body says whether it writes: the operation that answers it, once it is admitted. */
  #readOrWrite({ operation, route }: OperationRoute, asked: Asked, request: FastifyRequest): Asked {
    if (route.reads === undefined) return asked;
    const { action } = asked.request;
    const name = action === undefined || action === null ? 'list' : String(action);
    const reads = Object.hasOwn(route.reads, name) ? route.reads[name] : undefined;
    if (reads !== undefined) return { ...asked, operation: reads };
    this.#checkOrigin(request, route.path);
    request.svc.admit('write', request.headers);
    return { ...asked, operation };
  }

  #allowedOrigins(): readonly string[] {
    return this.#options.configuration.server.cors_allowed_origins;
  }

  async #operate(to: OperationRoute, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { operation } = to;
    const asked = this.#readOrWrite(to, await this.#translate(to, request), request);
    const answering = request.svc.answer(operation, asked, departureOf(request.raw.socket));
    const answer = await (asked.release === undefined ? answering : answering.finally(asked.release));
    if (asked.opensPage) {
      answer.close();
      return this.#openPage(200, request, reply);
    }
    const { status, headers: shaped = {}, empty } = asked.shape?.(answer) ?? {};
    const headers = withVary(reply, shaped);
    if (empty) {
      answer.close();
      reply.status(status ?? 204).headers({ ...headersOf(answer.notes, true), ...headers });
      return reply.send();
    }
    const bodiless = request.method === 'HEAD';
    const vary = headers.Vary ?? (reply.getHeader('Vary') as string | undefined);
    const coding = codingOf(request.headers);
    await sendAnswer(reply, answer, { status: status ?? 200, headers, bodiless, vary, coding });
    return reply;
  }

  /** Messages of agents: each call in them is admitted by itself. */
  async #converse(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { status, contentType, body } = await answerMessages(this.tools, request.raw, {
      signal: departureOf(request.raw.socket),
      limit: this.#bodyLimit(),
      readers: this.#options.store.readers,
    });
    reply.status(status);
    if (body === '') return reply.send();
    return sendText(request, reply, contentType ?? 'application/json', body);
  }

  async #translate(
    { operation, route }: Pick<OperationRoute, 'operation' | 'route'>,
    request: FastifyRequest,
  ): Promise<Asked> {
    const incoming = this.#incoming(operation, request);
    if (route.request === 'protocol') {
      const translate = TRANSLATORS[operation.name];
      if (translate === undefined) throw new Error(`there is no translator for ${operation.name}`);
      return translate(incoming);
    }
    const format = route.request === 'body' ? documentFormat(incoming) : null;
    if (format !== null) return askWithDocument(incoming, format);
    const said: JsonBody =
      route.request === 'body'
        ? await readJson(request.raw, {
            limit: incoming.bodyLimit,
            readers: incoming.readers,
            payload: operation.payload,
            declared: Object.keys(operation.request.properties ?? {}),
          })
        : {
            request: {
              ...requestOf(incoming.parameters, operation.request),
              ...pathVariable(route.path, incoming.path),
            },
          };
    const given = withBaseUrl(said.request, incoming);
    const { documents = [] } = said;
    if (route.representation !== undefined) return { request: given, representation: route.representation, documents };
    const forms = formsOf(operation);
    const [accepted = 'application/json'] = acceptedTypes(request.headers, ['application/json', ...forms.keys()]);
    const shape = () => (forms.size === 0 ? {} : { headers: { Vary: 'Accept' } });
    return { request: given, representation: forms.get(accepted) ?? 'body', documents, shape };
  }

  #incoming(operation: OperationRoute['operation'], request: FastifyRequest): Incoming {
    const url = request.raw.url ?? '';
    const query = url.indexOf('?');
    return {
      message: request.raw,
      operation,
      path: pathOf(request),
      parameters: parseParameters(query < 0 ? '' : url.slice(query + 1)),
      configuration: this.#options.configuration,
      readers: this.#options.store.readers,
      bodyLimit: this.#bodyLimit(),
      baseUrl: this.#publicName.reached(request.raw).baseUrl,
    };
  }

  #bodyLimit(): BodyLimit {
    const { max_body_bytes: bytesMax } = this.#options.configuration.server;
    return { bytesMax, setting: 'server.max_body_bytes', held: this.#held };
  }

  #notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    return this.#fail(this.#known.refusalOf(request), request, reply);
  }

  /** Whoever is led to an entity that is not there now, or needs a token, gets the page all the same: it can look further. */
  async #failOrOpen(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { status } = toErrorAnswer(fromFramework(error));
    const opens = (status === 404 || status === 401) && opensEntity(pathOf(request), request.headers);
    return opens ? this.#openPage(status, request, reply) : this.#fail(error, request, reply);
  }

  async #openPage(status: number, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const page = this.#options.pages['/ui'];
    if (page === undefined) throw new Error('there is no page');
    const vary = withVary(reply, { Vary: 'Accept, Accept-Datetime' });
    return sendPage(
      async (message) => {
        const answer = await page(message);
        return { ...answer, status, headers: { ...answer.headers, ...vary } };
      },
      request,
      reply,
    );
  }

  #fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const answer = toErrorAnswer(fromFramework(error));
    // A failure in the beginning itself comes before there is an exchange.
    if (answer.cause !== null) (request.svc as Exchange | undefined)?.failed(answer.cause);
    // What is left of the body is thrown away, so that the next request on the connection finds its beginning.
    if (!request.raw.readableEnded) request.raw.resume();
    reply.status(statusFor(answer, request.headers)).headers({ ...answer.headers });
    if (wantsPage(pathOf(request), request.headers)) {
      const body = errorPage(answer, pathPrefix(this.#options.configuration));
      return reply
        .headers(withVary(reply, { ...pageHeaders(), Vary: 'Accept' }))
        .header('Content-Type', 'text/html; charset=utf-8')
        .send(Buffer.from(body));
    }
    return reply.header('Content-Type', 'application/json').send(Buffer.from(JSON.stringify(answer.body)));
  }
}

/** Answers that hold addresses of this server are told the one that the client used. */
function withBaseUrl(request: Record<string, unknown>, { operation, baseUrl }: Incoming): Record<string, unknown> {
  return operation.request.properties?.base_url === undefined ? request : { ...request, base_url: baseUrl };
}

/** What an answer varies by stands beside what CORS has said that it does. */
function withVary(reply: FastifyReply, headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const said = reply.getHeader('Vary');
  return said === undefined || headers.Vary === undefined ? headers : { ...headers, Vary: `${said}, ${headers.Vary}` };
}

async function sendPage(page: Page, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { status = 200, mediaType, body, headers = {}, coding } = await page(request.raw);
  if (coding !== undefined) {
    reply.status(status).headers(withVary(reply, headers)).header('Content-Type', mediaType);
    return (coding === null ? reply : reply.header('Content-Encoding', coding)).send(body);
  }
  return sendText(request, reply.status(status).headers({ ...headers }), mediaType, body);
}

async function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  mediaType: string,
  body: string | Buffer,
): Promise<FastifyReply> {
  reply.header('Content-Type', mediaType);
  const coding = codingOf(request.headers);
  if (!isCodable(mediaType)) return reply.send(body);
  reply.header('Vary', withCodingVary(reply.getHeader('Vary') as string | undefined));
  if (coding === null || Buffer.byteLength(body) < CODED_BYTES_MIN) return reply.send(body);
  return reply.header('Content-Encoding', coding).send(await codeWhole(Buffer.from(body), coding));
}
