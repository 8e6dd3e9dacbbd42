/** Stores sets of SHACL shapes by name, lists them, shows one, removes one. */

import { throwIfStopped } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import { oneOf, type Static, Type } from '../../requests/schema.js';
import { actionField, byAction } from '../definition/actions.js';
import { needed, pageFields, pageOf, writtenBy, writtenFields } from '../definition/fields.js';
import { type Answer, asTheyAre, defineOperation, inWords, type OperationContext } from '../definition/operation.js';

/** As names of documents begin that stand for themselves. */
const BUILTIN = 'builtin:';

const ACTIONS = ['list', 'load', 'get', 'remove'] as const;

const listedSets = Type.Array(Type.Object({ name: Type.String(), loaded_at: Type.String() }));

export const shapeListResponse = Type.Object({
  shapes: listedSets,
  count: Type.Integer(),
  truncated: Type.Boolean(),
});

export const shapeSetResponse = Type.Object({ name: Type.String(), turtle: Type.String(), loaded_at: Type.String() });

const request = Type.Object({
  action: actionField(ACTIONS),
  name: Type.Optional(Type.String('name of the set')),
  turtle: Type.Optional(Type.String('SHACL shapes, in Turtle; builtin:governance: those of policies and verdicts')),
  ...writtenFields,
  ...pageFields,
});

const response = Type.Object({
  action: Type.Optional(Type.String('loaded or removed')),
  name: Type.Optional(Type.String()),
  shapes: Type.Optional(Type.Union([listedSets, Type.Integer('of load: node shapes of the document')])),
  rules: Type.Optional(Type.Integer('rules of the document')),
  count: Type.Optional(Type.Integer()),
  truncated: Type.Optional(Type.Boolean()),
  turtle: Type.Optional(Type.String()),
  loaded_at: Type.Optional(Type.String()),
  found: Type.Optional(Type.Boolean()),
});

type Request = Static<typeof request>;
type Told = Promise<Answer<Static<typeof response>>>;

async function list(
  { store, control }: OperationContext,
  page: Pick<Request, 'limit' | 'offset'>,
): Promise<Answer<Static<typeof shapeListResponse>>> {
  const all = await store.shapeSets();
  throwIfStopped(control, 'the listing');
  const { entries, truncated } = pageOf(all, page);
  const shapes = entries.map(({ name, loadedAt }) => ({ name, loaded_at: loadedAt }));
  return { kind: 'body', body: { shapes, count: shapes.length, truncated } };
}

async function get(
  { store, control }: OperationContext,
  request: Pick<Request, 'name'>,
): Promise<Answer<Static<typeof shapeSetResponse>>> {
  const name = needed(request.name, 'name');
  const set = await store.shapeSet(name);
  throwIfStopped(control, 'the read');
  if (set === null) {
    throw new SvcError('not_found_in_store', `no such set of shapes: ${name}`, { hint: 'list shows those there are' });
  }
  return { kind: 'body', body: { name, turtle: set.turtle, loaded_at: set.loadedAt } };
}

/** The document itself, or one that the service brings. */
async function documentOf(turtle: string, base: string): Promise<string> {
  if (!turtle.startsWith(BUILTIN)) return turtle;
  const { builtinShapes } = await import('../../../governance/shapes.js');
  return builtinShapes(turtle, base);
}

async function load({ store, control }: OperationContext, request: Request): Told {
  const name = needed(request.name, 'name');
  const turtle = await documentOf(needed(request.turtle, 'turtle'), store.baseNamespace);
  const { shapes, rules, tx } = await store.loadShapes(name, turtle, writtenBy(control, request));
  return { kind: 'body', body: { action: 'loaded', name, shapes, rules }, notes: { tx } };
}

async function remove({ store, control }: OperationContext, request: Request): Told {
  const name = needed(request.name, 'name');
  const { found, tx } = await store.removeShapes(name, writtenBy(control, request));
  return { kind: 'body', body: { action: 'removed', name, found }, notes: { tx } };
}

export const shapeList = defineOperation({
  name: 'shape_list',
  summary: 'List the stored sets of SHACL shapes',
  access: 'read',
  request: Type.Object(pageFields),
  response: shapeListResponse,
  handler: list,
  projections: { http: [{ method: 'GET', path: '/shapes', request: 'parameters' }] },
});

export const shapeSet = defineOperation({
  name: 'shape_set',
  summary: 'Show a stored set of SHACL shapes as it was loaded',
  access: 'read',
  request: Type.Object({ name: Type.String({ minLength: 1, description: 'name of the set' }) }),
  response: shapeSetResponse,
  handler: get,
  projections: { http: [{ method: 'GET', path: '/shapes/{name}', request: 'parameters' }] },
});

export const shapes = defineOperation({
  name: 'shapes',
  summary: 'Store, list, show and remove sets of SHACL shapes',
  access: 'write',
  request,
  response,
  handler: byAction<Request, Static<typeof response>>('shapes', { list, load, get, remove }),
  projections: {
    http: [{ method: 'POST', path: '/shapes', request: 'body' }],
    mcp: {
      tool: 'shapes',
      description: [
        'Keep SHACL shapes under names: load (needs name and turtle, replaces that set), list, get and remove (need name). All stored sets judge every later write; one that makes something worse is refused, what was wrong before may stay.',
        'To try shapes first use svc_validate.',
      ],
      example: {
        action: 'load',
        name: 'person',
        turtle:
          '@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <http://ex.org/> . ex:PersonShape sh:targetClass ex:Person ; sh:property [ sh:path ex:name ; sh:minCount 1 ] .',
      },
      parameters: {
        ...inWords({ name: 'of the set', turtle: 'SHACL; builtin:governance = shapes of policies' }),
        action: { description: 'load, list, get or remove', schema: oneOf(ACTIONS), required: true },
        ...asTheyAre('timestamp'),
        limit: { default: 100 },
        offset: { default: 0 },
      },
      reads: { list: shapeList, get: shapeSet },
      destructive: true,
      idempotent: false,
    },
  },
});
