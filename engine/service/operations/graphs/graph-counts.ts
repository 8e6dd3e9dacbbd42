/** Counts of what the store holds, by class of graph: what gauges show. No face offers it by itself. */

import { throwIfStopped } from '../../../base/control.js';
import { getOrInsert } from '../../../base/maps.js';
import { ROOT_GRAPH_IRI } from '../../../rdf/terms.js';
import { Type } from '../../requests/schema.js';
import { figuresOfRoot } from '../admin/stats.js';
import { defineOperation } from '../definition/operation.js';

const PAGE = 1000;
/** What a registered graph that is not frozen shows as its lifecycle. */
const LIVE = 'live';

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
    const graphs = new Map<string, { class: string; lifecycle: string; graphs: number }>();
    const facts = new Map<string, { class: string; facts: number }>();
    for (let offset = 0, more = true; more; offset += PAGE) {
      throwIfStopped(control, 'the counts');
      const page = await store.graphs({ limit: PAGE, offset });
      more = page.truncated;
      for (const graph of page.graphs) {
        const lifecycle = graph.lifecycle ?? LIVE;
        const key = `${graph.class} ${lifecycle}`;
        getOrInsert(graphs, key, () => ({ class: graph.class, lifecycle, graphs: 0 })).graphs++;
        const of = graph.iri === ROOT_GRAPH_IRI ? 'ROOT' : graph.lifecycle === 'frozen' ? 'frozen' : graph.class;
        getOrInsert(facts, of, () => ({ class: of, facts: 0 })).facts += graph.facts;
      }
    }
    const body = { facts: root.triples, entities: root.subjects, predicates: root.predicates };
    return { kind: 'body', body: { ...body, graphs: [...graphs.values()], facts_by_class: [...facts.values()] } };
  },
  projections: {},
});
