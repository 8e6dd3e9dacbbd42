/** Reading shapes graphs: what is taken, and what is refused with the shape and the fault in the message. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { shapesOf } from './support.js';

/** Shapes that are not well-formed, and what the message must say. */
const REFUSED: readonly (readonly [shapes: string, message: RegExp])[] = [
  [':S a sh:PropertyShape .', /<http:\/\/example.org\/S> .* sh:PropertyShape without sh:path/],
  [':S a sh:NodeShape ; sh:path :p .', /NodeShape and has a sh:path/],
  [':S sh:path :p, :q ; sh:minCount 1 .', /2 values of sh:path/],
  [':S sh:path "p" ; sh:minCount 1 .', /sh:path can not be "p"/],
  [':S sh:path [] ; sh:minCount 1 .', /blank node that is no path/],
  [':S sh:path (:p) ; sh:minCount 1 .', /at least two members and has 1/],
  [':S sh:path [ sh:alternativePath :p ] ; sh:minCount 1 .', /alternativePath of its sh:path is no list/],
  [':S sh:path _:a ; sh:minCount 1 . _:a sh:inversePath _:a .', /nests more than 100 deep, or runs in a circle/],
  [':S sh:in _:l . _:l rdf:first 1 ; rdf:rest _:l .', /sh:in is a list that runs in a circle/],
  [':S sh:in _:l . _:l rdf:first 1 .', /sh:in is a list that does not end/],
  [':S sh:in _:l . _:l rdf:first 1, 2 ; rdf:rest () .', /2 values of rdf:first/],
  [':S sh:in "x" .', /sh:in is no list, but "x"/],
  [':S sh:in (1), (2) .', /2 values of sh:in/],
  [':S sh:path :p ; sh:minCount "1" .', /sh:minCount needs an integer, not "1"/],
  [':S sh:path :p ; sh:minCount 1, 2 .', /2 values of sh:minCount/],
  [':S sh:minCount 1 .', /sh:minCount needs a property shape/],
  [':S sh:uniqueLang true .', /sh:uniqueLang needs a property shape/],
  [':S sh:path :p ; sh:maxCount 1.5 .', /sh:maxCount needs an integer/],
  [':S sh:nodeKind sh:Thing .', /sh:nodeKind can not be <http:\/\/www.w3.org\/ns\/shacl#Thing>/],
  [':S sh:nodeKind sh:toString .', /sh:nodeKind can not be/],
  [':S sh:class "C" .', /sh:class needs an IRI, not "C"/],
  [':S sh:datatype xsd:int, xsd:string .', /2 values of sh:datatype/],
  [':S sh:pattern "(" .', /sh:pattern "\(" can not be used/],
  [':S sh:pattern "a" ; sh:flags "k" .', /with the flags "k"/],
  [':S sh:pattern 1 .', /sh:pattern needs a string/],
  [':S sh:minInclusive :a .', /sh:minInclusive is a literal/],
  [':S sh:languageIn (1) .', /sh:languageIn needs a string/],
  [':S sh:closed "yes" .', /sh:closed is true or false/],
  [':S sh:closed true ; sh:ignoredProperties ("p") .', /sh:ignoredProperties needs an IRI/],
  [':S sh:node "x" .', /sh:node needs a shape, not "x"/],
  [':S sh:property [ sh:minCount 1 ] .', /no property shape: it has no sh:path/],
  [':S sh:or [ sh:class :C ] .', /sh:or is no list/],
  [':S sh:targetClass "C" ; sh:class :C .', /sh:targetClass needs an IRI/],
  [':S sh:targetNode [] ; sh:class :C .', /sh:targetNode needs an IRI or a literal/],
  [':S sh:severity "Fatal" ; sh:class :C .', /sh:severity is an IRI, not "Fatal"/],
  [':S sh:severity sh:Info, sh:Warning ; sh:class :C .', /2 values of sh:severity/],
  [':S sh:message :m ; sh:class :C .', /sh:message needs a string/],
  [':S sh:deactivated 1 ; sh:class :C .', /sh:deactivated is true or false/],
  [':S sh:not :S .', /<http:\/\/example.org\/S> .* asks about itself through sh:not/],
  [':S sh:node :T . :T sh:xone ( :S [ sh:class :C ] ) .', /asks about itself through sh:xone/],
  [
    ':S sh:property [ sh:path :p ; sh:qualifiedValueShape :S ; sh:qualifiedMaxCount 1 ] .',
    /asks about itself through sh:qualifiedMaxCount/,
  ],
  [':P sh:path :p ; sh:property :P .', /holds itself through sh:property alone/],
];

test('what is not well-formed is refused, naming the shape and the fault', async () => {
  for (const [shapes, message] of REFUSED) {
    await assert.rejects(shapesOf(shapes), (error: unknown) => {
      assert.ok(error instanceof SvcError, shapes);
      assert.equal(error.code, 'invalid_request', shapes);
      assert.match(error.message, message, shapes);
      return true;
    });
  }
});

test('recursion without negation is taken', async () => {
  const { shapes } = await shapesOf(':S a sh:NodeShape ; sh:property [ sh:path :p ; sh:node :S ] .');
  assert.deepEqual(
    shapes.map(({ cycle }) => cycle),
    [0, 0],
  );
});

test('counts of node shapes, the emitting shape, the nearest named shape', async () => {
  const { shapes, targeted, nodeShapes } = await shapesOf(`
    :S a sh:NodeShape ; sh:targetClass :C ; svc:onViolation "emit" ;
      sh:property [ sh:path :p ; sh:node [ sh:class :D ] ] .
    :T a sh:NodeShape ; sh:deactivated true ; sh:targetClass :C .
    :C a rdfs:Class, sh:NodeShape .
  `);
  assert.equal(nodeShapes, 3);
  assert.deepEqual(
    targeted.map(({ node }) => node.value),
    ['http://example.org/S', 'http://example.org/C'],
  );
  assert.deepEqual(
    shapes.map(({ emits }) => emits),
    shapes.map(({ node }) => node.value === 'http://example.org/S'),
  );
  const blank = shapes.filter(({ node }) => node.termType === 'BlankNode');
  assert.equal(blank.length, 2);
  for (const { source } of blank) assert.equal(source, 'http://example.org/S');
});

test('long lists and many shapes are read; shapes that nest too deeply are refused without ending the stack', async () => {
  const list = Array.from({ length: 10_000 }, (_, at) => at).join(' ');
  const { shapes } = await shapesOf(`:S a sh:NodeShape ; sh:in (${list}) .`);
  assert.equal(shapes.length, 1);
  const chain = Array.from({ length: 10_000 }, (_, at) => `:s${at} sh:node :s${at + 1} .`).join('\n');
  await assert.rejects(shapesOf(chain), /nest more than 200 deep/);
  const ring = Array.from({ length: 5000 }, (_, at) => `:s${at} sh:node :s${(at + 1) % 5000} .`).join('\n');
  assert.equal((await shapesOf(ring)).shapes.length, 5000);
});
