/**
 * The description of the service as OpenAPI 3.1, made from the operations: paths, parameters, bodies, answers, errors.
 * Schemas are those that requests are checked by. Made once, when it is first asked for.
 */

import type { HttpRoute } from '../../engine/service/operations/definition/operation.js';
import { ERROR_SCHEMA } from '../../engine/service/requests/error-schema.js';
import type { Schema, SchemaNode } from '../../engine/service/requests/schema.js';
import { DOCUMENT_TYPES } from './protocols/documents.js';
import { PROTOCOL_SHAPES } from './protocols/shapes.js';
import { accessOf, MCP_PATH, OPERATION_ROUTES, type OperationRoute } from './routes.js';

type Json = Readonly<Record<string, unknown>>;

const JSON_TYPE = 'application/json';
const ERROR_REFERENCE = { $ref: '#/components/schemas/Error' };

/** Statuses that say something of their own on every route of a kind. */
const WRITE_STATUSES = { 401: 'The bearer token is missing or wrong', 403: 'The server only reads, or a gate refused' };

const TEXT = { type: 'string' };

/** Headers as parameters, by the names that operations refer to them by. */
const HEADERS = {
  client: { name: 'X-Svc-Client', in: 'header', description: 'the kind of client, for figures and logs', schema: TEXT },
  task: { name: 'X-Svc-Task', in: 'header', description: 'the work item, for figures and logs', schema: TEXT },
  actor: {
    name: 'X-Svc-Actor',
    in: 'header',
    description: 'who writes, in UTF-8, where nothing else of the request says so',
    schema: TEXT,
  },
  datetime: { name: 'Accept-Datetime', in: 'header', description: 'what held then, as Memento asks it', schema: TEXT },
} as const;

function headersNamed(names: readonly (keyof typeof HEADERS)[]): Json[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** Who asks; on every route. */
const ATTRIBUTION = headersNamed(['client', 'task']);

function nodeOf(schema: Schema | SchemaNode): SchemaNode {
  return schema as SchemaNode;
}

/** What the server knows better than its client. */
const SERVER_FIELD = 'base_url';

/** Fields as parameters of the URL, under the names that the protocol gives them. */
function parametersOf(schema: Schema, names: Readonly<Record<string, string>>, only?: readonly string[]): Json[] {
  const { properties = {}, required = [] } = nodeOf(schema);
  return Object.entries(properties)
    .filter(([field]) => field !== SERVER_FIELD && (only?.includes(field) ?? true))
    .map(([field, node]) => {
      const { description, ...rest } = node;
      return {
        name: names[field] ?? field,
        in: 'query',
        required: required.includes(field),
        ...(description === undefined ? {} : { description }),
        schema: rest,
      };
    });
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'percent-encoded once',
    schema: { type: 'string' },
  }));
}

/** The schema of a body, with the words that the route takes in place of those that the operation knows. */
function bodySchema(schema: Schema, { only }: HttpRoute): SchemaNode {
  const { properties = {} } = nodeOf(schema);
  if (only === undefined) return schema;
  const narrowed = Object.entries(only).map(([field, words]) => {
    const { description: _, ...node } = properties[field] ?? {};
    return [field, { ...node, enum: words }];
  });
  return { ...schema, properties: { ...properties, ...Object.fromEntries(narrowed) } };
}

function requestOf({ operation, route }: OperationRoute): Json & { readonly parameters: readonly Json[] } {
  const path = pathParameters(route.path);
  if (route.request === 'parameters') {
    const named = new Set(path.map(({ name }) => name));
    const others = parametersOf(operation.request, {}).filter(({ name }) => !named.has(name));
    return { parameters: [...path, ...others] };
  }
  if (route.request === 'body') {
    const content = { [JSON_TYPE]: { schema: bodySchema(operation.request, route) } };
    const payload = operation.payload ?? operation.textPayload;
    if (payload === undefined) return { parameters: path, requestBody: { required: true, content } };
    const document = { schema: { type: 'string', description: `${payload}; the other fields are parameters then` } };
    const documents = Object.fromEntries(DOCUMENT_TYPES.map((type) => [type, document]));
    return { parameters: path, requestBody: { required: true, content: { ...content, ...documents } } };
  }
  const shape = PROTOCOL_SHAPES[operation.name]?.[route.method];
  if (shape === undefined) return { parameters: path };
  const inPath = new Set(path.map(({ name }) => name));
  const parameters = parametersOf(operation.request, shape.names ?? {}, shape.parameters).filter(
    ({ name }) => !inPath.has(name),
  );
  const content = Object.fromEntries(
    (shape.bodies ?? []).map((type) => [type, { schema: type === JSON_TYPE ? operation.request : { type: 'string' } }]),
  );
  return {
    parameters: [...path, ...parameters, ...headersNamed(shape.headers ?? [])],
    ...(Object.keys(content).length === 0 ? {} : { requestBody: { required: true, content } }),
  };
}

