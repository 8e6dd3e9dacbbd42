/** Which entities a name may mean. Writes nothing, and answers whether or not episodes resolve. */

import type { SvcError } from '../../../base/errors.js';
import { Type } from '../../requests/schema.js';
import { defineOperation, inWords } from '../definition/operation.js';
import { candidate, toCandidate } from './episode-answers.js';

const CANDIDATES_MAX = 1000;

export const resolveResponse = Type.Object({
  candidates: Type.Array(candidate),
  count: Type.Integer(),
  has_matches: Type.Boolean(),
  embeddings: Type.Optional(Type.Object({ error: Type.String() }, 'why names alone were compared')),
  vector_scope: Type.Object({ kind: Type.String(), attached_layers: Type.Optional(Type.Integer()) }),
});

export const resolveEntity = defineOperation({
  name: 'resolve_entity',
  summary: 'Say which entities a name may mean',
  access: 'read',
  request: Type.Object({
    name: Type.String({ minLength: 1, description: 'the name' }),
    properties: Type.Optional(
      Type.Object({}, 'what else is known of it, names and texts; counts where there are embeddings'),
    ),
    top_k: Type.Optional(
      Type.Integer({ minimum: 1, maximum: CANDIDATES_MAX, description: 'most candidates; default resolution.top_k' }),
    ),
    threshold: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'the least score; default resolution.threshold' }),
    ),
  }),
  response: resolveResponse,
  async handler({ store, configuration, control }, { name, properties, top_k: topK, threshold }) {
    const { resolution } = configuration;
    const { signal, flag } = control;
    const failures: SvcError[] = [];
    const options = {
      topK: topK ?? resolution.top_k,
      threshold: threshold ?? resolution.threshold,
      labelPredicates: configuration.search.label_predicates,
      properties: properties as Readonly<Record<string, unknown>> | undefined,
      onFailure: (error: SvcError) => {
        failures.push(error);
      },
      signal,
      flag,
    };
    const candidates = (await store.resolve(name, options)).map(toCandidate);
    const [has_matches, count] = [candidates.length > 0, candidates.length];
    const [failure] = failures;
    const body = { has_matches, count, candidates, vector_scope: { kind: 'whole_store' } };
    return { kind: 'body', body: failure === undefined ? body : { ...body, embeddings: { error: failure.message } } };
  },
  projections: {
    http: [{ method: 'POST', path: '/resolve', request: 'body' }],
    mcp: {
      tool: 'resolve_entity',
      description: [
        'Find the entities that a name may mean, by how alike labels are and, where there are embeddings, by meaning. Ask before svc_episode or svc_knot, to use what is there. For a text rather than a name use svc_unified_search.',
      ],
      example: { name: 'my-app', top_k: 3 },
      parameters: {
        ...inWords({
          name: 'as it was heard',
          properties: 'what else is known of it, texts by name; counts with embeddings',
        }),
        top_k: { default: 3 },
        threshold: { default: 0.85 },
      },
    },
  },
});
