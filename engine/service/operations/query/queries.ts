/** Stores queries by name, lists them, shows one, removes one. */

import { SvcError } from '../../../base/errors.js';
import { iri, oneOf, type Static, Type } from '../../requests/schema.js';
import { actorField, limitField, offsetField, timestampField } from '../definition/fields.js';
import { type Answer, defineOperation, type OperationContext } from '../definition/operation.js';
import { queryEntry } from './query-entries.js';
import { getQuery, listQueries, queryList } from './query-reads.js';

const ACTIONS = ['list', 'load', 'get', 'remove'] as const;

interface Request {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly template?: string | undefined;
  readonly dataset?: string | undefined;
  readonly params?: readonly unknown[] | undefined;
  readonly timestamp?: string | undefined;
  readonly actor?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const response = Type.Object({
  queries: Type.Optional(Type.Array(queryEntry)),
  count: Type.Optional(Type.Integer()),
  truncated: Type.Optional(Type.Boolean()),
  loaded: Type.Optional(Type.String()),
  params: Type.Optional(Type.Integer()),
  query: Type.Optional(queryEntry),
  template: Type.Optional(Type.String()),
  removed: Type.Optional(Type.Boolean()),
});

/** A parameter of a template as a tool publishes it; the operation checks it in its own words. */
const parameterSchema = Type.Object({
  name: Type.String({ description: 'name of the placeholder, without its braces' }),
  type: Type.Optional(oneOf(['iri', 'text', 'int'], { default: 'text', description: 'what a value has to be' })),
  required: Type.Optional(Type.Boolean({ default: false, description: 'whether a call must give a value' })),
  default: Type.Optional(Type.String({ description: 'value of a call that gives none' })),
  description: Type.Optional(Type.String({ description: 'what the value means, for the catalog' })),
});

type Told = Promise<Answer<Static<typeof response>>>;

function needed(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new SvcError('invalid_request', `missing '${name}' parameter`);
  return value;
}

async function load({ store, control }: OperationContext, request: Request): Told {
  const { description, dataset, params, timestamp, actor } = request;
  const name = needed(request.name, 'name');
  const template = needed(request.template, 'template');
  const options = {
    signal: control.signal,
    wait: control.wait,
    authenticated: control.authenticated,
    timestamp,
    actor,
  };
  const stored = await store.storeQuery({ name, description, template, dataset, params }, options);
  return { kind: 'body', body: { loaded: name, params: stored.params }, notes: { tx: stored.tx } };
}

async function remove({ store, control }: OperationContext, request: Request): Told {
  const { timestamp, actor } = request;
  const name = needed(request.name, 'name');
  const { removed, tx } = await store.removeQuery(name, {
    signal: control.signal,
    wait: control.wait,
    authenticated: control.authenticated,
    timestamp,
    actor,
  });
  return { kind: 'body', body: { removed }, notes: { tx } };
}

export const queries = defineOperation({
  name: 'queries',
  summary: 'Store, list, show and remove named queries',
  access: 'write',
  request: Type.Object({
    action: Type.Optional(Type.String({ description: `${ACTIONS.join(', ')}; default list` })),
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    template: Type.Optional(Type.String({ description: 'SPARQL with {param} placeholders' })),
    dataset: Type.Optional(iri({ description: 'graph or dataset that it reads; default ROOT' })),
    params: Type.Optional(
      Type.Array(Type.Unknown(), { description: '{name, type, required, default, description}; type: iri, text, int' }),
    ),
    timestamp: Type.Optional(timestampField),
    actor: Type.Optional(actorField),
    limit: Type.Optional(limitField),
    offset: Type.Optional(offsetField),
  }),
  response,
  async handler(context, { action = 'list', ...request }) {
    switch (action) {
      case 'list':
        return listQueries(context, request);
      case 'load':
        return load(context, request);
      case 'get':
        return getQuery(context, needed(request.name, 'name'));
      case 'remove':
        return remove(context, request);
      default:
        throw new SvcError('invalid_request', `unknown queries action '${action}' (${ACTIONS.join(', ')})`);
    }
  },
  projections: {
    http: [{ method: 'POST', path: '/queries', request: 'body' }],
    mcp: {
      tool: 'queries',
      description: [
        'Keep SPARQL queries under names, so that svc_ask can run them. action: list (default), load, get or remove.',
        'load needs name and template, a SELECT, ASK, CONSTRUCT or DESCRIBE with placeholders, each described in params:',
        "<{p}> for type iri, '{p}' for type text, {p} for type int; an optional parameter needs a default;",
        'loading a name again stores a new version. get and remove need name. list and get only read.',
        'Answers: list {"queries", "count", "truncated"}; load {"loaded", "params"}; get {"query", "template"}; remove {"removed"}.',
      ],
      example: {
        action: 'load',
        name: 'people_of',
        description: 'Who works for a company',
        template: 'SELECT ?p WHERE { ?p <http://example.org/worksFor> <{company}> }',
        params: [{ name: 'company', type: 'iri', required: true }],
      },
      parameters: {
        action: { description: 'list (default), load, get or remove', schema: oneOf(ACTIONS), default: 'list' },
        name: { description: 'name of the query' },
        description: { description: 'what the query answers, for the catalog' },
        template: {},
        dataset: {},
        params: { schema: Type.Array(parameterSchema) },
        timestamp: {},
        limit: { default: 100 },
        offset: { default: 0 },
      },
      reads: { list: queryList, get: queryList },
      destructive: true,
      idempotent: false,
    },
  },
});
