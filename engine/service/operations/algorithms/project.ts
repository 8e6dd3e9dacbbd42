/**
 * Graph algorithms over the edges of one graph. The route writes as a whole, since some results can be persisted; what is
 * not persisted is computed by a reading operation, in a reader thread where there are any.
 */

import { ALGORITHMS, DAMPING, ITERATIONS_MAX, isPersisted, TOLERANCE } from '../../../reason/graph/request.js';
import type { AlgorithmAnswer, Group } from '../../../reason/graph/run.js';
import { findingLists, judgedLists } from '../../gates/findings.js';
import { iri, nullable, oneOf, type Static, Type } from '../../requests/schema.js';
import { graphField, offsetField, writtenBy, writtenFields } from '../definition/fields.js';
import { type Answer, defineOperation, inWords, type OperationContext } from '../definition/operation.js';

/** Those that every agent is shown. */
const TOOL_ALGORITHMS = ['stats', 'in_degree', 'pagerank', 'ppr', 'components', 'louvain', 'shortest_path'] as const;

export const projectionFields = {
  type: Type.Optional(iri({ minLength: 1, description: 'only edges whose subject has this type, as it is asserted' })),
  predicate: Type.Optional(iri({ minLength: 1, description: 'only edges of this predicate' })),
};

const computedFields = {
  algorithm: Type.Optional(Type.String(`${ALGORITHMS.join(', ')}; default stats`)),
  ...projectionFields,
  graph: Type.Optional({ ...graphField, description: 'IRI of the graph; default ROOT' }),
  limit: Type.Optional(Type.Integer('most entries; 1 to 10000, default 20')),
  offset: Type.Optional(offsetField),
  seeds: Type.Optional(Type.Array(iri({ minLength: 1 }), 'pagerank: IRIs that the walk restarts at')),
  damping: Type.Optional(Type.Number(`pagerank: 0 to 1, default ${DAMPING}`)),
  max_iters: Type.Optional(Type.Integer(`pagerank: most iterations, default ${ITERATIONS_MAX}`)),
  tolerance: Type.Optional(Type.Number(`pagerank: change at which it stops, default ${TOLERANCE}`)),
  from: Type.Optional(iri({ minLength: 1, description: 'shortest_path: IRI of its beginning' })),
  to: Type.Optional(iri({ minLength: 1, description: 'shortest_path: IRI of its end' })),
  samples: Type.Optional(Type.Integer('betweenness: sources that are sampled; default all, which is exact')),
  random_seed: Type.Optional(Type.Integer('betweenness: by which the sources are chosen; default 0')),
};

const request = Type.Object({
  ...computedFields,
  persist: Type.Optional(
    Type.Boolean('louvain and pagerank without seeds: write the community or rank of every node into the graph'),
  ),
  ...writtenFields,
});

const computedRequest = Type.Object(computedFields);

const members = {
  entities: Type.Array(Type.String(), 'the first 1000, by IRI'),
  entities_truncated: Type.Optional(Type.Boolean('true: there are more members')),
  size: Type.Integer(),
};

const response = Type.Object({
  algorithm: Type.String(),
  nodes: Type.Optional(Type.Integer('of stats')),
  edges: Type.Optional(Type.Integer('of stats')),
  results: Type.Optional(
    Type.Array(
      Type.Object({
        entity: Type.String(),
        in_degree: Type.Optional(Type.Integer()),
        score: Type.Optional(Type.Number('of pagerank')),
        betweenness: Type.Optional(Type.Number()),
        core: Type.Optional(Type.Integer('of kcore')),
        triangles: Type.Optional(Type.Integer()),
      }),
      'the greatest first, then by IRI',
    ),
  ),
  personalized: Type.Optional(Type.Boolean('of pagerank: seeds were given')),
  unknown_seeds: Type.Optional(Type.Array(Type.String(), 'seeds that are no nodes')),
  components: Type.Optional(Type.Array(Type.Object(members), 'the largest first')),
  communities: Type.Optional(Type.Array(Type.Object({ community: Type.String(), ...members }))),
  modularity: Type.Optional(Type.Number()),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  path: Type.Optional(nullable(Type.Array(Type.String()), 'both ends included; null: there is none')),
  length: Type.Optional(nullable(Type.Integer('edges'))),
  count: Type.Optional(Type.Integer()),
  truncated: Type.Optional(Type.Boolean()),
  persisted: Type.Optional(nullable(Type.Integer('nodes whose value stands in the graph'))),
  tx_id: Type.Optional(Type.Integer('of what was persisted; 0: it stood there already')),
  violations: Type.Optional(findingLists.violations),
  warnings: Type.Optional(findingLists.warnings),
  infos: Type.Optional(findingLists.infos),
});

type Computed = Static<typeof computedRequest>;
type Body = Static<typeof response>;

/** What the values of a ranking are called. */
const VALUES = {
  in_degree: 'in_degree',
  pagerank: 'score',
  betweenness: 'betweenness',
  kcore: 'core',
  triangles: 'triangles',
} as const;

function shownGroup({ entities, size, community }: Group) {
  return {
    ...(community === undefined ? {} : { community }),
    entities,
    ...(entities.length < size ? { entities_truncated: true } : {}),
    size,
  };
}

