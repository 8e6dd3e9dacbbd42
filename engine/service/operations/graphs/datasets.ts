/** Names lists of graphs, which queries read as one graph: stores a list, lists the names, shows one, removes one. */

import { throwIfStopped } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import { iri, nullable, oneOf, type Static, Type } from '../../requests/schema.js';
import { actionField, byAction } from '../definition/actions.js';
import { clampLimit, needed, pageFields, pageOf, writtenBy, writtenFields } from '../definition/fields.js';
import { type Answer, asTheyAre, defineOperation, type OperationContext } from '../definition/operation.js';

const ACTIONS = ['list', 'create', 'show', 'remove'] as const;

const member = Type.Object({ graph: Type.String(), ord: nullable(Type.Integer()) });

export const datasetListResponse = Type.Object({
  datasets: Type.Array(Type.String()),
  count: Type.Integer(),
  truncated: Type.Boolean(),
});

export const datasetResponse = Type.Object({
  name: Type.String(),
  members: Type.Array(member),
  count: Type.Optional(Type.Integer('members of the page that was asked for')),
  truncated: Type.Optional(Type.Boolean()),
});

const nameField = iri({ minLength: 1, description: 'name of the dataset, an IRI' });

const request = Type.Object({
  action: actionField(ACTIONS),
  name: Type.Optional(nameField),
  members: Type.Optional(Type.Array(Type.Unknown(), 'graphs by name, or {graph, ord}')),
  allow_unregistered: Type.Optional(
    Type.Boolean('take members that are no registered graphs; they count once they are'),
  ),
  ...writtenFields,
  ...pageFields,
});

const response = Type.Object({
  created: Type.Optional(Type.String()),
  members: Type.Optional(Type.Union([Type.Integer('of create: how many'), Type.Array(member)])),
  unregistered: Type.Optional(Type.Array(Type.String())),
  datasets: Type.Optional(Type.Array(Type.String())),
  count: Type.Optional(Type.Integer()),
  truncated: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String()),
  removed: Type.Optional(Type.Boolean()),
});

type Request = Static<typeof request>;
type Page = Pick<Request, 'limit' | 'offset'>;
type Told = Promise<Answer<Static<typeof response>>>;

async function list(
  { store, control }: OperationContext,
  page: Page,
): Promise<Answer<Static<typeof datasetListResponse>>> {
  const all = await store.datasetNames();
  throwIfStopped(control, 'the listing');
  const { entries, truncated } = pageOf(all, page);
  return { kind: 'body', body: { datasets: [...entries], count: entries.length, truncated } };
}

/** All members; where the request asks for a page, that. */
async function show(
  { store, control }: OperationContext,
  { name: given, limit, offset }: Pick<Request, 'name'> & Page,
): Promise<Answer<Static<typeof datasetResponse>>> {
  const name = needed(given, 'name');
  const all = await store.datasetMembers(name);
  throwIfStopped(control, 'the read');
  if (all === null) {
    throw new SvcError('not_found_in_store', `no such dataset: ${name}`, { hint: 'list shows those there are' });
  }
  const shown = all.map(({ graph, ord }) => ({ graph, ord }));
  if (limit === undefined && offset === undefined) return { kind: 'body', body: { name, members: shown } };
  const { entries, truncated } = pageOf(shown, { limit: clampLimit(limit), offset });
  return { kind: 'body', body: { name, members: [...entries], count: entries.length, truncated } };
}

async function create({ store, control, expandIri }: OperationContext, request: Request): Told {
  const name = needed(request.name, 'name');
  const { members: listed = [], allow_unregistered: allowUnregistered } = request;
  // Loaded when needed: a command line only describes what it does not run.
  const { memberOf } = await import('../../../graphs/datasets/define-dataset.js');
  const members = listed.map((one, at) => memberOf(expanded(one, expandIri), at));
  const made = await store.createDataset({ name, members, allowUnregistered }, writtenBy(control, request));
  const body = { created: name, members: made.members, unregistered: [...made.unregistered] };
  return { kind: 'body', body, notes: { tx: made.tx } };
}

/** A member with its CURIE written out; what is no member stays as it is, for whoever refuses it. */
function expanded(one: unknown, expandIri: OperationContext['expandIri']): unknown {
  if (expandIri === undefined) return one;
  if (typeof one === 'string') return expandIri(one);
  if (typeof one !== 'object' || one === null || !('graph' in one) || typeof one.graph !== 'string') return one;
  return { ...one, graph: expandIri(one.graph) };
}

async function remove({ store, control }: OperationContext, request: Request): Told {
  const { removed, tx } = await store.removeDataset(needed(request.name, 'name'), writtenBy(control, request));
  return { kind: 'body', body: { removed }, notes: { tx } };
}

export const datasetList = defineOperation({
  name: 'dataset_list',
  summary: 'List the datasets, or show the members of one',
  access: 'read',
  request: Type.Object({ name: Type.Optional(nameField), ...pageFields }),
  response: Type.Object({
    datasets: Type.Optional(Type.Array(Type.String())),
    name: Type.Optional(Type.String()),
    members: Type.Optional(Type.Array(member)),
    count: Type.Optional(Type.Integer()),
    truncated: Type.Optional(Type.Boolean()),
  }),
  handler: async (
    context,
    asked,
  ): Promise<Answer<Static<typeof datasetListResponse> | Static<typeof datasetResponse>>> =>
    asked.name === undefined ? list(context, asked) : show(context, asked),
  projections: { http: [{ method: 'GET', path: '/datasets', request: 'parameters' }] },
});

/** A member as a tool publishes it; the operation checks it in its own words. */
const memberSchema = Type.Union([
  Type.String(),
  Type.Object({
    graph: Type.String('its IRI'),
    ord: Type.Optional(Type.Integer('its rank')),
  }),
]);

export const datasets = defineOperation({
  name: 'datasets',
  summary: 'Name lists of graphs that queries read as one',
  access: 'write',
  request,
  response,
  handler: byAction<Request, Static<typeof response>>('datasets', { list, create, show, remove }),
  projections: {
    http: [{ method: 'POST', path: '/datasets', request: 'body' }],
    mcp: {
      tool: 'datasets',
      description: [
        'Give a list of graphs one name, an IRI, by which svc_query (graph, or FROM) reads them together.',
        'create (needs name and members) replaces the dataset; show and remove need name.',
      ],
      example: {
        action: 'create',
        name: 'http://ex.org/all',
        members: ['urn:svc:graph:root', 'http://ex.org/g'],
      },
      parameters: {
        action: { description: 'list (default), create, show or remove', schema: oneOf(ACTIONS), default: 'list' },
        name: { description: 'an IRI' },
        members: { schema: Type.Array(memberSchema), description: 'IRIs of graphs' },
        allow_unregistered: { description: 'take members that are no registered graphs', default: false },
        ...asTheyAre('timestamp', 'actor'),
        limit: { default: 100 },
        offset: { default: 0 },
      },
      reads: { list: datasetList, show: datasetList },
      destructive: true,
      idempotent: false,
    },
  },
});
