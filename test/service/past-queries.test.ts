/**
 * Questions about the past in every form: paths, classes, aggregates, CONSTRUCT and DESCRIBE after each
 * transaction, and at each instant, are those of a store that holds only what was known or held then.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Quad, type Store, type Term, terms } from '../../interfaces/library/index.js';
import { Random } from '../query/differential/random.js';
import { comparable } from '../rdf/isomorphism.js';

const EX = 'http://example.org/';
const TRANSACTIONS = 12;
const DAY_SECONDS = 86_400;
const START = Date.UTC(2024, 0, 1) / 1000;

const iri = (name: string) => terms.namedNode(EX + name);
const TYPE = terms.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');
const BELOW = terms.namedNode('http://www.w3.org/2000/01/rdf-schema#subClassOf');

function randomQuad(random: Random): Quad {
  const node = () => iri(`n${random.below(5)}`);
  const kind = () => iri(`C${random.below(4)}`);
  return random.weighted<() => Quad>([
    [3, () => terms.quad(node(), iri('p'), node())],
    [2, () => terms.quad(node(), TYPE, kind())],
    [2, () => terms.quad(kind(), BELOW, kind())],
    [1, () => terms.quad(node(), iri('name'), terms.literal(String(random.below(4))))],
    [1, () => terms.quad(node(), iri('p'), node(), iri('g'))],
  ])();
}

const QUERIES = [
  'SELECT ?s ?t { ?s :p+ ?t }',
  'SELECT ?t { :n0 :p* ?t }',
  'SELECT ?s { ?s a :C0 }',
  'SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?c) AS ?m) { ?s a ?c }',
  'SELECT ?c (COUNT(?s) AS ?n) { ?s a :C1 , ?c OPTIONAL { ?s :p ?t } } GROUP BY ?c',
  'SELECT ?s { ?s ?p ?o FILTER NOT EXISTS { ?s a :C2 } MINUS { ?s :p/:p ?x } }',
  'SELECT ?g ?s { GRAPH ?g { ?s :p+ ?t } }',
  'CONSTRUCT { ?t :from ?s } WHERE { ?s :p/:p? ?t }',
  'DESCRIBE ?s { ?s a :C0 }',
  'DESCRIBE :n1',
  'ASK { :n0 :p+ :n1 . :n1 a :C3 }',
];

const show = (term: Term | undefined) => (term === undefined ? '-' : `${term.termType} ${term.value}`);

async function answerOf(store: Store, text: string, options = {}): Promise<string> {
  const answer = await store.query(`PREFIX : <${EX}> ${text}`, options);
  if (answer.kind === 'ask') return String(answer.value);
  if (answer.kind === 'graph') {
    const quads: Quad[] = [];
    for await (const quad of answer.quads()) quads.push(quad);
    return comparable(quads);
  }
  const rows: string[] = [];
  for await (const row of answer.rows()) rows.push(row.map(show).join(' '));
  return rows.sort().join('\n');
}

test('answers about the past are those of a store that holds what was known or held then', async () => {
  const random = new Random(77);
  const store = await openStore(':memory:', { now: () => START });
  const known = new Map<string, Quad>();
  const key = ({ subject, predicate, object, graph }: Quad) => [subject, predicate, object, graph].map(show).join(' ');
  const states: Quad[][] = [[]];
  for (let tx = 1; tx <= TRANSACTIONS; tx++) {
    const retract = [...known.values()].filter(() => random.once(5));
    for (const quad of retract) known.delete(key(quad));
    const assertions = random.list(1, 4, () => randomQuad(random)).filter((quad) => !known.has(key(quad)));
    for (const quad of assertions) known.set(key(quad), quad);
    const fresh = terms.quad(iri(`mark${tx}`), iri('mark'), iri('mark'));
    known.set(key(fresh), fresh);
    const timestamp = new Date((START + tx * DAY_SECONDS) * 1000);
    await store.transact({ retract, assert: [...assertions, fresh] }, { timestamp });
    states.push([...known.values()]);
  }
  const replayed = await openStore(':memory:');
  for (const [tx, state] of states.entries()) {
    await replayed.update('DROP ALL');
    await replayed.transact({ assert: state });
    const noon = new Date((START + (tx + 0.5) * DAY_SECONDS) * 1000);
    for (const text of QUERIES) {
      const expected = await answerOf(replayed, text);
      assert.equal(await answerOf(store, text, { tx }), expected, `${text} after ${tx}`);
      assert.equal(await answerOf(store, text, { validAt: noon }), expected, `${text} at ${noon.toISOString()}`);
      assert.equal(await answerOf(store, text, { tx, validAt: noon }), expected, `${text} after ${tx}, at its noon`);
    }
  }
  await replayed.close();
  await store.close();
});
