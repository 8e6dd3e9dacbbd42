/** Counts of what the store holds, by class of graph: what gauges show. No face offers it by itself. */

import { tallyGraphs } from '../../../graphs/count-graphs.js';
import { Type } from '../../requests/schema.js';
import { figuresOfRoot } from '../admin/stats.js';
import { defineOperation } from '../definition/operation.js';

export const graphCounts = defineOperation({
  name: 'graph_counts',
  summary: 'Count facts and graphs by class',
  access: 'read',
  request: Type.Object({}),
  response: Type.Object({
    facts: Type.Integer(),
    entities: Type.Integer(),
    predicates: Type.Integer(),
    graphs: Type.Array(Type.Object({ class: Type.String(), lifecycle: Type.String(), graphs: Type.Integer() })),
    facts_by_class: Type.Array(Type.Object({ class: Type.String(), facts: Type.Integer() })),
  }),
  async handler({ store, control }) {
    const root = await figuresOfRoot(store, control);
    const snapshot = store.renewingSnapshot();
    try {
      const tally = await tallyGraphs(snapshot.storage, control);
      const graphs = [...tally.graphs].map(([key, count]) => {
        const [graphClass, lifecycle] = key.split(' ') as [string, string];
        return { class: graphClass, lifecycle, graphs: count };
      });
      const factsByClass = [...tally.facts].map(([graphClass, facts]) => ({ class: graphClass, facts }));
      const body = { facts: root.triples, entities: root.subjects, predicates: root.predicates };
      return { kind: 'body', body: { ...body, graphs, facts_by_class: factsByClass } };
    } finally {
      snapshot.close();
    }
  },
  projections: {},
});
