/** How many writes each gate has refused, by the event log. */

import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

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
