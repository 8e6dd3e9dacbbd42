/**
 * The event log from an offset on; read on with `since` = `next_offset`. As lines: all that there is, an event a line, and
 * with `follow` what comes afterwards, until it is told to stop.
 */

import { throwIfStopped, withoutDeadline } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import { writeJson } from '../../requests/json.js';
import { Type, textOrNull } from '../../requests/schema.js';
import { defineOperation, type OperationContext } from '../definition/operation.js';

const LINES = 'lines';
const LINES_MEDIA_TYPE = 'application/x-ndjson';
/** Events that are read at a time. */
const LINES_AT_ONCE = 1000;
/** Between two looks for new events. */
const FOLLOW_MS = 500;

const item = Type.Object({
  schema: Type.String('svc.event/v1'),
  offset: Type.Integer(),
  type: Type.String(),
  ts: Type.String('time label of its transaction'),
  subject: textOrNull,
  group_id: textOrNull,
  tx_id: Type.Integer(),
  payload: Type.Record(Type.String(), Type.Unknown()),
});

/** The names of a list with commas; empty ones are passed over. */
function namesOf(list: string | undefined): string[] | undefined {
  return list
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

interface Range {
  readonly since: number | undefined;
  readonly consumer: string | undefined;
  readonly limit: number | undefined;
  readonly types: readonly string[] | undefined;
  readonly group: string | undefined;
}

/** Settles after a while, or at once when the signal fires. */
function pause(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, FOLLOW_MS);
    signal?.addEventListener('abort', end);
  });
}

/** Bytes, since texts would be gathered before they are sent. Who follows has no deadline. */
async function* lines(
  { store, read, control: given }: OperationContext,
  range: Range,
  follow: boolean,
): AsyncGenerator<Uint8Array> {
  const control = follow ? withoutDeadline(given) : given;
  const { signal, flag } = control;
  const encoder = new TextEncoder();
  const { limit, ...rest } = range;
  let left = limit ?? Number.POSITIVE_INFINITY;
  for (let { since } = range; left > 0; ) {
    const page = await store.events
      .of(read.principal)
      .read({ ...rest, since, limit: Math.min(left, LINES_AT_ONCE), signal, flag });
    since = page.nextOffset;
    left -= page.events.length;
    if (page.events.length > 0) {
      yield encoder.encode(page.events.map((event) => `${writeJson(event as never)}\n`).join(''));
    } else if (!follow) return;
    else await pause(signal);
    throwIfStopped(control, 'the listing');
  }
}

export const events = defineOperation({
  name: 'events',
  summary: 'List the events of the log, oldest first',
  access: 'read',
  request: Type.Object({
    since: Type.Optional(Type.Integer({ minimum: 0, description: 'only events after this offset' })),
    consumer: Type.Optional(Type.String('without since: go on after what this consumer has committed')),
    limit: Type.Optional(Type.Integer({ minimum: 0, description: 'most events; 1 to 10000, default 100' })),
    types: Type.Optional(Type.String('only events of these types, with commas between')),
    group: Type.Optional(Type.String('only events of transactions that name this group')),
    follow: Type.Optional(Type.Boolean('as lines: wait for events that are still to come')),
  }),
  representations: [{ name: LINES, mediaType: LINES_MEDIA_TYPE }],
  response: Type.Object({
    events: Type.Array(item),
    next_offset: Type.Integer('read on with it as since'),
    lag: Type.Integer('events after next_offset, of whatever types'),
    committed_offset: Type.Optional(Type.Integer('of the consumer, when the page began there')),
  }),
  async handler(context, { since, consumer, limit, types, group, follow = false }) {
    const range = { since, consumer, limit, types: namesOf(types), group };
    if (context.representation === LINES) {
      return {
        kind: 'document',
        mediaType: LINES_MEDIA_TYPE,
        chunks: lines(context, range, follow),
        notes: { live: follow },
      };
    }
    if (follow) throw new SvcError('invalid_request', "'follow' is for events as lines; read on with since");
    const { signal, flag } = context.control;
    const page = await context.store.events.of(context.read.principal).read({ ...range, signal, flag });
    const { events: found, nextOffset, lag, committedOffset } = page;
    const body = { events: found, next_offset: nextOffset, lag, committed_offset: committedOffset };
    return { kind: 'body', body };
  },
  projections: {
    http: [{ method: 'GET', path: '/events', request: 'parameters' }],
    cli: {
      command: 'events tail',
      notes: ['One JSON object a line: every event after --since, or --limit of them.'],
      examples: [
        'svc events tail',
        'svc events tail --since 40 --types edge.added,edge.retracted',
        'svc events tail --follow',
      ],
      options: {
        since: 'offset',
        types: 'a,b',
        group: 'name',
        follow: 'follow',
        consumer: 'name',
        limit: 'n',
      },
    },
  },
});
