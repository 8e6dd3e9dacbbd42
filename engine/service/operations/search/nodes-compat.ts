/** Search for nodes in the shape that older clients know: names, first types, descriptions, properties. */

import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';
import { meaningSettings, textSearchFields, textSearchSettings } from './search-fields.js';

export const nodeSearch = defineOperation({
  name: 'node_search',
  summary: 'Find entities by their names, with their properties',
  access: 'read',
  usesTexts: true,
  request: Type.Object({
    ...textSearchFields,
    entity_type_filter: Type.Optional(Type.String('a part of the name of a type: only entities with such a type')),
  }),
  response: Type.Object({
    nodes: Type.Array(
      Type.Object({
        iri: Type.String(),
        name: Type.String(),
        type: Type.Optional(Type.String()),
        description: Type.Optional(Type.String()),
        group_id: Type.Optional(Type.String()),
        properties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  async handler(context, request) {
    const { propertiesOf } = await import('./search-answers.js');
    const { nodes, truncated } = await context.store.namedNodes(request.query, {
      ...textSearchSettings(context, request),
      ...meaningSettings(context),
      typeText: request.entity_type_filter,
    });
    const shown = nodes.map((node) => {
      const { iri, name, types, comment, groupId } = node;
      const properties = propertiesOf(node, context);
      return {
        iri,
        name,
        ...(types[0] === undefined ? {} : { type: types[0] }),
        ...(comment === null ? {} : { description: comment }),
        ...(groupId === null ? {} : { group_id: groupId }),
        ...(Object.keys(properties).length === 0 ? {} : { properties }),
      };
    });
    return { kind: 'body', body: { nodes: shown, count: shown.length, truncated } };
  },
  projections: { http: [{ method: 'POST', path: '/search/nodes', request: 'body' }] },
});
