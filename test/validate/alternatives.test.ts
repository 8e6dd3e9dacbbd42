/** What would have been valid, component by component (semantics-reasoning 4.5). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './support.js';

/** The alternatives of the one violation, as kind and value; with scores and `instead_of` where there are some. */
async function alternatives(constraint: string, data: string): Promise<unknown[]> {
  const found = await violations(`:S sh:targetNode :a ; ${constraint} .`, data);
  assert.equal(found.length, 1, JSON.stringify(found));
  return (found[0]?.alternatives ?? []).map(({ kind, value, score, instead_of }) =>
    [kind, value.replace('http://example.org/', ':'), score, instead_of].filter((part) => part !== undefined),
  );
}

const property = (constraint: string): string => `sh:property [ sh:path :p ; ${constraint} ]`;

test('members of a list: those that are like the value first, with a score', async () => {
  assert.deepEqual(await alternatives(property('sh:in ( "red" "green" :Red 4 "reed" )'), ':a :p "redd" .'), [
    ['value', 'red', 0.941667],
    ['value', ':Red', 0.941667],
    ['value', 'reed', 0.866667],
    ['value', 'green'],
    ['value', '4'],
  ]);
});

test('entities of a class or of its subclasses by label or local name, then the class', async () => {
  const data = `:a :p :kotta . :kota a :Host . :x a :Server ; rdfs:label "Kotta!" . :Server rdfs:subClassOf :Host . :b a :Host .`;
  assert.deepEqual(await alternatives(property('sh:class :Host'), data), [
    ['entity', ':x', 0.966667],
    ['entity', ':kota', 0.953333],
    ['entity', ':b', 0],
    ['class', ':Host'],
  ]);
});

test('datatypes: the value with the datatype where it fits', async () => {
  const xsd = 'http://www.w3.org/2001/XMLSchema#';
  assert.deepEqual(await alternatives(property('sh:datatype xsd:integer'), ':a :p "30" .'), [
    ['literal', '"30"^^xsd:integer'],
    ['datatype', `${xsd}integer`],
  ]);
  assert.deepEqual(await alternatives(property('sh:datatype xsd:integer'), ':a :p "x" .'), [
    ['datatype', `${xsd}integer`],
  ]);
});

test('node kinds: a text that is an IRI', async () => {
  assert.deepEqual(await alternatives(property('sh:nodeKind sh:IRI'), ':a :p "http://ex/b" .'), [
    ['iri', 'http://ex/b'],
    ['nodeKind', 'IRI'],
  ]);
  assert.deepEqual(await alternatives(property('sh:nodeKind sh:Literal'), ':a :p :b .'), [['nodeKind', 'Literal']]);
});

test('closed shapes: allowed predicates, the likest first', async () => {
  const closed = 'sh:closed true ; sh:ignoredProperties ( rdf:type ) ; sh:property [ sh:path :name ]';
  assert.deepEqual(
    (await alternatives(closed, ':a :nmae 1 .')).map((parts) => (parts as string[])[1]),
    [':name', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'],
  );
});

test('missing values: a slip of the pen, the path, what the values may be', async () => {
  const shape = `sh:property [ sh:path :status ; sh:minCount 1 ; sh:in ( "on" "off" ) ] , [ sh:path :statuss ; sh:maxCount 3 ]`;
  assert.deepEqual(await alternatives(shape, ':a :Status "on" ; :statuss "on" .'), [
    ['predicate', ':status', 1, 'http://example.org/Status'],
    ['path', ':status'],
    ['value', 'on'],
    ['value', 'off'],
  ]);
});

test('too many values: those that there are', async () => {
  assert.deepEqual(await alternatives(property('sh:maxCount 1'), ':a :p "b", "a", :c .'), [
    ['value', 'a'],
    ['value', 'b'],
    ['value', ':c'],
  ]);
});

test('bounds, patterns, languages, other properties and shapes', async () => {
  const cases: readonly (readonly [constraint: string, data: string, expected: unknown[]])[] = [
    [property('sh:hasValue :b'), '', [['value', ':b']]],
    [property('sh:pattern "^x" ; sh:flags "i"'), ':a :p "y" .', [['pattern', '/^x/i']]],
    [property('sh:pattern "^x"'), ':a :p "y" .', [['pattern', '^x']]],
    [property('sh:maxInclusive 200'), ':a :p 201 .', [['bound', '<= 200']]],
    [property('sh:minExclusive 1'), ':a :p 1 .', [['bound', '> 1']]],
    [property('sh:minLength 2'), ':a :p "y" .', [['bound', '>= 2']]],
    [property('sh:maxLength 2'), ':a :p "yyy" .', [['bound', '<= 2']]],
    [
      property('sh:languageIn ( "en" "de" )'),
      ':a :p "y"@fr .',
      [
        ['language', 'en'],
        ['language', 'de'],
      ],
    ],
    [property('sh:uniqueLang true'), ':a :p "y"@fr, "z"@FR .', []],
    [property('sh:equals :q'), ':a :p 1 .', [['path', ':q']]],
    [property('sh:lessThan :q'), ':a :p 1 ; :q 1 .', [['path', ':q']]],
    ['sh:not :T . :T sh:nodeKind sh:IRI', '', [['shape', ':T']]],
    [
      'sh:or ( :T :U ) . :T sh:nodeKind sh:Literal . :U sh:class :C',
      '',
      [
        ['shape', ':T'],
        ['shape', ':U'],
      ],
    ],
  ];
  for (const [constraint, data, expected] of cases) {
    assert.deepEqual(await alternatives(constraint, data), expected, constraint);
  }
});
