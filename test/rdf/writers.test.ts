/** The shape of what is written, and what a format refuses because it can't say it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SvcError } from '../../engine/base/errors.js';
import type { Format } from '../../engine/rdf/formats/registry.js';
import { writeQuads } from '../../engine/rdf/formats/writer.js';
import { type Quad, type RDF, RDF_NS, terms, XSD } from '../../engine/rdf/terms.js';
import { collect, read, write } from './documents.js';

const EX = 'http://example.org/';
const PREFIXES = { ex: EX, rdf: RDF_NS, xsd: XSD, unused: 'http://unused.example/' };

const ex = (name: string): RDF.NamedNode => terms.namedNode(EX + name);
const type = terms.namedNode(`${RDF_NS}type`);
const integer = (text: string): RDF.Literal => terms.literal(text, terms.namedNode(`${XSD}integer`));

const QUADS: Quad[] = [
  terms.quad(ex('a'), ex('knows'), terms.blankNode('b0')),
  terms.quad(ex('a'), ex('name'), terms.literal('A "quoted"\nname')),
  terms.quad(ex('a'), ex('name'), terms.literal('Ä', 'de')),
  terms.quad(ex('a'), type, ex('Person')),
  terms.quad(terms.blankNode('b0'), ex('age'), integer('042')),
];
const GRAPH_QUADS: Quad[] = [
  ...QUADS,
  terms.quad(ex('s'), ex('p'), terms.namedNode('http://other/x y'.replace(' ', '-')), ex('g')),
];

test('N-Triples and N-Quads: canonical lines', async () => {
  assert.equal(
    await write(GRAPH_QUADS.slice(1, 6), { format: 'nquads' }),
    [
      '<http://example.org/a> <http://example.org/name> "A \\"quoted\\"\\nname" .',
      '<http://example.org/a> <http://example.org/name> "Ä"@de .',
      `<http://example.org/a> <${RDF_NS}type> <http://example.org/Person> .`,
      `_:b0 <http://example.org/age> "042"^^<${XSD}integer> .`,
      '<http://example.org/s> <http://example.org/p> <http://other/x-y> <http://example.org/g> .\n',
    ].join('\n'),
  );
  assert.equal(await write([], { format: 'ntriples' }), '');
});

test('Turtle: prefixes in use at the start, a first, one block a subject', async () => {
  assert.equal(
    await write(QUADS, { format: 'turtle', prefixes: PREFIXES }),
    `@prefix ex: <http://example.org/> .
@prefix xsd: <${XSD}> .

ex:a a ex:Person ;
    ex:knows _:b0 ;
    ex:name "A \\"quoted\\"\\nname", "Ä"@de .

_:b0 ex:age "042"^^xsd:integer .

`,
  );
});

test('TriG: named graphs; a stream that is read once declares where it must', async () => {
  const once = (function* () {
    yield GRAPH_QUADS;
  })();
  const text = (await collect(writeQuads(once, { format: 'trig', prefixes: PREFIXES }))).toString();
  assert.equal(
    text,
    `@prefix ex: <http://example.org/> .

ex:a a ex:Person ;
    ex:knows _:b0 ;
    ex:name "A \\"quoted\\"\\nname", "Ä"@de .

@prefix xsd: <${XSD}> .

_:b0 ex:age "042"^^xsd:integer .

ex:g {
  ex:s ex:p <http://other/x-y> .
}

`,
  );
});

test('a source that can be opened again is opened twice, one that can not is read once', async () => {
  let opened = 0;
  const open = (): Quad[][] => {
    opened++;
    return [QUADS];
  };
  const text = (await collect(writeQuads(open, { format: 'turtle', prefixes: PREFIXES }))).toString();
  assert.equal(opened, 2);
  assert.equal(text, await write(QUADS, { format: 'turtle', prefixes: PREFIXES }));
});

test('RDF/XML: one description a subject', async () => {
  assert.equal(
    await write(QUADS, { format: 'rdfxml', prefixes: PREFIXES }),
    `<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="${RDF_NS}" xmlns:ex="http://example.org/">
  <rdf:Description rdf:about="http://example.org/a">
    <ex:knows rdf:nodeID="b0"/>
    <ex:name>A "quoted"\nname</ex:name>
    <ex:name xml:lang="de">Ä</ex:name>
    <rdf:type rdf:resource="http://example.org/Person"/>
  </rdf:Description>
  <rdf:Description rdf:nodeID="b0">
    <ex:age rdf:datatype="${XSD}integer">042</ex:age>
  </rdf:Description>
</rdf:RDF>
`,
  );
});

test('JSON-LD: expanded, one node a line, lexical forms kept', async () => {
  assert.equal(
    await write(GRAPH_QUADS, { format: 'jsonld' }),
    `[
{"@id":"http://example.org/a","@type":["http://example.org/Person"],"http://example.org/knows":[{"@id":"_:b0"}],"http://example.org/name":[{"@value":"A \\"quoted\\"\\nname"},{"@value":"Ä","@language":"de"}]},
{"@id":"_:b0","http://example.org/age":[{"@value":"042","@type":"${XSD}integer"}]},
{"@id":"http://example.org/g","@graph":[
{"@id":"http://example.org/s","http://example.org/p":[{"@id":"http://other/x-y"}]}
]}
]
`,
  );
  assert.deepEqual(JSON.parse(await write([], { format: 'jsonld' })), []);
});

test('what a format can not say is refused by name', async () => {
  const refuse = (format: Format, quad: Quad, message: RegExp): Promise<void> =>
    assert.rejects(write([quad], { format }), (error: SvcError) => {
      assert.equal(error.code, 'unsupported');
      assert.match(error.message, message);
      return true;
    });
  for (const format of ['ntriples', 'turtle', 'rdfxml'] as const) {
    await refuse(format, GRAPH_QUADS[5]!, /no named graphs.*http:\/\/example\.org\/g/);
  }
  const predicates = [
    'http://example.org/',
    'http://example.org/1',
    'urn:x:a/%20',
    `${RDF_NS}li`,
    `${RDF_NS}Description`,
  ];
  for (const predicate of predicates) {
    const quad = terms.quad(ex('a'), terms.namedNode(predicate), ex('b'));
    await refuse('rdfxml', quad, /can't write the predicate <[^>]+>/);
    assert.equal((await read(await write([quad], { format: 'turtle' }), { format: 'turtle' })).length, 1);
  }
  await refuse('rdfxml', terms.quad(ex('a'), ex('p'), terms.literal('\u0001')), /U\+0001/);
  const triple = terms.quad(ex('a'), ex('p'), ex('b'));
  await refuse('jsonld', terms.quad(ex('s'), ex('p'), triple), /triple terms/);
});

test('a long block and a long document are written in pieces', async () => {
  const many = Array.from({ length: 120_000 }, (_, n) => terms.quad(ex('a'), ex('p'), integer(String(n))));
  for (const format of ['turtle', 'jsonld', 'rdfxml'] as const) {
    const pieces: Uint8Array[] = [];
    for await (const piece of writeQuads([many], { format })) pieces.push(piece);
    assert.ok(pieces.length > 1, format);
    assert.equal((await read(Buffer.concat(pieces), { format })).length, many.length, format);
  }
});
