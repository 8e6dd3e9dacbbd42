/** Notes how far a consumer has read the event log. */

import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

export const eventsCommit = defineOperation({
  name: 'events_commit',
  summary: 'Note how far a consumer has read the events',
  access: 'write',
  request: Type.Object({
    consumer_id: Type.String('name of the consumer'),
    offset: Type.Integer({ minimum: 0, description: 'offset of the last event that it is done with; lower replays' }),
  }),
  response: Type.Object({ consumer_id: Type.String(), committed_offset: Type.Integer() }),
  async handler({ store }, { consumer_id, offset }) {
    const { committedOffset } = await store.events.commit(consumer_id, offset);
    return { kind: 'body', body: { consumer_id, committed_offset: committedOffset } };
  },
  projections: {
    http: [{ method: 'POST', path: '/events/commit', request: 'body' }],
    cli: {
      command: 'events commit',
      positional: [
        { field: 'consumer_id', name: 'consumer', summary: 'name of the consumer' },
        { field: 'offset', name: 'offset', summary: 'offset of the last event that it is done with' },
      ],
      json: ['offset'],
      examples: ['svc events commit billing 120'],
      options: {},
      text: ({ consumer_id, committed_offset }) => `${consumer_id} is at ${committed_offset}\n`,
    },
  },
});
