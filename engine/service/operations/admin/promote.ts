/** Makes a follower the primary: it is written from then on, and its old primary is not. */

import { Type } from '../../requests/schema.js';
import { defineFileOperation } from '../definition/operation.js';

export const promote = defineFileOperation({
  name: 'promote',
  summary: 'Make a follower the primary of its store',
  access: 'admin',
  request: Type.Object({
    force: Type.Optional(Type.Boolean('although the primary does not answer, and may still be writing')),
  }),
  response: Type.Object({
    epoch: Type.Integer('goes up with each promotion'),
    tx_id: Type.Integer('the newest transaction that the store has'),
    fetched: Type.Integer('transactions that came from the old primary at the last moment'),
    fenced: Type.Boolean('the old primary has said that it writes no more'),
  }),
  async handler({ path, configuration, control }, { force = false }) {
    const { promoteFollower } = await import('../../../follow/promote.js');
    const token = configuration.follow.auth_token;
    const { tx, ...rest } = await promoteFollower(path, { token, force }, control);
    return { kind: 'body', body: { tx_id: tx, ...rest } };
  },
  projections: {
    cli: {
      command: 'promote',
      notes: [
        'Stop the server of the follower first, and start it without --follow afterwards. The old primary is told to',
        'write no more, and what this copy lacks is fetched from it; that needs follow.auth_token. Where it does not',
        'answer nothing is done: stop it for good, and say --force.',
      ],
      examples: ['svc promote --db copy.db', 'svc promote --db copy.db --force'],
      options: { force: '' },
      text: ({ epoch, tx_id: tx, fetched, fenced }) => {
        const old = fenced
          ? `the old one writes no more (${fetched} transactions fetched)`
          : 'the old one was not asked';
        return `primary of epoch ${epoch}, at tx ${tx}; ${old}\n`;
      },
    },
  },
});
