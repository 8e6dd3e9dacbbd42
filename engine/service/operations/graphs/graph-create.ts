/** Registers an empty graph. */

import { Type } from '../../requests/schema.js';
import { graphField, writtenBy, writtenFields } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';

export const graphCreate = defineOperation({
  name: 'graph_create',
  summary: 'Register a graph; one that is there already stays as it is',
  access: 'write',
  forSomeGraphs: 'answered',
  request: Type.Object({
    graph: graphField,
    ...writtenFields,
  }),
  response: Type.Object({
    g: Type.Optional(Type.Integer('number of the graph in this store; who may read some graphs only is not told it')),
    graph: Type.String(),
    class: Type.String('committed'),
    created: Type.Boolean(),
  }),
  async handler({ store, control }, { graph, timestamp, actor }) {
    const { number, created, tx } = await store.createGraph(graph, {
      ...writtenBy(control, { timestamp, actor }),
    });
    // It counts what the whole store knows.
    const numbered = store.readsAll ? { g: number } : {};
    return { kind: 'body', body: { ...numbered, graph, class: 'committed', created }, notes: { tx } };
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
