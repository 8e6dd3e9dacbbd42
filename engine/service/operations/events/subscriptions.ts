/** Registers HTTP endpoints that events are pushed to, lists them, takes them away. */

import { SvcError } from '../../../base/errors.js';
import type { SubscriptionState } from '../../events/store-events.js';
import type { SubscriptionInput } from '../../events/subscriptions.js';
import { showInstant } from '../../options/store-options.js';
import { nullable, type Static, Type, textOrNull } from '../../requests/schema.js';
import { actionField, byAction } from '../definition/actions.js';
import { pageFields, pageOf } from '../definition/fields.js';
import { type Answer, defineOperation, type OperationContext } from '../definition/operation.js';

const ACTIONS = ['create', 'list', 'delete'] as const;

export const subscription = Type.Object({
  id: Type.Integer(),
  consumer_id: Type.String(),
  types: nullable(Type.Array(Type.String())),
  group: textOrNull,
  mode: Type.String(),
  webhook_url: Type.String(),
  batch_size: Type.Integer(),
  batch_window_s: Type.Number(),
  created_at: Type.String(),
  state: Type.String('active or failing'),
  failures: Type.Integer('since the last success'),
  last_error: textOrNull,
  committed_offset: Type.Integer(),
  reader: Type.Optional(Type.String('whose it is who may read some graphs only; told to who reads all')),
});

const request = Type.Object({
  action: actionField(ACTIONS),
  consumer_id: Type.Optional(Type.String('name of the subscription; its cursor is the consumer sub:NAME')),
  webhook_url: Type.Optional(Type.String('http or https URL that events are posted to')),
  types: Type.Optional(Type.Array(Type.String(), 'only events of these types; empty = all')),
  group: Type.Optional(Type.String('only events of transactions that name this group')),
  mode: Type.Optional(Type.String('realtime (default) or batch')),
  batch_size: Type.Optional(Type.Number('events that make a batch; default 50')),
  batch_window_s: Type.Optional(Type.Number('seconds after which fewer make one; default 30')),
  since: Type.Optional(Type.Integer({ minimum: 0, description: 'offset to start after; default the end of the log' })),
  secret: Type.Optional(Type.String('key of the signature of deliveries; never told')),
  reader: Type.Optional(Type.String('of delete, for who reads all: whose subscription it is')),
  sparql_ask: Type.Optional(Type.String('not evaluated: refused unless it is empty')),
  ...pageFields,
});

const response = Type.Object({
  action: Type.Optional(Type.String('created or deleted')),
  id: Type.Optional(Type.Integer()),
  consumer_id: Type.Optional(Type.String()),
  found: Type.Optional(Type.Boolean()),
  subscriptions: Type.Optional(Type.Array(subscription)),
  count: Type.Optional(Type.Integer()),
  truncated: Type.Optional(Type.Boolean()),
});

type Request = Static<typeof request>;
type Told = Promise<Answer<Static<typeof response>>>;

function shown({ delivery, createdAt, ...one }: SubscriptionState): Static<typeof subscription> {
  return {
    id: one.id,
    consumer_id: one.consumerId,
    types: one.types,
    group: one.group,
    mode: one.mode,
    webhook_url: one.webhookUrl,
    batch_size: one.batchSize,
    batch_window_s: one.batchWindowS,
    created_at: showInstant(createdAt),
    state: delivery.failures > 0 ? 'failing' : 'active',
    failures: delivery.failures,
    last_error: delivery.lastError,
    committed_offset: one.committedOffset,
    ...(one.reader === undefined ? {} : { reader: one.reader }),
  };
}

async function create({ store, read }: OperationContext, given: Request): Told {
  if (given.sparql_ask !== undefined && given.sparql_ask.trim() !== '') {
    throw new SvcError('invalid_request', "'sparql_ask' is not evaluated, so it would deliver what it excludes", {
      hint: 'leave it out; types and group filter',
    });
  }
  const { consumer_id: consumerId, webhook_url: webhookUrl, types, group, mode, since, secret } = given;
  const rest = { types, group, mode, since, secret, batchSize: given.batch_size, batchWindowS: given.batch_window_s };
  // What is missing is refused by the check of a subscription.
  const id = await store.events.of(read.principal).subscribe({ consumerId, webhookUrl, ...rest } as SubscriptionInput);
  return { kind: 'body', body: { action: 'created', id, consumer_id: consumerId as string } };
}

async function list({ store, read }: OperationContext, page: Request): Told {
  const all = await store.events.of(read.principal).subscriptions();
  const { entries, truncated } = pageOf(all, page);
  return { kind: 'body', body: { subscriptions: entries.map(shown), count: entries.length, truncated } };
}

async function remove({ store, read }: OperationContext, { consumer_id: consumerId, reader }: Request): Told {
  const found = await store.events.of(read.principal).unsubscribe(consumerId as string, reader);
  return { kind: 'body', body: { action: 'deleted', consumer_id: consumerId as string, found } };
}

export const subscriptions = defineOperation({
  name: 'subscriptions',
  summary: 'Register endpoints that events are pushed to, list and delete them',
  access: 'write',
  request,
  response,
  forSomeGraphs: 'answered',
  handler: byAction('subscriptions', { create, list, delete: remove }),
  projections: { http: [{ method: 'POST', path: '/subscriptions', request: 'body' }] },
});
