/** What is worth knowing of ROOT at a glance. */

import { Type } from '../../requests/schema.js';
import { defineOperation, inWords } from '../definition/operation.js';
import { projectionFields } from './project.js';

export const report = defineOperation({
  name: 'report',
  summary: 'Show hubs, surprising connections and questions about the graph',
  access: 'read',
  request: Type.Object({
    ...projectionFields,
    hubs: Type.Optional(Type.Integer('most hubs; default 10')),
    surprises: Type.Optional(Type.Integer('most surprising connections; default 10')),
    questions: Type.Optional(Type.Integer('most questions; default 8')),
  }),
  response: Type.Object({
    graph: Type.Object({
      nodes: Type.Integer(),
      edges: Type.Integer(),
      communities: Type.Integer(),
      modularity: Type.Number(),
    }),
    hubs: Type.Array(
      Type.Object({ entity: Type.String(), pagerank: Type.Number(), in_degree: Type.Integer() }),
      'by PageRank',
    ),
    surprising_connections: Type.Array(
      Type.Object({
        from: Type.String(),
        to: Type.String(),
        predicate: Type.String(),
        community_from: Type.String(),
        community_to: Type.String(),
        bridge_rarity: Type.Integer('edges between the two communities'),
      }),
      'edges between communities, the rarest first',
    ),
    suggested_questions: Type.Array(Type.String()),
  }),
  async handler({ store, control, read }, request) {
    const { signal, flag } = control;
    const told = await store.report({ ...request, signal, flag, memoryBytes: read.budget.memoryBytes });
    const { nodes, edges, communities, modularity } = told;
    const body = {
      graph: { nodes, edges, communities, modularity },
      hubs: told.hubs.map(({ entity, pageRank, inDegree }) => ({ entity, pagerank: pageRank, in_degree: inDegree })),
      surprising_connections: told.surprisingConnections.map((one) => ({
        from: one.from,
        to: one.to,
        predicate: one.predicate,
        community_from: one.communityFrom,
        community_to: one.communityTo,
        bridge_rarity: one.bridgeRarity,
      })),
      suggested_questions: told.suggestedQuestions,
    };
    return { kind: 'body', body };
  },
  projections: {
    http: [
      { method: 'GET', path: '/report', request: 'parameters' },
      { method: 'POST', path: '/report', request: 'body' },
    ],
    mcp: {
      tool: 'report',
      description: [
        'Tell what is worth knowing of ROOT at a glance; the place to begin in a store that you do not know. Gives its size, hubs, surprising_connections (edges between communities) and suggested_questions.',
      ],
      example: { hubs: 5, surprises: 5 },
      parameters: {
        ...inWords({ type: 'only edges from instances of this class', predicate: 'only edges of it' }),
        hubs: { default: 10 },
        surprises: { default: 10 },
        questions: { default: 8 },
      },
    },
    cli: {
      command: 'report',
      notes: ['ROOT only. The same graph gives the same report.'],
      examples: ['svc report', 'svc report --hubs 3 --surprises 3 --questions 0'],
      options: { hubs: 'n', surprises: 'n', questions: 'n', type: 'iri', predicate: 'iri' },
      text: (body) => `${JSON.stringify(body, null, 2)}\n`,
    },
  },
});
