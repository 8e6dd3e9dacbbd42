/** Stores queries by name, lists them, shows one, removes one. */

import { throwIfStopped } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import type { BuiltInQuery } from '../../../graphs/queries/built-in.js';
import type { QueryDefinition } from '../../../graphs/queries/query-definition.js';
import { iri, oneOf, type Static, Type, textOrNull } from '../../requests/schema.js';
import { actionField, byAction } from '../definition/actions.js';
import { needed, pageFields, pageOf, writtenBy, writtenFields } from '../definition/fields.js';
import { type Answer, defineOperation, inWords, type OperationContext } from '../definition/operation.js';

/** An entry of the catalog of queries, as `/queries` and `/ask` list it. */
export const queryEntry = Type.Object({
  name: Type.String(),
  description: textOrNull,
  source: oneOf(['builtin', 'stored']),
  dataset: Type.Optional(textOrNull),
  params: Type.Array(
    Type.Object({
      name: Type.String(),
      type: oneOf(['iri', 'text', 'int']),
      required: Type.Boolean(),
      default: textOrNull,
      description: textOrNull,
    }),
  ),
});

type QueryEntry = Static<typeof queryEntry>;

export function storedEntry({ name, description, dataset, params }: QueryDefinition): QueryEntry {
  return { name, description, source: 'stored', dataset, params };
}

export function builtInEntry({ name, description, params }: BuiltInQuery): QueryEntry {
  return { name, description, source: 'builtin', params };
}

const ACTIONS = ['list', 'load', 'get', 'remove'] as const;

const listed = {
  queries: Type.Optional(Type.Array(queryEntry)),
  count: Type.Optional(Type.Integer()),
  truncated: Type.Optional(Type.Boolean()),
};
const readResponse = Type.Object({
  ...listed,
  query: Type.Optional(queryEntry),
  template: Type.Optional(Type.String('of the query that is named')),
});

const response = Type.Object({
  ...listed,
  loaded: Type.Optional(Type.String()),
  params: Type.Optional(Type.Integer()),
  query: Type.Optional(queryEntry),
  template: Type.Optional(Type.String()),
  removed: Type.Optional(Type.Boolean()),
});

const request = Type.Object({
  action: actionField(ACTIONS),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  template: Type.Optional(Type.String('SPARQL with {param} placeholders')),
  dataset: Type.Optional(iri('graph or dataset that it reads; default ROOT')),
  params: Type.Optional(
    Type.Array(Type.Unknown(), '{name, type, required, default, description}; type: iri, text, int'),
  ),
  ...writtenFields,
  ...pageFields,
});

type Request = Static<typeof request>;
type Told = Promise<Answer<Static<typeof response>>>;

async function list({ store, control }: OperationContext, page: Pick<Request, 'limit' | 'offset'>): Told {
  const all = await store.storedQueries();
  throwIfStopped(control, 'the listing');
  const { entries, truncated } = pageOf(all, page);
  return { kind: 'body', body: { queries: entries.map(storedEntry), count: entries.length, truncated } };
}

async function get({ store, control }: OperationContext, request: Pick<Request, 'name'>): Told {
  const name = needed(request.name, 'name');
  const query = await store.storedQuery(name);
  throwIfStopped(control, 'the read');
  if (query === null) {
    throw new SvcError('not_found_in_store', `no such stored query: ${name}`, { hint: 'list shows those there are' });
  }
  return { kind: 'body', body: { query: storedEntry(query), template: query.template } };
}

async function load({ store, control }: OperationContext, request: Request): Told {
  const { description, dataset, params } = request;
  const name = needed(request.name, 'name');
  const template = needed(request.template, 'template');
  const stored = await store.storeQuery({ name, description, template, dataset, params }, writtenBy(control, request));
  return { kind: 'body', body: { loaded: name, params: stored.params }, notes: { tx: stored.tx } };
}

async function remove({ store, control }: OperationContext, request: Request): Told {
  const { removed, tx } = await store.removeQuery(needed(request.name, 'name'), writtenBy(control, request));
  return { kind: 'body', body: { removed }, notes: { tx } };
}

export const queryList = defineOperation({
  name: 'query_list',
  summary: 'List the stored queries, or show one',
  access: 'read',
  request: Type.Object({
    name: Type.Optional(Type.String({ minLength: 1, description: 'only this query, with its template' })),
    ...pageFields,
  }),
  response: readResponse,
  handler: (context, asked) => (asked.name === undefined ? list(context, asked) : get(context, asked)),
  projections: { http: [{ method: 'GET', path: '/queries', request: 'parameters' }] },
});

/** A parameter of a template as a tool publishes it; the operation checks it in its own words. */
const parameterSchema = Type.Object({
  name: Type.String('that of the placeholder'),
  type: Type.Optional(oneOf(['iri', 'text', 'int'], { default: 'text', description: 'of its values' })),
  required: Type.Optional(Type.Boolean({ default: false, description: 'a call must give it' })),
  default: Type.Optional(Type.String('value where none is given')),
  description: Type.Optional(Type.String('what it means')),
});

export const queries = defineOperation({
  name: 'queries',
  summary: 'Store, list, show and remove named queries',
  access: 'write',
  request,
  response,
  handler: byAction('queries', { list, load, get, remove }),
  projections: {
    http: [{ method: 'POST', path: '/queries', request: 'body' }],
    mcp: {
      tool: 'queries',
      description: [
        'Keep SPARQL queries under names, for svc_ask to run. To run one once, use svc_query.',
        "load (needs name and template) stores a new version: a query with placeholders, each described in params: <{p}> of type iri, '{p}' of type text, {p} of type int; an optional one needs a default. get and remove need name.",
      ],
      example: {
        action: 'load',
        name: 'staff',
        template: 'SELECT ?p WHERE { ?p <http://ex.org/worksFor> <{company}> }',
        params: [{ name: 'company', type: 'iri', required: true }],
      },
      parameters: {
        ...inWords({ template: 'SPARQL with placeholders', dataset: 'graph or dataset that it reads; default ROOT' }),
        action: { description: 'list (default), load, get or remove', schema: oneOf(ACTIONS), default: 'list' },
        name: { description: 'of the query' },
        description: { description: 'what it answers, for the catalog' },
        params: { schema: Type.Array(parameterSchema), description: 'its placeholders' },
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
