/** Episodes and transactions by time (ruling R48): a page of them, and their counts by intervals, which is what a time line draws. */

import { nullable, oneOf, Type, textOrNull } from '../../requests/schema.js';
import { clampLimit } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';

const BUCKETS_MAX = 1000;

const countOrNull = nullable(Type.Integer(), 'null: the reader may read some graphs only');

export const timeline = defineOperation({
  name: 'timeline',
  summary: 'List episodes and transactions by time',
  access: 'read',
  request: Type.Object({
    from: Type.Optional(Type.String('only time labels from this instant on (RFC 3339, or a date)')),
    to: Type.Optional(Type.String('only time labels before this instant')),
    source_type: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'only sources that begin with this word, up to their first colon: episode, set, snapshot, none, other',
      }),
    ),
    limit: Type.Optional(Type.Integer('most items; 1 to 10000, default 100')),
    cursor: Type.Optional(Type.String('next_cursor of the page before')),
    order: Type.Optional(oneOf(['asc', 'desc'], 'the oldest first (default), or the newest')),
    buckets: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: BUCKETS_MAX,
        description: `counts by so many equal intervals besides, at most ${BUCKETS_MAX}`,
      }),
    ),
  }),
  response: Type.Object({
    items: Type.Array(
      Type.Object({
        kind: Type.String('episode, or transaction'),
        tx: Type.Integer(),
        timestamp: Type.String('when it was written, as it says'),
        valid_from: Type.String('when its statements begin to hold, unless they say otherwise'),
        actor: textOrNull,
        source: textOrNull,
        source_type: Type.String('the word before the first colon of source; none: it has no source; other: no word'),
        episode: nullable(Type.String(), 'name of the episode'),
        asserted: nullable(Type.Integer(), 'statements that it opened; null: the reader may read some graphs only'),
        retracted: nullable(Type.Integer(), 'statements that it closed'),
      }),
    ),
    count: Type.Integer(),
    next_cursor: nullable(Type.String(), 'null: there are no more'),
    watermark: Type.Integer('the newest transaction that is looked at'),
    extent: nullable(
      Type.Object({ first: Type.String(), last: Type.String() }),
      'earliest and latest time label of the store; null: it is empty',
    ),
    buckets: Type.Optional(
      nullable(
        Type.Object({
          from: Type.String(),
          to: Type.String(),
          seconds: Type.Integer('length of each interval'),
          counts: Type.Array(
            Type.Object({
              from: Type.String(),
              transactions: Type.Integer('episodes are among them'),
              episodes: Type.Integer(),
              asserted: countOrNull,
              retracted: countOrNull,
            }),
            'ascending; intervals without transactions are left out',
          ),
        }),
        'null: the store is empty',
      ),
    ),
  }),
  async handler({ store, control }, { source_type: sourceType, limit, buckets, ...given }) {
    const asked = { ...given, sourceType, buckets, limit: clampLimit(limit), ...control };
    const found = await store.timeline(asked);
    const items = found.items.map(({ validFrom, sourceType: type, ...item }) => {
      const { kind, tx, timestamp, ...rest } = item;
      return { kind, tx, timestamp, valid_from: validFrom, source_type: type, ...rest };
    });
    return {
      kind: 'body',
      body: {
        items,
        count: items.length,
        next_cursor: found.next,
        watermark: found.watermark,
        extent: found.extent,
        ...(buckets === undefined ? {} : { buckets: found.buckets }),
      },
    };
  },
  projections: { http: [{ method: 'GET', path: '/timeline', request: 'parameters' }] },
});
