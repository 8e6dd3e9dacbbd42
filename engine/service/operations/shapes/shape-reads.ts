/** Reads of the stored sets of SHACL shapes: the list of them, and one as it was loaded. */

import { throwIfStopped } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import { type Static, Type } from '../../requests/schema.js';
import { clampLimit, limitField, offsetField } from '../definition/fields.js';
import { type Answer, defineOperation, type OperationContext } from '../definition/operation.js';

export const shapeListResponse = Type.Object({
  shapes: Type.Array(Type.Object({ name: Type.String(), loaded_at: Type.String() })),
  count: Type.Integer(),
  truncated: Type.Boolean(),
});

export const shapeSetResponse = Type.Object({ name: Type.String(), turtle: Type.String(), loaded_at: Type.String() });

export async function listShapes(
  { store, control }: OperationContext,
  { limit, offset = 0 }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): Promise<Answer<Static<typeof shapeListResponse>>> {
  const all = await store.shapeSets();
  throwIfStopped(control, 'the listing');
  const to = offset + clampLimit(limit);
  const shapes = all.slice(offset, to).map(({ name, loadedAt }) => ({ name, loaded_at: loadedAt }));
  return { kind: 'body', body: { shapes, count: shapes.length, truncated: all.length > to } };
}

export async function getShapes(
  { store, control }: OperationContext,
  name: string,
): Promise<Answer<Static<typeof shapeSetResponse>>> {
  const set = await store.shapeSet(name);
  throwIfStopped(control, 'the read');
  if (set === null) {
    throw new SvcError('not_found_in_store', `no such set of shapes: ${name}`, { hint: 'list shows those there are' });
  }
  return { kind: 'body', body: { name, turtle: set.turtle, loaded_at: set.loadedAt } };
}

export const shapeList = defineOperation({
  name: 'shape_list',
  summary: 'List the stored sets of SHACL shapes',
  access: 'read',
  request: Type.Object({ limit: Type.Optional(limitField), offset: Type.Optional(offsetField) }),
  response: shapeListResponse,
  handler: (context, request) => listShapes(context, request),
  projections: { http: [{ method: 'GET', path: '/shapes', request: 'parameters' }] },
});

export const shapeSet = defineOperation({
  name: 'shape_set',
  summary: 'Show a stored set of SHACL shapes as it was loaded',
  access: 'read',
  request: Type.Object({ name: Type.String({ minLength: 1, description: 'name of the set' }) }),
  response: shapeSetResponse,
  handler: (context, { name }) => getShapes(context, name),
  projections: { http: [{ method: 'GET', path: '/shapes/{name}', request: 'parameters' }] },
});
