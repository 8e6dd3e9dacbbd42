/** RDF/XML: what matches no production is refused where it stands, and what matches one gives its triples. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import type { Quad, Term } from '../../engine/rdf/terms.js';
import { read } from './documents.js';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const NAMESPACES = `xmlns:rdf="${RDF}" xmlns:ex="http://e/" xmlns:its="http://www.w3.org/2005/11/its" xml:base="http://base/x"`;

function documentOf(content: string, attributes = ''): string {
  return `<rdf:RDF ${NAMESPACES}${attributes}>\n${content}\n</rdf:RDF>`;
}

function about(content: string): string {
  return `<rdf:Description rdf:about="http://s">\n${content}\n</rdf:Description>`;
}

/** Content of a node, and what the error says; the error stands in the line of the content. */
const REFUSED_PROPERTIES: readonly (readonly [content: string, message: RegExp])[] = [
  [
    '<ex:p rdf:resource="http://d"><ex:A rdf:about="http://a"/></ex:p>',
    /ex:p has rdf:resource, so it must be empty: the element ex:A has no place in it/,
  ],
  ['<ex:p rdf:nodeID="d"><ex:A rdf:about="http://a"/></ex:p>', /ex:p has rdf:nodeID, so it must be empty/],
  ['<ex:p ex:q="1"><ex:A rdf:about="http://a"/></ex:p>', /ex:p has ex:q, so it must be empty/],
  ['<ex:p ex:q="1"> </ex:p>', /ex:p has ex:q, so it must be empty: white space has no place in it/],
  ['<ex:p rdf:resource="http://d"> </ex:p>', /white space has no place in it/],
  ['<ex:p><ex:A/><ex:B/></ex:p>', /ex:p holds one node, and ex:B is a second one: repeat ex:p/],
  ['<ex:p><ex:A/>text</ex:p>', /text has no place here: "text"/],
  ['<ex:p rdf:datatype="http://d"><ex:A/></ex:p>', /ex:p has rdf:datatype, so it holds text only/],
  ['<ex:p rdf:resource="http://d" rdf:datatype="http://d"/>', /ex:p has rdf:datatype and rdf:resource, which exclude/],
  ['<ex:p rdf:datatype="http://d" rdf:resource="http://d"/>', /which exclude each other/],
  ['<ex:p rdf:nodeID="a" rdf:resource="http://d"/>', /which exclude each other/],
  ['<ex:p ex:q="1" rdf:datatype="http://d"/>', /ex:p has rdf:datatype and ex:q, which exclude each other/],
  ['<ex:p ex:q="1" rdf:parseType="Resource"/>', /ex:p has rdf:parseType and ex:q, which exclude each other/],
  ['<ex:p rdf:parseType="Literal" rdf:resource="http://d"/>', /which exclude each other/],
  ['<ex:p rdf:annotation="#a" rdf:annotationNodeID="a"/>', /which exclude each other/],
  ['<ex:p rdf:about="http://d"/>', /rdf:about has its place on node elements/],
  ['<rdf:datatype>x</rdf:datatype>', /rdf:datatype can't be the name of a property element/],
  ['<ex:p rdf:li="x"/>', /rdf:li can't be the name of a property attribute/],
  ['<ex:p rdf:bagID="x"/>', /rdf:bagID is no longer part of RDF\/XML/],
  ['<ex:p its:dir="up">x</ex:p>', /its:dir is "ltr" or "rtl", not "up"/],
  ['<ex:p rdf:version="3">x</ex:p>', /rdf:version is one of 1\.1, 1\.2, 1\.2-basic, not "3"/],
  ['<ex:p rdf:ID="1">x</ex:p>', /"1" is not an XML name/],
];

const REFUSED_DOCUMENTS: readonly (readonly [document: string, message: RegExp])[] = [
  [documentOf('', ' ex:unknown="1"'), /the attribute ex:unknown has no place on rdf:RDF/],
  [documentOf('', ' rdf:about="http://a"'), /the attribute rdf:about has no place on rdf:RDF/],
  [documentOf('<ex:A rdf:about="http://a" rdf:ID="b"/>'), /ex:A has rdf:ID and rdf:about, which exclude each other/],
  [documentOf('<ex:A rdf:resource="http://a"/>'), /rdf:resource has its place on property elements/],
  [documentOf('<ex:A rdf:Description="x"/>'), /rdf:Description can't be the name of a property attribute/],
  [documentOf('<rdf:aboutEach/>'), /rdf:aboutEach is no longer part of RDF\/XML/],
  [documentOf('<rdf:RDF/>'), /rdf:RDF can't be the name of a node element/],
];

test('what matches no production is refused where it stands', async () => {
  const refused = async (document: string, message: RegExp, line: number): Promise<void> => {
    await assert.rejects(
      () => read(document, { format: 'rdfxml' }),
      (error) => {
        assert.ok(error instanceof SvcError, document);
        assert.equal(error.code, 'parse_error');
        assert.match(error.message, message, document);
        assert.equal(error.position?.line, line, document);
        return true;
      },
    );
  };
  for (const [content, message] of REFUSED_PROPERTIES) await refused(documentOf(about(content)), message, 3);
  for (const [document, message] of REFUSED_DOCUMENTS)
    await refused(document, message, document.includes('\n\n') ? 1 : 2);
});

function textOf(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return term.value.replace(RDF, 'rdf:').replace('http://e/', 'ex:');
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal': {
      const tag = term.language === '' ? '' : `@${term.language}${term.direction ? `--${term.direction}` : ''}`;
      return `"${term.value}"${tag}`;
    }
    case 'Quad':
      return `<<${tripleOf(term as Quad)}>>`;
    default:
      return term.termType;
  }
}

function tripleOf({ subject, predicate, object }: Quad): string {
  return [subject, predicate, object].map(textOf).join(' ');
}

const GIVEN: readonly (readonly [content: string, triples: readonly string[]])[] = [
  [
    '<ex:p rdf:ID="l" rdf:parseType="Collection"></ex:p>',
    [
      'http://s ex:p rdf:nil',
      'http://base/x#l rdf:type rdf:Statement',
      'http://base/x#l rdf:subject http://s',
      'http://base/x#l rdf:predicate ex:p',
      'http://base/x#l rdf:object rdf:nil',
    ],
  ],
  [
    // The statement is reified, and nothing else that stands in it.
    '<ex:p rdf:ID="l"><ex:A rdf:about="http://a" ex:q="1"/></ex:p>',
    [
      'http://s ex:p http://a',
      'http://base/x#l rdf:type rdf:Statement',
      'http://base/x#l rdf:subject http://s',
      'http://base/x#l rdf:predicate ex:p',
      'http://base/x#l rdf:object http://a',
      'http://a rdf:type ex:A',
      'http://a ex:q "1"',
    ],
  ],
  ['<ex:p rdf:resource="http://d" rdf:type="#T"/>', ['http://s ex:p http://d', 'http://d rdf:type http://base/x#T']],
  ['<ex:p rdf:resource="http://d"><!-- nothing --></ex:p>', ['http://s ex:p http://d']],
  ['<ex:p>\n  <ex:A rdf:about="http://a"/>\n</ex:p>', ['http://s ex:p http://a', 'http://a rdf:type ex:A']],
  ['<ex:p rdf:annotation="#a">x</ex:p>', ['http://s ex:p "x"', 'http://base/x#a rdf:reifies <<http://s ex:p "x">>']],
  ['<ex:p rdf:datatype="http://www.w3.org/2001/XMLSchema#string"/>', ['http://s ex:p ""']],
];

test('what matches a production gives its triples, and no others', async () => {
  for (const [content, triples] of GIVEN) {
    const quads = await read(documentOf(about(content)), { format: 'rdfxml' }, 7);
    assert.deepEqual(quads.map(tripleOf), triples, content);
  }
});

test('attributes of ITS are no statements, and give strings with a language their direction', async () => {
  const content =
    '<rdf:Description rdf:about="http://s" its:version="2.0" its:dir="rtl" xml:lang="he" ex:p="a">' +
    '<ex:q its:version="2.0">b</ex:q><ex:q its:dir="ltr" ex:r="c"/><ex:q its:dir="">d</ex:q></rdf:Description>';
  const given = async (version: string): Promise<string[]> =>
    (await read(documentOf(content, ` its:version="2.0" ${version}`), { format: 'rdfxml' })).map(tripleOf);
  assert.deepEqual(await given('rdf:version="1.2"'), [
    'http://s ex:p "a"@he--rtl',
    'http://s ex:q "b"@he--rtl',
    'http://s ex:q _:.0',
    '_:.0 ex:r "c"@he--ltr',
    'http://s ex:q "d"@he',
  ]);
  assert.ok((await given('')).every((triple) => !triple.includes('--')));
});
