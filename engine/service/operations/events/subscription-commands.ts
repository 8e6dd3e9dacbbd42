/** What `subscriptions` does, as a command for each action. */

import { Type } from '../../requests/schema.js';
import { type CommandOperation, commandForm } from '../definition/operation.js';
import { subscription, subscriptions } from './subscriptions.js';

const consumer = { field: 'consumer_id', name: 'name', summary: 'name of the subscription' };

const create = commandForm(subscriptions, {
  summary: 'Register an address that events are posted to',
  response: Type.Object({ action: Type.String(), id: Type.Integer(), consumer_id: Type.String() }),
  cli: {
    command: 'subscriptions create',
    positional: [consumer, { field: 'webhook_url', name: 'url', summary: 'http or https address' }],
    defaults: { action: 'create' },
    notes: [
      'Events are posted by a server (svc serve). --secret stands in the line, where others on this machine see it.',
    ],
    examples: ['svc subscriptions create billing https://billing.example.org/hook --types edge.added,edge.retracted'],
    options: {
      types: 'a,b',
      group: 'name',
      mode: 'mode',
      batch_size: 'n',
      batch_window_s: 'seconds',
      since: 'offset',
      secret: 'text',
    },
    text: ({ id, consumer_id: name }) => `created subscription "${name}" (id ${id})\n`,
  },
});

const list = commandForm(subscriptions, {
  summary: 'List the addresses that events are posted to, and how that goes',
  response: Type.Object({
    subscriptions: Type.Array(subscription),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  opens: 'read',
  cli: {
    command: 'subscriptions list',
    defaults: { action: 'list' },
    examples: ['svc subscriptions list'],
    options: { limit: 'n', offset: 'n' },
    text: ({ subscriptions: all, count, truncated }) => {
      if (count === 0) return 'no subscriptions\n';
      const lines = all.map(
        ({ consumer_id: name, webhook_url: url, state, committed_offset: offset, last_error, reader }) => {
          const why = last_error === null ? '' : `: ${last_error}`;
          const whose = reader === undefined ? '' : ` of ${reader}`;
          return `  ${name}${whose} -> ${url} (${state}${why}; delivered up to ${offset})\n`;
        },
      );
      return `${lines.join('')}${count} subscription(s)${truncated ? ', and more' : ''}\n`;
    },
  },
});

const remove = commandForm(subscriptions, {
  summary: 'Delete a subscription',
  response: Type.Object({ action: Type.String(), consumer_id: Type.String(), found: Type.Boolean() }),
  cli: {
    command: 'subscriptions delete',
    positional: [consumer],
    defaults: { action: 'delete' },
    examples: ['svc subscriptions delete billing'],
    options: { reader: 'principal' },
    text: ({ consumer_id: name, found }) =>
      found ? `deleted subscription "${name}"\n` : `subscription "${name}" not found\n`,
    succeeded: ({ found }) => found,
  },
});

export const SUBSCRIPTION_COMMANDS: readonly CommandOperation[] = [create, list, remove];
