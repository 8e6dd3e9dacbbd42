/** Registers an empty graph. */

import { Type } from '../../requests/schema.js';
import { graphField, writtenBy, writtenFields } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';

export const graphCreate = defineOperation({
  name: 'graph_create',
  summary: 'Register a graph; one that is there already stays as it is',
  access: 'write',
  request: Type.Object({
    graph: graphField,
    ...writtenFields,
  }),
  response: Type.Object({
    g: Type.Integer('number of the graph in this store'),
    graph: Type.String(),
    class: Type.String('committed'),
    created: Type.Boolean(),
  }),
  async handler({ store, control }, { graph, timestamp, actor }) {
    const { number, created, tx } = await store.createGraph(graph, {
      ...writtenBy(control, { timestamp, actor }),
    });
    return { kind: 'body', body: { g: number, graph, class: 'committed', created }, notes: { tx } };
  },
  projections: {
    http: [{ method: 'POST', path: '/graph/create', request: 'body' }],
    cli: {
      creates: true,
      command: 'graph create',
      positional: [{ field: 'graph', name: 'iri', summary: 'the graph' }],
      examples: ['svc graph create http://example.org/g'],
      options: { timestamp: 't', actor: 'name' },
      text: ({ graph, created }) => (created ? `created ${graph}\n` : `${graph} is there already\n`),
    },
  },
});
