/** The timeline over HTTP: pages that a client follows, intervals, and what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, sharedTestServer } from './support.js';

const theServer = sharedTestServer();

interface Item {
  readonly tx: number;
  readonly kind: string;
  readonly timestamp: string;
}

test('a client follows the pages while others write, and counts by intervals', async () => {
  const server = await theServer();
  const { store } = server.running;
  const load = (at: number, timestamp: string) =>
    store.load({ text: `<urn:s${at}> <urn:p> ${at} .`, format: 'turtle' }, { timestamp });
  for (let at = 0; at < 9; at++) await load(at, `2026-03-${String(20 - at).padStart(2, '0')}`);
  await store.writeEpisode({ name: 'told', body: 'x' }, { timestamp: '2026-03-15' });
  const seen: Item[] = [];
  for (let cursor: unknown = '', at = 100; cursor !== null; at++) {
    const page = await json(await server.get(`/timeline?limit=4&cursor=${cursor}`.replace(/&cursor=$/, '')));
    seen.push(...(page.items as Item[]));
    cursor = page.next_cursor;
    await load(at, '2026-03-14');
  }
  assert.deepEqual(
    seen.map(({ timestamp }) => timestamp.slice(8, 10)),
    ['12', '13', '14', '15', '15', '16', '17', '18', '19', '20'],
  );
  assert.deepEqual(
    seen.filter(({ kind }) => kind === 'episode').map(({ tx }) => tx),
    [10],
  );
  const { buckets, items } = await json(
    await server.get('/timeline?from=2026-03-15&to=2026-03-17&buckets=2&limit=1&source_type=episode&order=desc'),
  );
  assert.deepEqual(
    [(items as Item[]).length, buckets],
    [
      1,
      {
        from: '2026-03-15T00:00:00Z',
        to: '2026-03-17T00:00:00Z',
        seconds: 86_400,
        counts: [{ from: '2026-03-15T00:00:00Z', transactions: 1, episodes: 1, asserted: 4, retracted: 0 }],
      },
    ],
  );
});

test('what makes no sense is refused by its name, and an unknown parameter is told of', async () => {
  const server = await theServer();
  const cases: [string, RegExp][] = [
    ['from=soon', /from: "soon" is not a time/],
    ['to=2026-13-01', /to: "2026-13-01" is not a time/],
    ['from=2026-02-01&to=2026-02-01', /is no interval/],
    ['limit=x', /limit/],
    ['buckets=0', /buckets/],
    ['buckets=100000', /buckets/],
    ['order=newest', /order/],
    ['source_type=', /source_type/],
    ['cursor=17', /'cursor' "17" is none/],
    ['cursor=asc_99999_0_1', /names transaction 99999/],
    ['cursor=desc_1_0_1', /of the order desc/],
  ];
  for (const [query, error] of cases) {
    const response = await server.get(`/timeline?${query}`);
    const body = await json(response);
    assert.equal(response.status, 400, query);
    assert.match(String(body.error), error, query);
  }
  const answered = await json(await server.get('/timeline?sourcetype=episode&limit=1'));
  assert.deepEqual(answered.ignored_fields, ['sourcetype']);
  assert.equal((await server.get('/timeline?limit=1000000')).status, 200, 'a limit beyond the most is the most');
});
