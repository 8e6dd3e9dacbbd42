/** Writes an episode that is a text alone. */

import { Type } from '../../requests/schema.js';
import { timestampField, writtenBy } from '../definition/fields.js';
import { defineOperation, inWords } from '../definition/operation.js';
import { episodeAnswer, episodeResponse } from './episode-answers.js';

export const episodesComplete = defineOperation({
  name: 'episodes_complete',
  summary: 'Write an episode that is a text alone',
  access: 'write',
  forSomeGraphs: 'answered',
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
        'Remember a text as an episode without nodes and edges; where you can name entities and how they are connected, svc_episode makes it findable by them. Another text under the same name updates it.',
      ],
      example: { name: 'note-1', episode_body: 'kota was rebooted at noon.', source_description: 'agent-1' },
      parameters: {
        ...inWords({
          name: 'stable; the same name again updates it',
          episode_body: 'the text',
          group_id: 'name of a group of episodes',
          source_description: 'who says so',
        }),
        timestamp: {},
      },
      destructive: true,
      idempotent: true,
    },
  },
});
