/** Counts of the store. */

import { Type } from '../schema.js';
import { defineOperation } from './operation.js';

export const stats = defineOperation({
  name: 'stats',
  summary: 'Count what the store holds',
  access: 'read',
  request: Type.Object({}),
  response: Type.Object({
    facts: Type.Integer({ description: 'current quads of ROOT' }),
    entities: Type.Integer({ description: 'distinct subjects of ROOT' }),
    predicates: Type.Integer(),
    quads: Type.Integer({ description: 'current quads of all graphs' }),
    graphs: Type.Integer(),
    transactions: Type.Integer(),
    terms: Type.Integer(),
    file_bytes: Type.Integer(),
    bytes_by_part: Type.Record(Type.String(), Type.Integer()),
    store: Type.String(),
  }),
  async handler({ store }) {
    const counts = store.stats();
    return {
      kind: 'body',
      body: {
        facts: counts.factsCurrent,
        entities: counts.entities,
        predicates: counts.predicates,
        quads: counts.quadsCurrent,
        graphs: counts.graphs,
        transactions: counts.transactions,
        terms: counts.terms,
        file_bytes: counts.fileBytes,
        bytes_by_part: { ...counts.bytesByPart },
        store: counts.path,
      },
    };
  },
  projections: {
    cli: {
      command: 'stats',
      examples: ['svc stats', 'svc stats --db graph.db --json'],
      options: {},
      text: (body) =>
        `store: ${body.store}\nfacts (current): ${body.facts}\nentities: ${body.entities}\npredicates: ${body.predicates}\n`,
    },
  },
});
