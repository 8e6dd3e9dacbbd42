/** Writes an episode that is a text alone. */

import { Type } from '../../requests/schema.js';
import { timestampField, writtenBy } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';
import { episodeAnswer, episodeResponse } from './episode-answers.js';

export const episodesComplete = defineOperation({
  name: 'episodes_complete',
  summary: 'Write an episode that is a text alone',
  access: 'write',
  request: Type.Object({
    name: Type.String({ minLength: 1, description: 'stable name of the episode; the same name again updates it' }),
    episode_body: Type.Optional(Type.String('the text')),
    group_id: Type.Optional(Type.String('provenance group')),
    source_description: Type.Optional(Type.String('who says so')),
    timestamp: Type.Optional(timestampField),
  }),
  response: episodeResponse,
  async handler({ store, control }, request) {
    const { name, episode_body: body, group_id: groupId, source_description: source, timestamp } = request;
    return episodeAnswer(await store.writeEpisode({ name, body, source, groupId }, writtenBy(control, { timestamp })));
  },
  projections: {
    http: [{ method: 'POST', path: '/episodes/complete', request: 'body' }],
    mcp: {
      tool: 'episodes_complete',
      description: [
        'Remember a text: an episode without nodes and edges. svc_episode writes those as well.',
        'Answers {"outcome": "created", "updated" or "unchanged", "count", "tx_id", ...}; the same name with the same text is unchanged.',
      ],
      example: { name: 'note-1', episode_body: 'kota was rebooted at noon.', source_description: 'agent-1' },
      parameters: { name: {}, episode_body: {}, group_id: {}, source_description: {}, timestamp: {} },
      destructive: true,
      idempotent: true,
    },
  },
});
