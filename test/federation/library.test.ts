/** Federated queries of the library: the same operation, over an open store and members that the caller names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askFederation, openStore, SvcError } from '../../interfaces/library/index.js';
import { serverOf } from './support.js';

test('an open store and a member, united and joined; what is wrong is told in the words of the library', async (t) => {
  const north = await serverOf(t, '<urn:b> <urn:name> "Bo" .');
  const store = await openStore(':memory:');
  t.after(() => store.close());
  await store.update('INSERT DATA { <urn:a> <urn:knows> <urn:b> ; <urn:name> "Al" }');
  const members = [{ name: 'north', url: north.base, timeoutMs: 60_000, labels: { freshness: 'fresh' } }];
  const united = await askFederation(store, 'SELECT ?n { ?s <urn:name> ?n }', { members });
  assert.deepEqual(united.rows, [
    { n: 'Al', _provider: 'local' },
    { n: 'Bo', _provider: 'north', _freshness: 'fresh' },
  ]);
  const query = 'SELECT ?n { <urn:a> <urn:knows> ?x . ?x <urn:name> ?n }';
  const joined = await askFederation(store, query, { members, how: 'join' });
  assert.deepEqual([joined.rows, joined.complete], [[{ n: 'Bo' }], true]);
  assert.deepEqual(
    joined.providers.map(({ name, rows }) => [name, rows]),
    [
      ['local', 1],
      ['north', 1],
    ],
  );
  const refuses = (options: object, message: RegExp): Promise<void> =>
    assert.rejects(
      askFederation(store, query, { members, ...options }),
      (error) => error instanceof SvcError && message.test(error.message),
    );
  await refuses({ how: 'all' }, /^how: expected 'union' or 'join', not "all"$/);
  await refuses({ remotes: [] }, /^'remotes' is no option of askFederation/);
  await refuses({ members: [{ name: 'x', url: 'urn:x' }] }, /members\[0\]\.url/);
  await refuses(
    { members: [{ ...members[0], name: 'local' }] },
    /members\[0\]\.name: "local" is the name of this store/,
  );
  await refuses({ members: [{ ...members[0], auth_token: 'x' }] }, /'auth_token' is no key of a member/);
  await refuses({ floors: { minFreshness: 'fresh' }, members: [{ name: 'x', url: north.base }] }, /the remote 'x'/);
});
