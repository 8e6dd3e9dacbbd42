/** Taking episodes back: what goes, what stays because others mention it, what is told of it. */
import assert from 'node:assert/strict';
import { type Episode, terms } from '../../interfaces/library/index.js';
import { BASE, linesOf } from './episode-oracle.js';
import { knot, onBothStores, T, trace } from './time-support.js';

const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

const FIRST: Episode = {
  name: 'first',
  nodes: [
    { name: 'kota', type: 'Host', description: 'big' },
    { name: 'alone', type: 'Host' },
  ],
};
const SECOND: Episode = {
  name: 'second',
  nodes: [{ name: 'app', type: 'App' }],
  edges: [{ source: 'app', target: 'kota', relation: 'runs_on' }],
};

onBothStores(
  'what the episode owns goes; the identity of what others mention stays, and goes when they are gone',
  async (store) => {
    await store.writeEpisode(FIRST, { timestamp: T(1) });
    await store.writeEpisode(SECOND, { timestamp: T(1) });
    const done = await store.retractEpisode('first', { timestamp: T(2), actor: 'me' });
    assert.deepEqual([done.tx, done.retracted, done.preservedCount, done.orphanCount], [3, 8, 2, 1]);
    const shown = done.preserved.map(({ entity, predicate, value }) => [entity.value, predicate.value, value.value]);
    assert.deepEqual(shown, [
      [`${BASE}kota`, TYPE, `${BASE}Host`],
      [`${BASE}kota`, LABEL, 'kota'],
    ]);
    assert.deepEqual(done.orphans, [{ entity: terms.namedNode(`${BASE}kota`), lostLabel: true, lostType: true }]);
    assert.equal(done.statements.length, 8);
    assert.ok(
      !linesOf(store).some(
        (line) => line.includes('alone') || line.includes('"big"') || line.includes('episode_first'),
      ),
    );
    const { history } = await store.history(`${BASE}alone`);
    assert.ok(history.filter(({ op }) => op === 'assert').every(({ validTo }) => validTo === T(2)));
    const [, , last] = store.transactions();
    assert.deepEqual([last?.source, last?.actor], ['retract', 'me']);

    const before = await trace(store);
    const again = await store.retractEpisode('first');
    assert.deepEqual(
      [again.tx, again.retracted, again.preservedCount, again.orphanCount, again.statements.length],
      [0, 0, 0, 0, 0],
    );
    assert.deepEqual(await trace(store), before);
    await store.retractEpisode('second');
    assert.deepEqual(linesOf(store).length, 2, 'what was kept is still there');
    assert.equal((await store.retractEpisode('first')).retracted, 2, 'until it is looked at again');
    assert.deepEqual(linesOf(store), []);
    assert.equal((await store.writeEpisode(FIRST)).outcome, 'created');
  },
);

onBothStores('refuse and allow; another label or type is no loss; what others stated first stays', async (store) => {
  await knot(store, `<${BASE}kota> a ex:Thing .`, { source: 'ops' });
  await store.writeEpisode(FIRST);
  await store.writeEpisode(SECOND);
  const before = await trace(store);
  await assert.rejects(store.retractEpisode('first', { onOrphan: 'refuse' }), {
    code: 'invalid_request',
    message: /kota; nothing was changed/,
  });
  assert.deepEqual(await trace(store), before);
  const kept = await store.retractEpisode('first');
  assert.deepEqual(kept.orphans, [{ entity: terms.namedNode(`${BASE}kota`), lostLabel: true, lostType: false }]);
  assert.ok(linesOf(store).includes(`<${BASE}kota> <${TYPE}> <http://example.org/Thing>`));
  const all = await store.retractEpisode('first', { onOrphan: 'allow' });
  assert.deepEqual([all.retracted, all.orphanCount, all.preservedCount], [1, 1, 0]);
  assert.equal(
    (await store.retractEpisode('second', { onOrphan: 'refuse' })).orphanCount,
    0,
    'nobody mentions the app',
  );
});

onBothStores('unknown episodes give nothing; those of named graphs go from where they stand', async (store) => {
  const none = await store.retractEpisode('nobody');
  assert.deepEqual([none.tx, none.retracted, none.episode, none.onOrphan], [0, 0, 'nobody', 'preserve']);
  await store.createGraph('http://example.org/g');
  await store.writeEpisode({ ...FIRST, graph: 'http://example.org/g' });
  await store.writeEpisode(SECOND);
  const { retracted, orphanCount, statements } = await store.retractEpisode('first');
  assert.deepEqual([retracted, orphanCount], [10, 0], 'what ROOT mentions is no matter there');
  assert.ok(statements.every(({ graph }) => graph === 'http://example.org/g'));
  assert.notEqual(await store.graph('http://example.org/g'), null);
});

onBothStores('an episode of several transactions, some facts ended and stated again by others', async (store) => {
  await store.writeEpisode(FIRST);
  await store.writeEpisode({ ...FIRST, body: 'more', edges: [{ source: 'kota', target: 'alone', relation: 'near' }] });
  await store.retract(`${BASE}alone`, { predicate: LABEL });
  await knot(store, `<${BASE}alone> <${LABEL}> "alone" .`, { source: 'ops' });
  const { retracted } = await store.retractEpisode('first');
  assert.equal(retracted, 10);
  assert.deepEqual(linesOf(store), [`<${BASE}alone> <${TYPE}> <${BASE}Host>`, `<${BASE}alone> <${LABEL}> "alone"`]);
});
