/** CONSTRUCT and DESCRIBE: what the template makes of solutions, and what a description holds. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeQuery, explain, type QueryOptions } from '../../engine/query/query.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { sameDataset } from '../rdf/isomorphism.js';
import { PREFIXES, sortedAnswer, storeOf } from './support.js';

const PEOPLE = `
:a a :Person ; :name "Ann" ; :knows :b, :c .
:b a :Person ; :name "Bob" ; :age 4 .
:c a :Robot .
:g { :a :name "Ann of g" . :x :p :y }
`;

async function graph(snapshot: StorageSnapshot, text: string, options: QueryOptions = {}): Promise<Quad[]> {
  const result = await executeQuery(snapshot, PREFIXES + text, options);
  assert.ok(result.kind === 'graph');
  const quads: Quad[] = [];
  for await (const quad of result.quads()) quads.push(quad);
  return quads;
}

test('a template is filled for each solution, and each triple comes once', async () => {
  const snapshot = (await storeOf(PEOPLE)).snapshot();
  assert.deepEqual(await sortedAnswer(snapshot, 'CONSTRUCT { ?b :knownBy ?a . ?a a :Knower } { ?a :knows ?b }'), [
    ':a http://www.w3.org/1999/02/22-rdf-syntax-ns#type :Knower',
    ':b :knownBy :a',
    ':c :knownBy :a',
  ]);
  assert.deepEqual(await sortedAnswer(snapshot, 'CONSTRUCT WHERE { ?a :knows ?b }'), [':a :knows :b', ':a :knows :c']);
  assert.deepEqual(await sortedAnswer(snapshot, 'CONSTRUCT { :x :y :z } { ?s ?p ?o }'), [':x :y :z']);
  assert.deepEqual(await sortedAnswer(snapshot, 'CONSTRUCT { :x :y :z } { ?s :none ?o }'), []);
  assert.deepEqual(await sortedAnswer(snapshot, 'CONSTRUCT {} { ?s ?p ?o }'), []);
});

test('LIMIT, OFFSET and ORDER BY choose among the solutions, not among the triples', async () => {
  const snapshot = (await storeOf(PEOPLE)).snapshot();
  const text = 'CONSTRUCT { ?s :is ?n ; :called ?n } { ?s :name ?n } ORDER BY DESC(?n) LIMIT 1';
  assert.deepEqual(await sortedAnswer(snapshot, text), [':b :called "Bob"', ':b :is "Bob"']);
  assert.deepEqual(await sortedAnswer(snapshot, `${text} OFFSET 1`), [':a :called "Ann"', ':a :is "Ann"']);
});

test('triples with unbound or ill-placed terms are left out, the others of the solution stay', async () => {
  const snapshot = (await storeOf(':s :p "literal", :i, _:b, 5 .')).snapshot();
  assert.deepEqual(
    await sortedAnswer(
      snapshot,
      'CONSTRUCT { ?o :subject 1 . :x ?o 2 . :x :o ?o . :x :u ?none } { :s :p ?o FILTER(!isBlank(?o)) }',
    ),
    [':i :subject 1^integer', ':x :i 2^integer', ':x :o "literal"', ':x :o 5^integer', ':x :o :i'],
  );
  const blank = await graph(snapshot, 'CONSTRUCT { ?o :subject 1 . :x ?o 2 } { :s :p ?o FILTER(isBlank(?o)) }');
  assert.equal(blank.length, 1);
  assert.equal(blank[0]?.subject.termType, 'BlankNode');
});

test('terms that the query computes are placed by what they are', async () => {
  const snapshot = (await storeOf(':s :p "x" .')).snapshot();
  const text = 'CONSTRUCT { ?o :subject 1 . :x ?o 2 } { VALUES ?o { "new" :new 7 } }';
  assert.deepEqual(await sortedAnswer(snapshot, text), [':new :subject 1^integer', ':x :new 2^integer']);
});

test('blank nodes of the template are new for each solution, and the same within one', async () => {
  const snapshot = (await storeOf(PEOPLE)).snapshot();
  const quads = await graph(snapshot, 'CONSTRUCT { _:n :of ?s ; :text ?n . ?s :has _:n } { ?s :name ?n }');
  assert.equal(quads.length, 6);
  const node = (name: string) => terms.namedNode(`http://example.org/${name}`);
  const expected = ['a', 'b'].flatMap((name) => {
    const blank = terms.blankNode(name);
    const text = terms.literal(name === 'a' ? 'Ann' : 'Bob');
    return [
      terms.quad(blank, node('of'), node(name)),
      terms.quad(blank, node('text'), text),
      terms.quad(node(name), node('has'), blank),
    ];
  });
  assert.equal(await sameDataset(quads, expected), true);
  const stored = new Set(
    (await graph((await storeOf(':s :p _:t0 .')).snapshot(), 'CONSTRUCT { ?o :q [] } { :s :p ?o }')).flatMap(
      ({ subject, object }) => [subject.value, object.value],
    ),
  );
  assert.equal(stored.size, 2);
});

test('triple terms of a template hold the terms of the solution', async () => {
  const snapshot = (await storeOf(':s :p "x" .')).snapshot();
  const quads = await graph(
    snapshot,
    'CONSTRUCT { :r :says <<( ?s :q ?o )>> . :r :wrong <<( ?o :q ?s )>> } { ?s :p ?o }',
  );
  assert.equal(quads.length, 1);
  const { object } = quads[0] as Quad;
  assert.ok(object.termType === 'Quad');
  assert.deepEqual([object.subject.value, object.object.value], ['http://example.org/s', 'x']);
});

test('blank nodes inside triple terms of a template are those of the solution', async () => {
  const snapshot = (await storeOf(':s :p 1 . :t :p 2 .')).snapshot();
  const text = 'CONSTRUCT { _:r :says <<( _:n :q ?o )>> . _:n :of ?s . :x :no <<( ?o :q _:n )>> } { ?s :p ?o }';
  const quads = await graph(snapshot, text);
  assert.equal(quads.length, 4);
  for (const quad of quads.filter(({ object }) => object.termType === 'Quad')) {
    const { subject: inner } = quad.object as Quad;
    assert.ok(quads.some(({ subject, predicate }) => predicate.value.endsWith('/of') && subject.equals(inner)));
    assert.ok(!inner.equals(quad.subject));
  }
  const nodes = quads.filter(({ predicate }) => predicate.value.endsWith('/of')).map(({ subject }) => subject.value);
  assert.equal(new Set(nodes).size, 2);
});

test('a template larger than a batch of output loses nothing', async () => {
  const data = Array.from({ length: 3000 }, (_, at) => `:s${at} :p ${at} .`).join('\n');
  const snapshot = (await storeOf(data)).snapshot();
  const quads = await graph(snapshot, 'CONSTRUCT { ?s :a ?o ; :b ?o ; :c [ :d ?o ] } { ?s :p ?o }');
  assert.equal(quads.length, 12_000);
  const blanks = new Set(
    quads.filter(({ object }) => object.termType === 'BlankNode').map(({ object }) => object.value),
  );
  assert.equal(blanks.size, 3000);
});

test('DESCRIBE gives the triples of each resource, through blank nodes, and ends in circles', async () => {
  const snapshot = (
    await storeOf(`
      :a :name "Ann" ; :address [ :city "Ulm" ; :zip [ :code 89073 ] ] ; :knows :b .
      :b :name "Bob" .
      _:x :next _:y . _:y :next _:x ; :end :a . :circle :at _:x .
      :g { :a :name "Ann of g" }`)
  ).snapshot();
  const ann = await graph(snapshot, 'DESCRIBE :a');
  assert.equal(ann.length, 6);
  assert.deepEqual(ann.map(({ predicate }) => predicate.value.slice('http://example.org/'.length)).sort(), [
    'address',
    'city',
    'code',
    'knows',
    'name',
    'zip',
  ]);
  assert.equal((await graph(snapshot, 'DESCRIBE :circle')).length, 4);
  assert.deepEqual(await sortedAnswer(snapshot, 'DESCRIBE ?s { ?s :name "Bob" }'), [':b :name "Bob"']);
  assert.equal((await graph(snapshot, 'DESCRIBE * { ?s :knows ?o }')).length, 7);
  assert.equal((await graph(snapshot, 'DESCRIBE :a :a ?s { ?s :name "Bob" }')).length, 7);
  assert.deepEqual(await graph(snapshot, 'DESCRIBE :nobody'), []);
  assert.deepEqual(await graph(snapshot, 'DESCRIBE ?n { :b :name ?n }'), []);
  assert.deepEqual(await sortedAnswer(snapshot, 'DESCRIBE :a FROM :g'), [':a :name "Ann of g"']);
  assert.deepEqual(await sortedAnswer(snapshot, 'DESCRIBE :a', { graph: 'http://example.org/g' }), [
    ':a :name "Ann of g"',
  ]);
  assert.deepEqual(await graph(snapshot, 'DESCRIBE :a', { time: { kind: 'asOf', tx: 0 } }), []);
});

test('a description of more than a batch is whole', async () => {
  const objects = Array.from({ length: 5000 }, (_, at) => `${at}`).join(', ');
  const snapshot = (await storeOf(`:a :p ${objects} . :b :p 1 .`)).snapshot();
  assert.equal((await graph(snapshot, 'DESCRIBE :a :b')).length, 5001);
});

test('a graph is a set within its memory, and the plan tells what was done', async () => {
  const data = Array.from({ length: 2000 }, (_, at) => `:s${at} :p ${at} .`).join('\n');
  const snapshot = (await storeOf(data)).snapshot();
  const text = `${PREFIXES} CONSTRUCT { ?s :q ?o } { ?s :p ?o }`;
  const { plan } = await explain(snapshot, text, { analyze: true });
  assert.equal(plan.operator, 'distinct');
  assert.equal(plan.inputs[0]?.operator, 'template');
  assert.equal(plan.inputs[0]?.actual?.rows, 2000);
  const described = await explain(snapshot, `${PREFIXES} DESCRIBE :s1`, { analyze: true });
  assert.equal(described.plan.operator, 'describe');
  assert.equal(described.plan.actual?.rows, 1);
});
