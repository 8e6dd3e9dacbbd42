/**
 * Random ontologies and random sequences of writes: after every write the derived facts of ROOT are those that the plain
 * evaluator entails of the asserted ones, in a store in memory and in a file, and a speculation has shown them before; a
 * full run then changes nothing and counts what the evaluator counts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Quad, RDF_NS, terms } from '../../../engine/rdf/terms.js';
import type { SupposedStore } from '../../../interfaces/library/index.js';
import { type Axiom, entail, type Fact, keyOf } from './naive.js';
import { ENGINES, standing, withOwl } from './support.js';

const EX = 'http://ex/';
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const OWL = 'http://www.w3.org/2002/07/owl#';
const TYPE = `${RDF_NS}type`;
const SEQUENCES = Number(process.env.SVC_OWL_SEQUENCES ?? 40);
const WRITES = 12;

type Random = (below: number) => number;

function randomNumbers(seed: number): Random {
  let state = (seed * 2654435761) >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

/** `linked`: axioms may speak of rdf:type itself. */
function randomAxioms(random: Random, linked: boolean): Axiom[] {
  const property = (): string => (linked && random(6) === 0 ? TYPE : `${EX}p${random(5)}`);
  const aClass = (): string => `${EX}C${random(6)}`;
  return Array.from({ length: 2 + random(9) }, (): Axiom => {
    switch (random(10)) {
      case 0:
      case 1:
        return [aClass(), `${RDFS}subClassOf`, aClass()];
      case 2:
        return [aClass(), `${OWL}equivalentClass`, aClass()];
      case 3:
        return [property(), `${RDFS}subPropertyOf`, property()];
      case 4:
        return [property(), `${OWL}equivalentProperty`, property()];
      case 5:
        return [property(), `${OWL}inverseOf`, property()];
      case 6:
        return [property(), `${RDFS}${random(2) === 0 ? 'domain' : 'range'}`, aClass()];
      case 7:
        return [property(), TYPE, `${OWL}SymmetricProperty`];
      default:
        return [property(), TYPE, `${OWL}TransitiveProperty`];
    }
  });
}

const turtleOf = (axioms: readonly Axiom[]): string =>
  axioms.map(([one, says, other]) => `<${one}> <${says}> <${other}> .\n`).join('');

function randomQuad(random: Random): Quad {
  const node = () => terms.namedNode(`${EX}n${random(6)}`);
  const s = random(8) === 0 ? terms.blankNode(`b${random(2)}`) : node();
  if (random(3) === 0) {
    const of = random(12) === 0 ? terms.blankNode('b0') : terms.namedNode(`${EX}C${random(6)}`);
    return terms.quad(s, terms.namedNode(TYPE), of);
  }
  const p = terms.namedNode(`${EX}p${random(5)}`);
  const kind = random(10);
  if (kind === 0) return terms.quad(s, p, terms.literal(`l${random(2)}`));
  return terms.quad(s, p, kind === 1 ? terms.blankNode(`b${random(2)}`) : node());
}

const hasBlank = ({ subject, object }: Quad): boolean =>
  [subject, object].some((term) => term.termType === 'BlankNode');

const toFact = ({ subject, predicate, object }: Quad): Fact => ({ s: subject, p: predicate.value, o: object });

/** Few facts at a time, so that what follows comes and goes by itself. */
function randomChange(random: Random, known: readonly Fact[]): { assert: Quad[]; retract: Quad[] } {
  const some = (most: number): Quad[] =>
    Array.from({ length: random(most) }, () => {
      const one = known.length > 0 && random(3) > 0 ? known[random(known.length)] : undefined;
      if (one === undefined) return randomQuad(random);
      return terms.quad(one.s as Quad['subject'], terms.namedNode(one.p), one.o as Quad['object']);
    });
  return {
    assert: random(4) === 0 ? some(4) : Array.from({ length: random(4) }, () => randomQuad(random)),
    retract: some(4),
  };
}

/** The facts of ROOT, whoever has written them. */
async function shown(store: SupposedStore): Promise<string[]> {
  const found: string[] = [];
  for await (const quad of store.match(null, null, null, terms.defaultGraph())) found.push(keyOf(toFact(quad)));
  return found.sort();
}

for (const linked of [false, true]) {
  const what = linked ? 'axioms of rdf:type itself' : 'axioms of classes and properties';
  for (const [name, open] of ENGINES) {
    test(`every write leaves what a full run would (${what}, ${name})`, async () => {
      for (let seed = 1; seed <= (linked ? SEQUENCES / 4 : SEQUENCES); seed++) {
        const random = randomNumbers(seed + (linked ? 1000 : 0));
        const axioms = randomAxioms(random, linked);
        const engine = await open();
        const store = withOwl(engine);
        const base = new Map<string, Fact>();
        const first = Array.from({ length: random(8) }, () => randomQuad(random));
        await store.transact({ assert: first });
        for (const quad of first) base.set(keyOf(toFact(quad)), toFact(quad));
        const { materialized } = await store.loadOntology('o', turtleOf(axioms));
        const { asserted: _, retracted: __, ...counts } = materialized;
        assert.deepEqual(counts, { ...entail(base.values(), axioms).counts }, `seed ${seed}: counts of the load`);
        for (let write = 0; write < WRITES; write++) {
          const known = [...entail(base.values(), axioms).facts.values()];
          const change = randomChange(random, known);
          const told = `seed ${seed}, write ${write}\n${turtleOf(axioms)}\nbase ${[...base.keys()].join('\n')}\nassert ${change.assert.map((quad) => keyOf(toFact(quad))).join('\n')}\nretract ${change.retract.map((quad) => keyOf(toFact(quad))).join('\n')}`;
          const supposed = await store.speculate(change, shown);
          if (random(4) === 0 && change.assert.length > 0 && !change.assert.some(hasBlank)) {
            await store.transact({ retract: change.retract });
            await store.load({ quads: change.assert });
          } else await store.transact(change);
          for (const quad of change.retract) base.delete(keyOf(toFact(quad)));
          for (const quad of change.assert) base.set(keyOf(toFact(quad)), toFact(quad));
          const { facts } = entail(base.values(), axioms);
          const derived = [...facts.keys()].filter((key) => !base.has(key)).sort();
          assert.deepEqual(standing(engine), { asserted: [...base.keys()].sort(), derived }, told);
          assert.deepEqual(supposed, [...facts.keys()].sort(), `supposed: ${told}`);
        }
        const full = await store.materialize();
        const expected = { ...entail(base.values(), axioms).counts, asserted: 0, retracted: 0 };
        assert.deepEqual(full.materialized, expected, `seed ${seed}: a full run after the writes`);
        assert.deepEqual((await engine.verify({})).problems, []);
        await store.removeOntology('o');
        assert.deepEqual(standing(engine), { asserted: [...base.keys()].sort(), derived: [] }, `seed ${seed}: removed`);
        await store.close();
      }
    });
  }
}