function answersOf({ operation, route, access }: OperationRoute): Json {
  const { representations, response } = operation;
  const pinned = route.representation;
  const offered = representations.filter(({ name }) => pinned === undefined || pinned === name);
  const mediaTypes = route.mediaTypes ?? offered.map(({ mediaType }) => mediaType.split(';', 1)[0] as string);
  const documents = Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: 'string' } }]));
  const { empty, documentsOnly } = PROTOCOL_SHAPES[operation.name]?.[route.method] ?? {};
  const body = pinned === undefined && !documentsOnly ? { [JSON_TYPE]: { schema: response } } : {};
  const done = empty
    ? { 201: { description: 'Written; the graph is new' }, 204: { description: 'Written' } }
    : { 200: { description: 'The answer', content: { ...body, ...documents } } };
  const refused = access === 'write' ? WRITE_STATUSES : {};
  const answers: Record<string, unknown> = { ...done };
  for (const [status, description] of Object.entries({ 400: 'The request is not valid', ...refused })) {
    answers[status] = { description, content: { [JSON_TYPE]: { schema: ERROR_REFERENCE } } };
  }
  answers.default = { description: 'An error, by its code', content: { [JSON_TYPE]: { schema: ERROR_REFERENCE } } };
  return answers;
}

const NEEDS_BEARER = [{ bearer: [] }];

function operationObject(one: OperationRoute, protectsReads: boolean): Json {
  const { operation, route, access } = one;
  const request = requestOf(one);
  const suffix = route.path.replace(/[^a-z0-9]+/gi, '_').replace(/^_|_$/g, '');
  return {
    operationId: `${operation.name}_${route.method.toLowerCase()}_${suffix}`,
    // Several routes may offer one operation: this is its name, which clients and tools of agents call it by.
    'x-svc-operation': operation.name,
    summary: operation.summary,
    tags: [access === 'read' ? 'read' : 'write'],
    security: protectsReads ? NEEDS_BEARER : access === 'write' ? [{ bearer: [] }, {}] : [],
    ...request,
    parameters: [...request.parameters, ...ATTRIBUTION],
    responses: answersOf(one),
  };
}

const SERVER_PATHS = {
  '/health': 'Whether the process lives',
  '/ready': 'Whether it takes requests',
  '/metrics': 'Figures, as Prometheus reads them',
};

const MESSAGE_SCHEMA = { type: 'object', required: ['jsonrpc'], properties: { jsonrpc: { const: '2.0' } } };

const MESSAGES: Json = {
  operationId: 'mcp',
  summary: 'Tools of agents: messages of the Model Context Protocol, without sessions',
  tags: ['server'],
  security: [{ bearer: [] }, {}],
  parameters: ATTRIBUTION,
  requestBody: { required: true, content: { [JSON_TYPE]: { schema: MESSAGE_SCHEMA } } },
  responses: {
    200: { description: 'The answer, a failed call included', content: { [JSON_TYPE]: { schema: MESSAGE_SCHEMA } } },
    202: { description: 'Nothing to answer' },
    default: { description: 'An error, by its code', content: { [JSON_TYPE]: { schema: ERROR_REFERENCE } } },
  },
};

export interface ServiceFacts {
  readonly version: string;
  /** Whether reads need the bearer, too. */
  readonly protectsReads: boolean;
  /** Where clients reach it; absent = where they have this description from. */
  readonly url?: string | undefined;
}

export function describeService({ version, protectsReads, url = '/' }: ServiceFacts): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of OPERATION_ROUTES) {
    const { method, path } = one.route;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(one, protectsReads) };
  }
  for (const [path, summary] of Object.entries(SERVER_PATHS)) {
    const content = { [path === '/metrics' ? 'text/plain' : JSON_TYPE]: {} };
    paths[path] = {
      get: {
        operationId: path.slice(1),
        summary,
        tags: ['server'],
        security: protectsReads && accessOf(path) === 'read' ? NEEDS_BEARER : [],
        parameters: ATTRIBUTION,
        responses: { 200: { description: summary, content } },
      },
    };
  }
  paths[MCP_PATH] = { post: MESSAGES };
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version,
      summary: 'A knowledge-graph store: RDF quads in an immutable, bitemporal log',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: url === '/' ? url : url.replace(/\/+$/, '') }],
    tags: [{ name: 'read' }, { name: 'write' }, { name: 'server' }],
    paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1))),
    components: {
      schemas: { Error: ERROR_SCHEMA },
      parameters: HEADERS,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}