function bodyOf(answer: AlgorithmAnswer): Body {
  const { algorithm } = answer;
  switch (answer.algorithm) {
    case 'stats':
      return answer;
    case 'components': {
      const groups = answer.components.map(shownGroup);
      return { algorithm, components: groups, count: groups.length, truncated: answer.truncated };
    }
    case 'louvain':
    case 'leiden': {
      const communities = answer.communities.map((group) => ({
        community: group.community as string,
        ...shownGroup(group),
      }));
      const { modularity, truncated } = answer;
      return { algorithm, communities, count: communities.length, truncated, modularity, persisted: null };
    }
    case 'shortest_path': {
      const { from, to, path } = answer;
      return { algorithm, from, to, path, length: path === null ? null : path.length - 1 };
    }
    default: {
      const name = VALUES[answer.algorithm];
      const results = answer.results.map(({ entity, value }) => ({ entity, [name]: value }));
      const list = { results, count: results.length, truncated: answer.truncated };
      if (answer.algorithm !== 'pagerank') return { algorithm, ...list };
      const { personalized, unknownSeeds } = answer;
      const unknown = unknownSeeds.length === 0 ? {} : { unknown_seeds: unknownSeeds };
      return { algorithm, personalized, ...list, ...unknown, persisted: null };
    }
  }
}

function optionsOf(request: Computed) {
  const { max_iters: maxIters, random_seed: randomSeed, ...rest } = request;
  return { ...rest, maxIters, randomSeed };
}

/** What `/project` computes and does not write; it has no route of its own. */
export const projectRead = defineOperation({
  name: 'project_read',
  summary: 'Run a graph algorithm over the edges of a graph',
  access: 'read',
  request: computedRequest,
  response,
  async handler({ store, control, read }, asked) {
    const { signal, flag } = control;
    const cost = { signal, flag, memoryBytes: read.budget.memoryBytes };
    return { kind: 'body', body: bodyOf(await store.project({ ...optionsOf(asked), ...cost })) };
  },
  projections: {},
});

async function computed(context: OperationContext, asked: Computed): Promise<Answer<Body>> {
  // A command that describes itself needs none of it.
  const { answerOperation } = await import('../definition/answer-operation.js');
  const answer = await answerOperation(projectRead, asked, { ...context, representation: 'body' });
  const pieces: Uint8Array[] = [];
  for await (const piece of answer) pieces.push(piece);
  return { kind: 'body', body: JSON.parse(Buffer.concat(pieces).toString('utf8')) as Body };
}

async function persisted(context: OperationContext, asked: Static<typeof request>): Promise<Answer<Body>> {
  const { persist: _, timestamp, actor, ...rest } = asked;
  const { store, control, read } = context;
  const written = writtenBy(control, { ...(timestamp && { timestamp }), ...(actor && { actor }) });
  const cost = { flag: control.flag, memoryBytes: read.budget.memoryBytes };
  const result = await store.persistAlgorithm(optionsOf(rest), { ...written, ...cost });
  const body = {
    ...bodyOf(result.answer),
    persisted: result.persisted,
    tx_id: result.tx,
    ...judgedLists(result),
  };
  return { kind: 'body', body, notes: { tx: result.tx, written: result.asserted + result.retracted } };
}

export const project = defineOperation({
  name: 'project',
  summary: 'Run a graph algorithm over the edges of a graph',
  access: 'write',
  request,
  response,
  async handler(context, asked) {
    const { persist = false, timestamp: _, actor: __, ...rest } = asked;
    return persist && isPersisted(asked.algorithm) ? persisted(context, asked) : computed(context, rest);
  },
  projections: {
    http: [{ method: 'POST', path: '/project', request: 'body' }],
    mcp: {
      tool: 'project',
      description: [
        'Run a graph algorithm over the facts between IRIs, each an edge from subject to value. Use it to rank, group or connect entities.',
        'in_degree and pagerank rank (ppr, or seeds: as seen from the seeds); louvain finds communities; shortest_path needs from and to. persist writes ranks or communities into the graph; all else only reads.',
      ],
      example: { algorithm: 'pagerank', limit: 10 },
      parameters: {
        ...inWords({
          type: 'only edges from instances of this class',
          predicate: 'only edges of it',
          graph: 'IRI of the graph; default ROOT',
          seeds: 'IRIs that pagerank restarts at',
          from: 'IRI that the path begins at',
          to: 'IRI that it ends at',
          persist: 'write svc:pageRank or svc:memberOfCommunity',
        }),
        algorithm: { description: 'what to compute', schema: oneOf(TOOL_ALGORITHMS), default: 'stats' },
        limit: { default: 20 },
        offset: { default: 0 },
        damping: { default: DAMPING },
        max_iters: { default: ITERATIONS_MAX },
        tolerance: { default: TOLERANCE },
      },
      destructive: true,
      idempotent: true,
    },
    cli: {
      command: 'project',
      notes: ['--seed may be given several times. --persist writes what louvain or pagerank finds into the graph.'],
      examples: [
        'svc project',
        'svc project --algorithm pagerank --limit 10',
        'svc project --algorithm ppr --seed http://example.org/ann --seed http://example.org/bob',
        'svc project --algorithm shortest_path --from http://example.org/a --to http://example.org/b',
        'svc project --algorithm louvain --persist',
      ],
      options: {
        algorithm: 'name',
        type: 'iri',
        predicate: 'iri',
        graph: 'iri',
        limit: 'n',
        offset: 'n',
        seeds: 'iri',
        damping: 'x',
        max_iters: 'n',
        tolerance: 'x',
        from: 'iri',
        to: 'iri',
        samples: 'n',
        random_seed: 'n',
        persist: 'persist',
        timestamp: 't',
        actor: 'name',
      },
      repeated: { seeds: 'seed' },
      onlyReads: ({ persist }) => persist !== true,
      text: (body) => `${JSON.stringify(body, null, 2)}\n`,
    },
  },
});
