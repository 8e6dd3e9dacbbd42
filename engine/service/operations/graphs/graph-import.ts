/** The history of another store file's ROOT as a graph of this store. */

import { iri, Type } from '../../requests/schema.js';
import { writtenBy, writtenFields } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';

export const graphImport = defineOperation({
  name: 'graph_import',
  summary: 'Copy the history of ROOT of another store file into a graph of this one',
  access: 'admin',
  opens: 'write',
  request: Type.Object({
    path: Type.String({ minLength: 1, description: 'the store file' }),
    as: iri({ minLength: 1, description: 'the graph, which has no history yet' }),
    ...writtenFields,
  }),
  response: Type.Object({
    path: Type.String(),
    graph: Type.String(),
    g: Type.Integer('number of the graph in this store'),
    terms: Type.Integer('terms that this store did not know'),
    transactions: Type.Integer(),
    facts: Type.Integer('current facts of the graph'),
    tx_id: Type.Integer(),
  }),
  async handler({ store, control }, { path, as: graph, timestamp, actor }) {
    const options = { ...writtenBy(control, { timestamp, actor }), ...control };
    const { number: g, terms, transactions, facts, tx } = await store.importGraph(path, graph, options);
    return { kind: 'body', body: { path, graph, g, terms, transactions, facts, tx_id: tx }, notes: { tx } };
  },
  projections: {
    cli: {
      creates: true,
      command: 'graph import',
      positional: [{ field: 'path', name: 'db', summary: 'the other store file, which is only read' }],
      notes: [
        'Each transaction that changed ROOT there is written again here, with its time, actor and source, and a number',
        'of this store. All of them come at once, or none does.',
      ],
      examples: ['svc graph import laptop.db --as http://example.org/g/laptop'],
      options: { as: 'iri', timestamp: 't', actor: 'name' },
      text: (body) =>
        `${[
          `imported ${body.path} as ${body.graph}`,
          `graph id: ${body.g}`,
          `terms: ${body.terms}`,
          `transactions: ${body.transactions}`,
          `facts: ${body.facts}`,
        ].join('\n  ')}\n`,
    },
  },
});
