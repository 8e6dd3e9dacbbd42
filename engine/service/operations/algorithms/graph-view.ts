/** A part of ROOT to be drawn: the entities with the most connections, and the edges between them. */

import { iri, Type, textOrNull } from '../../requests/schema.js';
import { defineOperation, inWords } from '../definition/operation.js';

export const graphView = defineOperation({
  name: 'graph',
  summary: 'Show the entities with the most connections, and the edges between them, to be drawn',
  access: 'read',
  request: Type.Object({
    limit: Type.Optional(Type.Integer('most nodes; 1 to 2000, default 250')),
    type: Type.Optional(iri({ minLength: 1, description: 'only nodes of this type, as it is asserted' })),
    include_episodes: Type.Optional(Type.Boolean('with the activities of episodes; default false')),
  }),
  response: Type.Object({
    nodes: Type.Array(
      Type.Object({
        iri: Type.String(),
        label: Type.String('rdfs:label, or the local name'),
        type: textOrNull,
        deg: Type.Integer('edges, those to nodes that are not shown included'),
      }),
      'by degree, then by IRI',
    ),
    edges: Type.Array(
      Type.Array(Type.Unknown()),
      'place of the source, place of the target, local name of the predicate',
    ),
    types: Type.Array(Type.Object({ iri: Type.String(), label: Type.String(), count: Type.Integer() })),
    truncated: Type.Object({
      shown: Type.Integer(),
      of: Type.Integer('nodes that there are'),
      edges_shown: Type.Integer(),
      edges_of: Type.Integer('edges between the nodes shown'),
    }),
    stats: Type.Object({ nodes: Type.Integer('shown'), edges: Type.Integer('shown') }),
  }),
  async handler({ store, control, read }, { limit, type, include_episodes: includeEpisodes }) {
    const { signal, flag } = control;
    const cost = { signal, flag, memoryBytes: read.budget.memoryBytes };
    const { nodes, edges, types, nodesOf, edgesOf } = await store.viewGraph({ limit, type, includeEpisodes, ...cost });
    const body = {
      nodes: nodes.map(({ degree, ...node }) => ({ ...node, deg: degree })),
      edges,
      types,
      truncated: { shown: nodes.length, of: nodesOf, edges_shown: edges.length, edges_of: edgesOf },
      stats: { nodes: nodes.length, edges: edges.length },
    };
    return { kind: 'body', body };
  },
  projections: {
    http: [{ method: 'POST', path: '/graph', request: 'body' }],
    mcp: {
      tool: 'graph',
      description: [
        'Show the most connected entities of ROOT as a graph to be drawn: nodes with deg, and edges [source, target, label] whose ends are places in nodes, from 0. To rank entities use svc_project.',
      ],
      example: { limit: 20 },
      parameters: {
        ...inWords({ type: 'only instances of this class' }),
        limit: { default: 250 },
        include_episodes: { default: false },
      },
    },
  },
});
