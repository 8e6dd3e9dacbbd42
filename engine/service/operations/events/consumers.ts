/** How far consumers have read the event log, and how many refusals of writes stand in it, by gate. */

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
  forSomeGraphs: 'answered',
  async handler({ store, read }, { consumer_id, offset }) {
    const { committedOffset } = await store.events.of(read.principal).commit(consumer_id, offset);
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

const GATE_WIDTH = 12;

export const eventsRefusals = defineOperation({
  name: 'events_refusals',
  summary: 'Count refused writes by the gate that refused them',
  access: 'read',
  request: Type.Object({}),
  response: Type.Object({
    refusals: Type.Array(Type.Object({ gate: Type.String(), refused: Type.Integer() })),
    total: Type.Integer(),
  }),
  async handler({ store, control }) {
    const counts = await store.events.refusals({ signal: control.signal, flag: control.flag });
    const total = counts.reduce((sum, { refused }) => sum + refused, 0);
    return { kind: 'body', body: { refusals: counts, total } };
  },
  projections: {
    http: [{ method: 'GET', path: '/events/refusals', request: 'parameters' }],
    cli: {
      command: 'events refusals',
      examples: ['svc events refusals'],
      options: {},
      text: ({ refusals, total }) => {
        if (total === 0) return 'no refused writes recorded\n';
        const line = (gate: string, refused: string | number): string => `${gate.padEnd(GATE_WIDTH)}${refused}\n`;
        const rows = refusals.map(({ gate, refused }) => line(gate, refused)).join('');
        return `${line('gate', 'refused')}${'-'.repeat(GATE_WIDTH + 'refused'.length)}\n${rows}${line('total', total)}`;
      },
    },
  },
});
