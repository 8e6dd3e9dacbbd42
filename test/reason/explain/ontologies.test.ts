/** Explanations of what ontologies entail (semantics of reasoning, 2.1 and 2.5; rulings R33 and R71). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../../interfaces/library/index.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { knot, PROLOGUE, retract, rulesOf, run } from '../rules/support.js';
import { explain, lines } from './support.js';

const folder = new StoreFolder();
const PREFIXES = `${PROLOGUE}@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
`;

/** A store in which what an ontology entails of some facts stands; the second time with nothing done at writes. */
function withOntology(
  name: string,
  ontology: string,
  facts: string,
  check: (store: Store) => Promise<void>,
  reactiveMaterialize = true,
): void {
  for (const kind of ['memory', 'file']) {
    test(`${name} (${kind})`, async () => {
      const path = kind === 'memory' ? ':memory:' : folder.fresh();
      const store = await openStore(path, { features: ['owl'], owl: { reactiveMaterialize } });
      try {
        await knot(store, facts);
        await store.loadOntology('o', PREFIXES + ontology);
        await check(store);
      } finally {
        await store.close();
      }
    });
  }
}

const told = async (store: Store, fact: string): Promise<string[]> => lines(await explain(store, fact));

withOntology(
  'subclass: the shortest chain of axioms from a base fact, smallest by IRI',
  `ex:Dog rdfs:subClassOf ex:Mammal, ex:Pet . ex:Mammal rdfs:subClassOf ex:Animal . ex:Pet rdfs:subClassOf ex:Animal .
   ex:Animal rdfs:subClassOf ex:Thing . ex:Puppy rdfs:subClassOf ex:Dog .`,
  'ex:fido a ex:Dog . ex:rex a ex:Dog, ex:Puppy .',
  async (store) => {
    assert.deepEqual(await told(store, 'fido type Animal'), [
      'fido type Animal in ROOT by subclass [Dog Mammal, Mammal Animal]',
      '  fido type Dog',
    ]);
    assert.deepEqual(await told(store, 'fido type Thing'), [
      'fido type Thing in ROOT by subclass [Dog Mammal, Mammal Animal, Animal Thing]',
      '  fido type Dog',
    ]);
    assert.deepEqual(await told(store, 'rex type Mammal'), [
      'rex type Mammal in ROOT by subclass [Dog Mammal]',
      '  rex type Dog',
    ]);
    const found = await explain(store, 'fido type Animal');
    assert.equal(found.source, 'owl:materialize');
    assert.deepEqual(await told(store, 'fido type Dog'), ['fido type Dog in ROOT']);
    assert.deepEqual(await told(store, 'fido type Cat'), ['fido type Cat not found']);
  },
);

withOntology(
  'subproperty, of literals as well',
  'ex:calls rdfs:subPropertyOf ex:touches . ex:touches rdfs:subPropertyOf ex:knows .',
  'ex:f ex:calls ex:g, "text" .',
  async (store) => {
    assert.deepEqual(await told(store, 'f knows g'), [
      'f knows g in ROOT by subproperty [calls touches, touches knows]',
      '  f calls g',
    ]);
    assert.deepEqual(await told(store, 'f touches "text"'), [
      'f touches "text" in ROOT by subproperty [calls touches]',
      '  f calls "text"',
    ]);
  },
);

withOntology(
  'equivalent classes and properties, both ways',
  'ex:A owl:equivalentClass ex:B . ex:C owl:equivalentClass ex:B . ex:p owl:equivalentProperty ex:q .',
  'ex:x a ex:A . ex:y ex:q "v" . ex:z ex:p ex:x .',
  async (store) => {
    assert.deepEqual(await told(store, 'x type C'), ['x type C in ROOT by equivalent_class [A B, C B]', '  x type A']);
    assert.deepEqual(await told(store, 'y p "v"'), ['y p "v" in ROOT by equivalent_property [p q]', '  y q "v"']);
    assert.deepEqual(await told(store, 'z q x'), ['z q x in ROOT by equivalent_property [p q]', '  z p x']);
  },
);

withOntology(
  'inverse and symmetric',
  'ex:parent owl:inverseOf ex:child . ex:near a owl:SymmetricProperty .',
  'ex:a ex:parent ex:b . ex:c ex:child ex:d . ex:e ex:near ex:f .',
  async (store) => {
    assert.deepEqual(await told(store, 'b child a'), ['b child a in ROOT by inverse [parent child]', '  a parent b']);
    assert.deepEqual(await told(store, 'd parent c'), ['d parent c in ROOT by inverse [parent child]', '  c child d']);
    assert.deepEqual(await told(store, 'f near e'), [
      'f near e in ROOT by symmetric [near SymmetricProperty]',
      '  e near f',
    ]);
  },
);

withOntology(
  'domain and range: the smallest fact of the smallest property',
  'ex:runsOn rdfs:range ex:Host ; rdfs:domain ex:Service . ex:boots rdfs:domain ex:Host .',
  'ex:s2 ex:runsOn ex:h . ex:s1 ex:runsOn ex:h . ex:k ex:boots 1, 2 .',
  async (store) => {
    assert.deepEqual(await told(store, 'h type Host'), [
      'h type Host in ROOT by domain_range [runsOn Host]',
      '  s1 runsOn h',
    ]);
    assert.deepEqual(await told(store, 's1 type Service'), [
      's1 type Service in ROOT by domain_range [runsOn Service]',
      '  s1 runsOn h',
    ]);
    assert.deepEqual(await told(store, 'k type Host'), [
      'k type Host in ROOT by domain_range [boots Host]',
      '  k boots "1"',
    ]);
  },
);

