/** Writes an episode: what an agent has learnt, with where it comes from. */

import { SvcError } from '../../../base/errors.js';
import type { EpisodeEdge, EpisodeNode, PropertyValue } from '../../episodes/episode.js';
import { iri, nullable, type Static, Type } from '../../requests/schema.js';
import { graphField, resolutionOf, timestampField, writtenBy } from '../definition/fields.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';
import { episodeAnswer, episodeResponse, episodeText, hintText } from './episode-answers.js';

/** Null counts as absent, inside of a payload as well. */
const text = (description: string) => Type.Optional(nullable(Type.String(), { description }));
const iris = Type.Optional(nullable(Type.Array(iri()), 'IRIs of entities that it is not'));

const node = Type.Object({
  name: Type.String({ minLength: 1, description: 'stands once' }),
  type: text('one class: Host, a prefixed name (skos:Concept) or <IRI>'),
  description: text('what it is'),
  properties: Type.Optional(nullable(Type.Object({}), 'texts, numbers, true, false, or lists of them, by name')),
  distinct_from: iris,
  distinctFrom: iris,
});

const edge = Type.Object({
  source: Type.String({ minLength: 1, description: 'name of a node' }),
  target: Type.String({ minLength: 1, description: 'name of a node' }),
  relation: Type.String('runs_on, a prefixed name (owl:sameAs: two names of one entity) or <IRI>'),
  confidence: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()], 'how sure it is')),
});

function toNode({ distinct_from: distinct, distinctFrom, ...one }: Static<typeof node>, at: number): EpisodeNode {
  if (distinct && distinctFrom && JSON.stringify(distinct) !== JSON.stringify(distinctFrom)) {
    const message = `nodes[${at}]: 'distinct_from' and 'distinctFrom' are one field; give one of them`;
    throw new SvcError('invalid_request', message);
  }
  return {
    name: one.name,
    type: one.type ?? undefined,
    description: one.description ?? undefined,
    properties: (one.properties ?? undefined) as Readonly<Record<string, PropertyValue>> | undefined,
    distinctFrom: distinct ?? distinctFrom ?? undefined,
  };
}

function toEdge({ confidence, ...one }: Static<typeof edge>): EpisodeEdge {
  return { ...one, confidence: confidence ?? undefined };
}

export const episode = defineOperation({
  name: 'episode',
  summary: 'Write an episode: nodes, edges, and where they come from',
  access: 'write',
  forSomeGraphs: 'answered',
  request: Type.Object({
    name: Type.String({ minLength: 1, description: 'stable name of the episode; the same name again updates it' }),
    episode_body: Type.Optional(Type.String('the text that it was learnt from')),
    source: Type.Optional(Type.String('who says so')),
    group_id: Type.Optional(Type.String('provenance group')),
    timestamp: Type.Optional(timestampField),
    nodes: Type.Optional(Type.Array(node, 'entities')),
    edges: Type.Optional(Type.Array(edge, 'statements between them')),
    replace_snapshot: Type.Optional(
      Type.Boolean('retract what the episode wrote before and this payload does not repeat'),
    ),
    graph: Type.Optional(graphField),
    shapes: Type.Optional(Type.String('SHACL shapes in Turtle that the payload must conform to')),
    base_ns: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'the namespace in which the store mints IRIs; refused when it is another',
      }),
    ),
  }),
  response: episodeResponse,
  async handler({ store, control, configuration }, request) {
    const { base_ns: namespace } = request;
    if (namespace !== undefined && namespace !== store.baseNamespace) {
      const message = `base_ns is ${namespace}, but the store mints its IRIs in ${store.baseNamespace}`;
      const hint = 'a store keeps the namespace that it was made with; leave base_ns out, or name another store';
      throw new SvcError('invalid_request', message, { hint });
    }
    const given = {
      name: request.name,
      body: request.episode_body,
      source: request.source,
      groupId: request.group_id,
      graph: request.graph,
      nodes: request.nodes?.map(toNode),
      edges: request.edges?.map(toEdge),
      replaceSnapshot: request.replace_snapshot,
    };
    const { timestamp, shapes } = request;
    const options = { ...writtenBy(control, { timestamp }), shapes, resolution: resolutionOf(configuration) };
    return episodeAnswer(await store.writeEpisode(given, options));
  },
  projections: {
    http: [{ method: 'POST', path: '/episode', request: 'body' }],
    mcp: {
      tool: 'episode',
      description: [
        'Remember what was learnt: entities (nodes), statements between them (edges) and the text that they come from, in one transaction. For a text alone use svc_episodes_complete, for RDF svc_knot.',
        'A node is its name, byte for byte: the same name is the same entity in every episode, a reworded one is new, so ask svc_resolve_entity first.',
        'The same name with the same content changes nothing; with other content the episode grows, unless replace_snapshot is true. resolution_hints and dangling_nodes tell what may have been meant otherwise.',
      ],
      example: {
        name: 'deploy-42',
        episode_body: 'The app moved to the host kota.',
        source: 'agent-1',
        nodes: [
          { name: 'my app', type: 'WebApplication', properties: { port: 8080 } },
          { name: 'kota', type: 'Host' },
        ],
        edges: [{ source: 'my app', target: 'kota', relation: 'runs_on' }],
      },
      parameters: {
        ...inWords({
          name: 'stable; the same name again updates it',
          episode_body: 'the text that it was learnt from',
          source: 'who says so',
          group_id: 'name of a group of episodes',
          replace_snapshot: 'retract what this payload lacks',
          graph: 'IRI of the graph; default ROOT',
          shapes: 'SHACL in Turtle that it must conform to',
        }),
        nodes: { aliases: ['distinctFrom'] },
        ...asTheyAre('edges', 'timestamp'),
      },
      destructive: true,
      idempotent: true,
    },
    cli: {
      creates: true,
      command: 'episode',
      body: { name: 'file', summary: 'the episode as JSON, the body of POST /episode; - is standard input' },
      notes: ['Options stand above what the file says. A store that is not there yet is made.'],
      examples: [
        'svc episode deploy-42.json',
        'echo \'{"name": "note-1", "nodes": [{"name": "kota"}]}\' | svc episode -',
      ],
      options: { base_ns: 'iri', timestamp: 't' },
      text: episodeText,
      notice: hintText,
    },
  },
});
