/** Takes back what an episode wrote. */

import type { EpisodeStatement } from '../../episodes/episode.js';
import { entityText } from '../../facts/entity.js';
import { termToJson } from '../../requests/json.js';
import { oneOf, Type } from '../../requests/schema.js';
import { writtenFields } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';

const statement = Type.Object({
  entity: Type.String(),
  predicate: Type.String(),
  value: Type.Unknown(),
  graph: Type.Optional(Type.String('absent: ROOT')),
});

function toStatement({ entity, predicate, value, graph }: EpisodeStatement) {
  const shown = { entity: entityText(entity), predicate: predicate.value, value: termToJson(value) };
  return graph === undefined ? shown : { ...shown, graph };
}

export const retractEpisodeResponse = Type.Object({
  tx_id: Type.Integer('0 when there was nothing to retract'),
  retracted: Type.Integer(),
  episode: Type.String(),
  statements: Type.Array(statement, 'what was retracted; at most 10000'),
  truncated: Type.Boolean('more was retracted than is listed'),
  on_orphan: Type.String(),
  identity_preserved: Type.Integer(),
  identity_preserved_statements: Type.Array(statement),
  identity_orphans: Type.Integer(),
  identity_orphan_entities: Type.Array(
    Type.Object({ entity: Type.String(), lost_label: Type.Boolean(), lost_type: Type.Boolean() }),
  ),
});

export const retractEpisode = defineOperation({
  name: 'retract_episode',
  summary: 'Take back what an episode wrote',
  access: 'write',
  request: Type.Object({
    episode: Type.String({ minLength: 1, description: 'name of the episode' }),
    ...writtenFields,
    on_orphan: Type.Optional(
      oneOf(
        ['preserve', 'refuse', 'allow'],
        'labels and types of entities that others still mention: preserve (default) keeps them, refuse changes nothing when there are any, allow takes them',
      ),
    ),
  }),
  aliases: { episode_id: 'episode', name: 'episode', orphan_policy: 'on_orphan' },
  response: retractEpisodeResponse,
  async handler({ store, control }, { episode, timestamp, actor, on_orphan: onOrphan }) {
    const { signal, wait, authenticated } = control;
    const options = { timestamp, actor, onOrphan, signal, wait, authenticated };
    const done = await store.retractEpisode(episode, options);
    const body = {
      tx_id: done.tx,
      retracted: done.retracted,
      episode,
      statements: done.statements.map(toStatement),
      truncated: done.truncated,
      on_orphan: done.onOrphan,
      identity_preserved: done.preservedCount,
      identity_preserved_statements: done.preserved.map(toStatement),
      identity_orphans: done.orphanCount,
      identity_orphan_entities: done.orphans.map(({ entity, lostLabel, lostType }) => ({
        entity: entityText(entity),
        lost_label: lostLabel,
        lost_type: lostType,
      })),
    };
    return { kind: 'body', body, notes: { written: done.retracted } };
  },
  projections: {
    http: [{ method: 'POST', path: '/episode/retract', request: 'body' }],
    mcp: {
      tool: 'retract_episode',
      description: [
        'Take an episode back: the facts that svc_episode wrote under this name and that nobody else had stated before end now; they stay in the history.',
        'An entity that others still mention keeps its last label and type (on_orphan: preserve, the default); refuse changes nothing when there is such an entity; allow takes them as well.',
        'Answers {"tx_id", "retracted", "statements", "identity_preserved", "identity_orphans", ...}; an unknown episode, or one that is retracted already, gives 0.',
      ],
      example: { episode: 'deploy-42' },
      parameters: { episode: {}, timestamp: {}, actor: {}, on_orphan: { default: 'preserve' } },
      destructive: true,
      idempotent: true,
    },
  },
});
