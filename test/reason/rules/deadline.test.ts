/** Rules whose matches are far too many end at the deadline, with nothing written, and the writes that waited go on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../../interfaces/library/index.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { EX, factsOf, knot, rulesOf } from './support.js';

const folder = new StoreFolder();
const ROWS = 3000;
const PRODUCT = rulesOf('X: q(?x, ?y) :- e(?x, ?y), big(?a, ?b), big(?c, ?d), big(?f, ?g)');

test('a product of 10^10 matches ends with query_timeout', async () => {
  const store = await openStore(':memory:');
  const big = Array.from({ length: ROWS }, (_, at) => `ex:s${at} ex:big ex:o${at} .`);
  await knot(store, ['ex:x ex:e ex:y .', ...big].join('\n'));
  const run = store.reason({ rules: PRODUCT, prefix: EX }, { timeoutMs: 50 });
  const next = knot(store, 'ex:a ex:note ex:b .');
  await assert.rejects(run, {
    code: 'query_timeout',
    message: /the reasoning ran longer than 50 ms \(update\.timeout_ms\)/,
  });
  await next;
  assert.deepEqual(await factsOf(store), []);
  assert.equal(store.transactions().length, 2);
  await store.close();
});

for (const where of ['in this thread', 'in the writer thread'] as const) {
  test(`what is followed by such rules is refused: their storing, then the write that would meet them (${where})`, async () => {
    const options = { features: ['reactive-reasoner'], rulesTimeoutMs: 200 } as const;
    const store = await openStore(folder.fresh(), { ...options, writerThread: where === 'in the writer thread' });
    const document = `${PRODUCT}<${EX}set> a rule:RuleSet ; rule:defaultPrefix "${EX}" .`;
    const big = Array.from({ length: ROWS }, (_, at) => `ex:s${at} ex:big ex:o${at} .`).join('\n');
    await knot(store, big);
    // Nothing is derived without an edge: the product begins with it.
    await store.loadShapes('rules', document);
    await assert.rejects(knot(store, 'ex:x ex:e ex:y .'), { code: 'query_timeout', message: /update\.timeout_ms/ });
    assert.equal(await store.ask(`ASK { <${EX}x> ?p ?o }`), false);
    await store.removeShapes('rules');
    await knot(store, 'ex:x ex:e ex:y .');
    await assert.rejects(store.loadShapes('rules', document), { code: 'query_timeout' });
    assert.deepEqual(await factsOf(store), []);
    await store.close();
  });
}
