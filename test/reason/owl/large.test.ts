/** Large ontologies and long chains: a hundred thousand classes, and closures whose pairs come and go by the thousand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Quad, RDF_NS, terms } from '../../../engine/rdf/terms.js';
import { axiomsOf } from '../../../engine/reason/owl/axioms.js';
import { materialize } from '../../../engine/reason/owl/materialize.js';
import { Ontology } from '../../../engine/reason/owl/ontology.js';
import { Store } from '../../../engine/service/store/store.js';
import { openMemoryEngine } from '../../../engine/storage/memory/engine.js';
import { ENGINES, standing, withOwl } from './support.js';

const EX = 'http://ex/';
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const OWL = 'http://www.w3.org/2002/07/owl#';
const node = (name: string) => terms.namedNode(EX + name);
const TYPE = terms.namedNode(`${RDF_NS}type`);

const CLASSES = 100_000;
/** Each class is below one of a tenth of its number: five above the last. */
const DEPTH = 5;

test('a hundred thousand classes: an instance of the lowest is one of all above, and of no other', async () => {
  const [, open] = ENGINES[1] as (typeof ENGINES)[number];
  const engine = await open();
  const store = withOwl(engine);
  const lines = Array.from({ length: CLASSES - 1 }, (_, at) => {
    const number = at + 1;
    return `<${EX}C${number}> <${RDFS}subClassOf> <${EX}C${Math.floor(number / 10)}> .`;
  });
  const { axioms } = await store.loadOntology('tree', lines.join('\n'));
  assert.equal(axioms.subclass_of, CLASSES - 1);
  const instance = terms.quad(node('x'), TYPE, node(`C${CLASSES - 1}`));
  await store.transact({ assert: [instance] });
  assert.equal(standing(engine).derived.length, DEPTH);
  const { materialized } = await store.materialize();
  assert.deepEqual([materialized?.subclass_inferences, materialized?.asserted], [DEPTH, 0]);
  await store.transact({ retract: [instance] });
  assert.deepEqual(standing(engine), { asserted: [], derived: [] });
  await store.close();
});

const LINKS = 60;

for (const [name, open] of ENGINES) {
  test(`a chain that is cut and mended, and closed to a ring and cut again (${name})`, async () => {
    const engine = await open();
    const store = withOwl(engine);
    await store.loadOntology(
      'o',
      `<${EX}next> a <${OWL}TransitiveProperty> . <${EX}next> <${OWL}inverseOf> <${EX}before> .`,
    );
    const link = (from: number, to: number): Quad => terms.quad(node(`n${from}`), node('next'), node(`n${to}`));
    const pairs = (length: number): number => (length * (length - 1)) / 2;
    /** With the inverse of each pair; what is asserted is not derived. */
    const expected = (closure: number, asserted: number): number => 2 * closure - asserted;
    const derived = (): number => standing(engine).derived.length;
    await store.transact({ assert: Array.from({ length: LINKS - 1 }, (_, at) => link(at, at + 1)) });
    assert.equal(derived(), expected(pairs(LINKS), LINKS - 1));
    const cut = LINKS / 3;
    await store.transact({ retract: [link(cut - 1, cut)] });
    assert.equal(derived(), expected(pairs(cut) + pairs(LINKS - cut), LINKS - 2));
    await store.transact({ assert: [link(cut - 1, cut)] });
    assert.equal(derived(), expected(pairs(LINKS), LINKS - 1));
    await store.transact({ assert: [link(LINKS - 1, 0)] });
    assert.equal(derived(), expected(LINKS * LINKS, LINKS));
    await store.transact({ retract: [link(0, 1)] });
    assert.equal(derived(), expected(pairs(LINKS), LINKS - 1));
    const { materialized } = await store.materialize();
    assert.deepEqual([materialized?.asserted, materialized?.retracted], [0, 0]);
    await store.close();
  });
}

const DOGS = 6_000;
const OWNERS = 100;

