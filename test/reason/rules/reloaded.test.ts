/** Stored rules that change: what stands follows from those that are stored, whatever was written before, and by whom. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terms } from '../../../engine/rdf/terms.js';
import { openStore } from '../../../interfaces/library/index.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { EX, factsOf, rulesOf } from './support.js';

const folder = new StoreFolder();
const node = (name: string) => terms.namedNode(EX + name);
const EDGE = terms.quad(node('a'), node('p'), node('b'));
const documentOf = (rule: string) => `${rulesOf(rule)}<${EX}set> a rule:RuleSet ; rule:defaultPrefix "${EX}" .`;
const [FIRST, SECOND] = [documentOf('A: q(?x, ?y) :- p(?x, ?y)'), documentOf('B: r(?x, ?y) :- p(?x, ?y)')];
const features = ['reactive-reasoner'] as const;

test('rules that take the place of others at once, with no write between', async () => {
  const store = await openStore(':memory:', { features });
  await store.transact({ assert: [EDGE] });
  await store.loadShapes('rules', FIRST);
  assert.deepEqual(await factsOf(store), ['a q b']);
  await store.loadShapes('rules', SECOND);
  assert.deepEqual(await factsOf(store), ['a r b']);
  await store.removeShapes('rules');
  assert.deepEqual(await factsOf(store), []);
  await store.close();
});

test('rules that are the first that a process writes', async () => {
  const path = folder.fresh();
  const before = await openStore(path, { features });
  await before.transact({ assert: [EDGE] });
  await before.close();
  for (const [document, facts] of [
    [FIRST, ['a q b']],
    [SECOND, ['a r b']],
  ] as const) {
    const store = await openStore(path, { features });
    await store.loadShapes('rules', document);
    assert.deepEqual(await factsOf(store), facts);
    await store.close();
  }
});

test('rules that change after a write that made a graph', async () => {
  const store = await openStore(':memory:', { features });
  await store.loadShapes('rules', FIRST);
  await store.transact({ assert: [EDGE] });
  await store.createGraph(`${EX}g`);
  await store.loadShapes('rules', SECOND);
  assert.deepEqual(await factsOf(store), ['a r b']);
  await store.close();
});

test('what a repair takes from a rule that still derives it is there again', async () => {
  const store = await openStore(':memory:', { features });
  await store.loadShapes('rules', FIRST);
  await store.transact({ assert: [EDGE] });
  const graph = 'urn:svc:graph:root#inferred';
  const { retracted } = await store.retractSource('reasoner:A', { repair: 't', graph, apply: true });
  assert.equal(retracted, 1);
  assert.deepEqual(await factsOf(store), ['a q b']);
  const { asserted } = await store.reason();
  assert.equal(asserted, 0);
  await store.close();
});
