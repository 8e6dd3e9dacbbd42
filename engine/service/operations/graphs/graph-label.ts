/** Declares labels of a graph. */

import { formatInstant, systemClock } from '../../../base/instant.js';
import { DURABILITY, FRESHNESS } from '../../../query/registry/label-rows.js';
import { iri, Type } from '../../requests/schema.js';
import { actorField, graphField, timestampField, writtenBy } from '../definition/fields.js';
import { asTheyAre, defineOperation } from '../definition/operation.js';
import { kindField } from './graph-parts.js';

const words = (all: readonly string[]) => Type.String(`one of ${all.join(', ')}, the best first`);

export const graphLabel = defineOperation({
  name: 'graph_label',
  summary: 'Declare how fresh, durable and trusted a graph is, what may be done with it, and what kind it is',
  access: 'write',
  request: Type.Object({
    graph: graphField,
    timestamp: timestampField,
    freshness: Type.Optional(words(FRESHNESS)),
    durability: Type.Optional(words(DURABILITY)),
    kind: Type.Optional(kindField),
    trust: Type.Optional(
      Type.Object(
        {
          iri: iri({ minLength: 1, description: 'names the trust' }),
          chain: iri({ minLength: 1, description: 'within which ranks compare' }),
          rank: Type.Integer('higher = more trusted, within one chain only'),
        },
        'iri, chain and rank, all three; chain and rank belong to the IRI for good',
      ),
    ),
    policy: Type.Optional(
      Type.Array(Type.String(), 'tokens of obligations, without spaces; an empty list: no obligations'),
    ),
    valid_to: Type.Optional(
      Type.String(
        'from this instant on (RFC 3339) the axes that are named read as undeclared; later than the timestamp',
      ),
    ),
    actor: Type.Optional(actorField),
  }),
  response: Type.Object({ tx_id: Type.Integer('0 when all of it was declared already') }),
  async handler({ store, control, configuration }, request) {
    const { graph, timestamp, freshness, durability, kind, trust, policy, valid_to: validTo, actor } = request;
    const { tx } = await store.labelGraph(
      graph,
      { freshness, durability, trust, policy, kind },
      {
        ...writtenBy(control, { timestamp, ...(actor === undefined ? {} : { actor }) }),
        validTo,
        extraKinds: configuration.labels.extra_kinds,
      },
    );
    return { kind: 'body', body: { tx_id: tx }, notes: { tx } };
  },
  projections: {
    http: [{ method: 'POST', path: '/graph/label', request: 'body' }],
    mcp: {
      tool: 'graph_label',
      extra: true,
      destructive: true,
      idempotent: true,
      description: [
        'Declare labels of a registered graph. An axis that is not named keeps what was declared; one that is named replaces it.',
        'Axes: freshness (fresh, recomputing, stale), durability (backed, reproducible, soleRecord), kind (operational, archive, reference, derived, staging, quarantine),',
        'trust {"iri", "chain", "rank"}, policy (a list of tokens; [] = no obligations). valid_to: when the declaration expires.',
        'Answers {"tx_id"}; 0 when all of it was declared already. svc_graph_list shows the labels.',
      ],
      example: {
        graph: 'http://ex.org/g',
        timestamp: '2026-01-01T00:00:00Z',
        freshness: 'fresh',
        policy: ['no-export'],
      },
      parameters: asTheyAre(
        'graph',
        'timestamp',
        'freshness',
        'durability',
        'kind',
        'trust',
        'policy',
        'valid_to',
        'actor',
      ),
    },
    cli: {
      command: 'graph label',
      positional: [{ field: 'graph', name: 'iri', summary: 'the graph' }],
      json: ['trust'],
      notes: ["--policy '' declares that there are no obligations. An axis that is not named keeps what was declared."],
      examples: [
        'svc graph label http://example.org/g --freshness fresh --policy no-export,pii',
        'svc graph label http://example.org/g --kind archive --valid-to 2027-01-01T00:00:00Z',
        'svc graph label http://example.org/g --trust \'{"iri": "urn:t:canon", "chain": "urn:t:chain", "rank": 40}\'',
      ],
      options: {
        freshness: 'word',
        durability: 'word',
        kind: 'kind',
        trust: 'json',
        policy: 'a,b',
        valid_to: 't',
        timestamp: 't',
        actor: 'name',
      },
      defaults: {
        // Read anew for each line.
        get timestamp() {
          return formatInstant(systemClock());
        },
      },
      text: ({ tx_id: tx }, { request }) => {
        const { graph } = request as { readonly graph?: string };
        return tx === 0 ? `${graph} is labelled so already\n` : `labelled ${graph} (tx ${tx})\n`;
      },
    },
  },
});