for (const [name, open] of ENGINES) {
  test(`a write whose increment would cost more than a full run leaves the same (${name})`, async () => {
    const engine = await open();
    const store = withOwl(engine);
    await store.loadOntology(
      'o',
      `<${EX}Dog> <${RDFS}subClassOf> <${EX}Mammal> . <${EX}Mammal> <${RDFS}subClassOf> <${EX}Animal> .
       <${EX}owns> <${OWL}inverseOf> <${EX}ownedBy> ; <${RDFS}range> <${EX}Pet> .`,
    );
    const dogs = Array.from({ length: DOGS }, (_, at) => terms.quad(node(`d${at}`), TYPE, node('Dog')));
    const owned = Array.from({ length: OWNERS }, (_, at) => terms.quad(node(`a${at}`), node('owns'), node(`d${at}`)));
    for (const write of [
      () => store.transact({ assert: [...dogs, ...owned] }),
      () => store.load({ quads: [...dogs, ...owned] }),
    ]) {
      await write();
      const { asserted, derived } = standing(engine);
      assert.deepEqual([asserted.length, derived.length], [DOGS + OWNERS, 2 * DOGS + 2 * OWNERS]);
      const { materialized } = await store.materialize();
      assert.deepEqual([materialized?.asserted, materialized?.retracted], [0, 0]);
      await store.transact({ retract: [...dogs, ...owned] });
      assert.deepEqual(standing(engine), { asserted: [], derived: [] });
    }
    assert.deepEqual((await engine.verify({})).problems, []);
    await store.close();
  });
}

/** More than are read at once of a node. */
const FACTS = 1_500;

for (const [name, open] of ENGINES) {
  test(`what a fact gave a node with many others goes with the last fact that gives it (${name})`, async () => {
    const engine = await open();
    const store = withOwl(engine);
    await store.loadOntology(
      'o',
      `<${EX}zFirst> <${RDFS}domain> <${EX}Source> ; <${RDFS}range> <${EX}Target> .
       <${EX}zLast> <${RDFS}domain> <${EX}Source> ; <${RDFS}range> <${EX}Target> .`,
    );
    // Terms are numbered as they come, so that these properties stand behind the other facts of a node.
    const hub = node('hub');
    const many = Array.from({ length: FACTS }, (_, at) => [
      terms.quad(hub, node('a'), node(`n${at}`)),
      terms.quad(node(`n${at}`), node('a'), hub),
    ]).flat();
    await store.load({ quads: many });
    const out = (property: string): Quad => terms.quad(hub, node(property), node('x'));
    const into = (property: string): Quad => terms.quad(node('y'), node(property), hub);
    const isHub = (of: string): string => `NamedNode ${hub.value} ${TYPE.value} NamedNode ${EX}${of}`;
    const typesOfHub = (): string[] =>
      standing(engine).derived.filter((key) => key.startsWith(`NamedNode ${hub.value} `));
    await store.transact({ assert: [out('zFirst'), out('zLast'), into('zFirst'), into('zLast')] });
    assert.deepEqual(typesOfHub(), [isHub('Source'), isHub('Target')]);
    await store.transact({ retract: [out('zFirst'), into('zLast')] });
    assert.deepEqual(typesOfHub(), [isHub('Source'), isHub('Target')]);
    await store.transact({ retract: [out('zLast')] });
    assert.deepEqual(typesOfHub(), [isHub('Target')]);
    await store.transact({ retract: [into('zFirst')] });
    assert.deepEqual(typesOfHub(), []);
    const { materialized } = await store.materialize();
    assert.deepEqual([materialized?.asserted, materialized?.retracted], [0, 0]);
    await store.close();
  });
}

test('a run is refused whose facts are too many, however many properties share them', async () => {
  const engine = openMemoryEngine();
  const properties = ['p0', 'p1', 'p2'].map((name) => EX + name);
  const links = properties.flatMap((property) =>
    Array.from({ length: 9 }, (_, at) => terms.quad(node(`n${at}`), terms.namedNode(property), node(`n${at + 1}`))),
  );
  await new Store(engine).transact({ assert: links });
  const axioms = properties.map((one) =>
    terms.quad(terms.namedNode(one), TYPE, terms.namedNode(`${OWL}TransitiveProperty`)),
  );
  const ontology = new Ontology(axiomsOf(axioms));
  const snapshot = engine.snapshot();
  const run = (factsMax: number) => materialize(ontology, { snapshot, isDerived: () => false, factsMax }, {}).counts;
  const each = (10 * 9) / 2;
  assert.equal(run(3 * each).asserted, 3 * (each - 9));
  assert.throws(() => run(3 * each - 1), /more than 134 facts follow, which is too many/);
  snapshot.close();
  await engine.close();
});
