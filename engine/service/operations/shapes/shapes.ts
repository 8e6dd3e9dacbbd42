/** Stores sets of SHACL shapes by name, lists them, shows one, removes one. */

import { SvcError } from '../../../base/errors.js';
import { oneOf, type Static, Type } from '../../requests/schema.js';
import { actorField, limitField, offsetField, timestampField } from '../definition/fields.js';
import { type Answer, defineOperation, type OperationContext } from '../definition/operation.js';
import { getShapes, listShapes, shapeList, shapeSet } from './shape-reads.js';

const ACTIONS = ['list', 'load', 'get', 'remove'] as const;

interface Request {
  readonly name?: string | undefined;
  readonly turtle?: string | undefined;
  readonly timestamp?: string | undefined;
  readonly actor?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const response = Type.Object({
  action: Type.Optional(Type.String({ description: 'loaded or removed' })),
  name: Type.Optional(Type.String()),
  shapes: Type.Optional(
    Type.Union([
      Type.Array(Type.Object({ name: Type.String(), loaded_at: Type.String() })),
      Type.Integer({ description: 'of load: node shapes of the document' }),
    ]),
  ),
  rules: Type.Optional(Type.Integer({ description: 'rules of the document' })),
  count: Type.Optional(Type.Integer()),
  truncated: Type.Optional(Type.Boolean()),
  turtle: Type.Optional(Type.String()),
  loaded_at: Type.Optional(Type.String()),
  found: Type.Optional(Type.Boolean()),
});

type Told = Promise<Answer<Static<typeof response>>>;

function needed(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new SvcError('invalid_request', `missing '${name}' parameter`);
  return value;
}

async function load({ store, control }: OperationContext, request: Request): Told {
  const { timestamp, actor } = request;
  const name = needed(request.name, 'name');
  const turtle = needed(request.turtle, 'turtle');
  const options = {
    signal: control.signal,
    wait: control.wait,
    authenticated: control.authenticated,
    timestamp,
    actor,
  };
  const { shapes, rules, tx } = await store.loadShapes(name, turtle, options);
  return { kind: 'body', body: { action: 'loaded', name, shapes, rules }, notes: { tx } };
}

async function remove({ store, control }: OperationContext, request: Request): Told {
  const { timestamp, actor } = request;
  const name = needed(request.name, 'name');
  const options = {
    signal: control.signal,
    wait: control.wait,
    authenticated: control.authenticated,
    timestamp,
    actor,
  };
  const { found, tx } = await store.removeShapes(name, options);
  return { kind: 'body', body: { action: 'removed', name, found }, notes: { tx } };
}

export const shapes = defineOperation({
  name: 'shapes',
  summary: 'Store, list, show and remove sets of SHACL shapes',
  access: 'write',
  request: Type.Object({
    action: Type.Optional(Type.String({ description: `${ACTIONS.join(', ')}; default list` })),
    name: Type.Optional(Type.String({ description: 'name of the set' })),
    turtle: Type.Optional(Type.String({ description: 'SHACL shapes, in Turtle' })),
    timestamp: Type.Optional(timestampField),
    actor: Type.Optional(actorField),
    limit: Type.Optional(limitField),
    offset: Type.Optional(offsetField),
  }),
  response,
  async handler(context, { action = 'list', ...request }) {
    switch (action) {
      case 'list':
        return listShapes(context, request);
      case 'load':
        return load(context, request);
      case 'get':
        return getShapes(context, needed(request.name, 'name'));
      case 'remove':
        return remove(context, request);
      default:
        throw new SvcError('invalid_request', `unknown shapes action '${action}' (${ACTIONS.join(', ')})`);
    }
  },
  projections: {
    http: [{ method: 'POST', path: '/shapes', request: 'body' }],
    mcp: {
      tool: 'shapes',
      description: [
        'Keep SHACL shapes under names. Every later write is judged by all of them together, whoever writes, and a write that makes',
        'something worse is refused with what is wrong and how to mend it; what was wrong before may stay and be repaired step by step.',
        'action: load (needs name and turtle; loading a name again replaces it), list, get or remove (need name).',
        'list and get only read. A document that is no SHACL is refused and nothing is stored.',
        'Answers: load {"action": "loaded", "name", "shapes": node shapes, "rules"}; list {"shapes": [{"name", "loaded_at"}], "count", "truncated"};',
        'get {"name", "turtle", "loaded_at"}; remove {"action": "removed", "name", "found"}. svc_validate tries shapes on data without writing.',
      ],
      example: {
        action: 'load',
        name: 'person',
        turtle:
          '@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <http://example.org/> .\nex:PersonShape a sh:NodeShape ; sh:targetClass ex:Person ; sh:property [ sh:path ex:name ; sh:minCount 1 ] .',
      },
      parameters: {
        action: { description: 'load, list, get or remove', schema: oneOf(ACTIONS), required: true },
        name: {},
        turtle: {},
        timestamp: {},
        limit: { default: 100 },
        offset: { default: 0 },
      },
      reads: { list: shapeList, get: shapeSet },
      destructive: true,
      idempotent: false,
    },
  },
});
