/**
 * Derived triples that a caller asserts or retracts (ruling R63): by every way of writing, what is asserted becomes the
 * caller's and outlives what entailed it; what is retracted and still follows comes back as derived, in the same commit.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RDF_NS, terms } from '../../../engine/rdf/terms.js';
import type { Store } from '../../../engine/service/store/store.js';
import { openStore } from '../../../interfaces/library/index.js';
import { rulesOf } from '../rules/support.js';
import { ENGINES, standing, withOwl } from './support.js';

const EX = 'http://ex/';
const ONTOLOGY = `<${EX}Dog> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <${EX}Animal> .`;
const isA = (of: string) =>
  terms.quad(terms.namedNode(`${EX}fido`), terms.namedNode(`${RDF_NS}type`), terms.namedNode(EX + of));
const line = (of: string): string => `<${EX}fido> <${RDF_NS}type> <${EX}${of}> .\n`;
const keyOf = (of: string): string => `NamedNode ${EX}fido ${RDF_NS}type NamedNode ${EX}${of}`;

/** Each asserts that fido is an animal, which follows already. */
const WAYS: readonly (readonly [name: string, write: (store: Store) => Promise<unknown>])[] = [
  ['a transaction', (store) => store.transact({ assert: [isA('Animal')] }, { source: 'mine' })],
  [
    'a transaction that retracts it before',
    (store) => store.transact({ retract: [isA('Animal')], assert: [isA('Animal')] }, { source: 'mine' }),
  ],
  ['a small document', (store) => store.load({ text: line('Animal'), format: 'turtle' }, { source: 'mine' })],
  ['a load in bulk', (store) => store.load({ quads: [isA('Animal')] }, { source: 'mine' })],
  [
    'a load in bulk of more',
    (store) => store.load({ quads: [isA('Animal'), isA('Pet'), isA('Dog')] }, { source: 'mine' }),
  ],
  ['an update', (store) => store.update(`INSERT DATA { ${line('Animal')} }`)],
  [
    'a snapshot',
    (store) => store.load({ text: line('Animal'), format: 'turtle' }, { snapshotKey: 'k', replaceSnapshot: true }),
  ],
];

for (const [name, open] of ENGINES) {
  test(`what is asserted becomes the caller's, whichever way it is written (${name})`, async () => {
    for (const [way, write] of WAYS) {
      const engine = await open();
      const store = withOwl(engine);
      await store.loadOntology('o', ONTOLOGY);
      await store.load({ text: line('Dog'), format: 'turtle' });
      assert.deepEqual(standing(engine).derived, [keyOf('Animal')], way);
      await write(store);
      const { asserted, derived } = standing(engine);
      assert.deepEqual([asserted.includes(keyOf('Animal')), derived], [true, []], way);
      await store.transact({ retract: [isA('Dog')] });
      assert.equal(standing(engine).asserted.includes(keyOf('Animal')), true, `${way}: it stays`);
      const owner = store.transactions().at(-1)?.source;
      assert.notEqual(owner, 'owl:materialize', way);
      assert.deepEqual((await engine.verify({})).problems, [], way);
      await store.close();
    }
  });

  test(`what is retracted and still follows comes back as derived (${name})`, async () => {
    const engine = await open();
    const store = withOwl(engine);
    await store.loadOntology('o', ONTOLOGY);
    await store.transact({ assert: [isA('Dog'), isA('Animal')] });
    assert.deepEqual(standing(engine).derived, []);
    const before = store.transactions().length;
    assert.equal((await store.transact({ retract: [isA('Animal')] })).retracted, 1);
    assert.deepEqual(standing(engine), { asserted: [keyOf('Dog')], derived: [keyOf('Animal')] });
    assert.equal(store.transactions().length, before + 2, 'the write and what follows');
    await store.transact({ retract: [isA('Animal')] });
    assert.deepEqual(standing(engine).derived, [keyOf('Animal')], 'a derived fact that is retracted, too');
    await store.close();
  });
}

test('what follows from a write carries the evidence of who asked for the write', async () => {
  const store = await openStore(':memory:', { features: ['owl'] });
  await store.loadOntology('o', ONTOLOGY);
  const authenticated = { principal: `${EX}ana`, credential_id: 'c1', auth_class: 'named_bearer' } as const;
  await store.transact({ assert: [isA('Dog')] }, { authenticated });
  const [write, derived] = store.transactions().slice(-2);
  assert.deepEqual([write?.authenticated, derived?.authenticated], [authenticated, authenticated]);
  assert.equal(derived?.source, 'owl:materialize');
  await store.close();
});

test('what rules lose ends when the run says, with derived facts of ontologies beside', async () => {
  const store = await openStore(':memory:', { features: ['owl'] });
  await store.loadOntology('o', ONTOLOGY);
  await store.load({ text: line('Dog'), format: 'turtle' });
  const likes = terms.quad(terms.namedNode(`${EX}fido`), terms.namedNode(`${EX}likes`), terms.namedNode(`${EX}ana`));
  await store.transact({ assert: [likes] });
  const runAt = (timestamp: string) =>
    store.reason({ rules: rulesOf('R: likedBy(?y, ?x) :- likes(?x, ?y)'), prefix: EX }, { timestamp });
  assert.equal((await runAt('2020-01-01T00:00:00Z')).asserted, 1);
  await store.transact({ retract: [likes] });
  assert.equal((await runAt('2021-01-01T00:00:00Z')).retracted, 1);
  const heldAt = (validAt: string) =>
    store.ask(`ASK { GRAPH <urn:svc:graph:root#inferred> { <${EX}ana> <${EX}likedBy> ?who } }`, { validAt });
  assert.deepEqual([await heldAt('2020-06-01T00:00:00Z'), await heldAt('2021-06-01T00:00:00Z')], [true, false]);
  await store.close();
});