withOntology(
  'transitive: the shortest way of base facts, circles as well',
  'ex:dep a owl:TransitiveProperty .',
  `ex:a ex:dep ex:c, ex:b . ex:b ex:dep ex:d . ex:c ex:dep ex:d . ex:d ex:dep ex:e .
   ex:x ex:dep ex:y . ex:y ex:dep ex:x .`,
  async (store) => {
    assert.deepEqual(await told(store, 'a dep e'), [
      'a dep e in ROOT by transitive [dep TransitiveProperty]',
      '  a dep b',
      '  b dep d',
      '  d dep e',
    ]);
    assert.deepEqual(await told(store, 'x dep x'), [
      'x dep x in ROOT by transitive [dep TransitiveProperty]',
      '  x dep y',
      '  y dep x',
    ]);
  },
);

withOntology(
  'derived premises are explained in turn, and never in a circle while there is another way',
  `ex:A owl:equivalentClass ex:B . ex:uses rdfs:domain ex:A . ex:B rdfs:subClassOf ex:C .
   ex:near a owl:SymmetricProperty . ex:near rdfs:range ex:Place .`,
  'ex:x ex:uses ex:y . ex:p ex:near ex:q .',
  async (store) => {
    assert.deepEqual(await told(store, 'x type A'), ['x type A in ROOT by domain_range [uses A]', '  x uses y']);
    assert.deepEqual(await told(store, 'x type C'), [
      'x type C in ROOT by subclass [B C]',
      '  x type B by equivalent_class [A B]',
      '    x type A by domain_range [uses A]',
      '      x uses y',
    ]);
    assert.deepEqual(lines(await explain(store, 'x type C', { depth: 1 })), [
      'x type C in ROOT by subclass [B C]',
      '  x type B truncated',
    ]);
    assert.deepEqual(await told(store, 'p type Place'), [
      'p type Place in ROOT by domain_range [near Place]',
      '  q near p by symmetric [near SymmetricProperty]',
      '    p near q',
    ]);
  },
);

withOntology(
  'the families come in the order of the table',
  'ex:A rdfs:subClassOf ex:Z . ex:B owl:equivalentClass ex:Z . ex:p rdfs:domain ex:Z .',
  'ex:x a ex:A, ex:B ; ex:p 1 . ex:y a ex:B ; ex:p 1 . ex:z ex:p 1 .',
  async (store) => {
    const families = await Promise.all(
      ['x type Z', 'y type Z', 'z type Z'].map(async (fact) => (await explain(store, fact)).derivation),
    );
    assert.deepEqual(
      families.map((one) => (one?.kind === 'owl' ? one.family : null)),
      ['subclass', 'equivalent_class', 'domain_range'],
    );
  },
);

withOntology(
  'premises that are gone, and axioms that are gone',
  'ex:Dog rdfs:subClassOf ex:Animal . ex:A owl:equivalentClass ex:B .',
  'ex:fido a ex:Dog . ex:x a ex:A .',
  async (store) => {
    await retract(store, 'ex:fido a ex:Dog .');
    const closed = store.transactions().at(-1)?.id;
    assert.deepEqual(await told(store, 'fido type Animal'), [
      'fido type Animal in ROOT by subclass [Dog Animal]',
      `  fido type Dog closed by ${closed}`,
    ]);
    await store.materialize();
    assert.deepEqual(await told(store, 'fido type Animal'), ['fido type Animal not found']);
    await knot(store, 'ex:fido a ex:Animal .');
    assert.deepEqual(await told(store, 'fido type Animal'), ['fido type Animal in ROOT']);
  },
  false,
);

test('rules over what ontologies entail; without the feature no family, and no feature is needed for rules', async () => {
  const path = folder.fresh();
  const first = await openStore(path, { features: ['owl'] });
  await knot(first, 'ex:fido a ex:Dog .');
  await first.loadOntology('o', `${PREFIXES}ex:Dog rdfs:subClassOf ex:Animal .`);
  const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';
  await run(first, rulesOf(`R: eats(?x, food) :- ${type}(?x, Animal)`));
  assert.deepEqual(await told(first, 'fido eats food'), [
    'fido eats food in ROOT#inferred by rule R',
    '  fido type Animal by subclass [Dog Animal]',
    '    fido type Dog',
  ]);
  await first.removeOntology('o').then(() => first.loadOntology('p', `${PREFIXES}ex:Dog rdfs:subClassOf ex:Animal .`));
  assert.deepEqual((await told(first, 'fido type Animal'))[0], 'fido type Animal in ROOT by subclass [Dog Animal]');
  await first.close();
  const second = await openStore(path, { readOnly: true });
  assert.deepEqual(await told(second, 'fido eats food'), [
    'fido eats food in ROOT#inferred by rule R',
    '  fido type Animal by null',
  ]);
  const { derivation } = await explain(second, 'fido type Animal');
  assert.deepEqual(derivation, { kind: 'owl', family: null, support: [] });
  await second.close();
});
