/** Takes back what an episode wrote. */

import type { EpisodeStatement } from '../../episodes/episode.js';
import { entityText } from '../../facts/entity.js';
import { oneOf, Type } from '../../requests/schema.js';
import { statementFields, toStatement } from '../definition/facts.js';
import { writtenBy, writtenFields } from '../definition/fields.js';
import { defineOperation, inWords } from '../definition/operation.js';

const statement = Type.Object({ ...statementFields, graph: Type.Optional(Type.String('absent: ROOT')) });

const told = (one: EpisodeStatement) => ({ ...toStatement(one), graph: one.graph });

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
  forSomeGraphs: 'answered',
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
  async handler({ store, control }, { episode, on_orphan: onOrphan, ...by }) {
    const done = await store.retractEpisode(episode, { ...writtenBy(control, by), onOrphan });
    const body = {
      tx_id: done.tx,
      retracted: done.retracted,
      episode,
      statements: done.statements.map(told),
      truncated: done.truncated,
      on_orphan: done.onOrphan,
      identity_preserved: done.preservedCount,
      identity_preserved_statements: done.preserved.map(told),
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
        'Take an episode back: what svc_episode wrote under this name and nobody else had stated ends now, and stays in the history. For documents that svc_knot loaded use svc_retract_source.',
        'retracted: 0: there was none.',
      ],
      example: { episode: 'deploy-42' },
      parameters: {
        ...inWords({ episode: 'its name' }),
        timestamp: {},
        actor: {},
        on_orphan: {
          description:
            'of entities that others mention: keep their labels and types, change nothing at all, or take them too',
          default: 'preserve',
        },
      },
      destructive: true,
      idempotent: true,
    },
  },
});
