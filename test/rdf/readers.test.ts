/** Where our readers go beyond their libraries, and what the callers decide: labels, directions, contexts. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parse } from 'oxigraph';
import { readDocument } from '../../engine/rdf/formats/reader.js';
import { type Literal, type Quad, terms } from '../../engine/rdf/terms.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { read, verbatim } from './documents.js';
import { sameDataset } from './isomorphism.js';

const XML =
  '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/" xml:base="http://base/x">';

async function objects(document: string, format: 'rdfxml' | 'jsonld' | 'turtle'): Promise<string[]> {
  return (await read(document, { format })).map((quad) => quad.object.value);
}

async function property(content: string): Promise<string | undefined> {
  return (
    await objects(`${XML}<rdf:Description rdf:about="http://a/">${content}</rdf:Description></rdf:RDF>`, 'rdfxml')
  )[0];
}

test('RDF/XML: text in parts is one text', async () => {
  assert.equal(await property('<e:p>x<!--c-->y<![CDATA[<z>]]>w&amp;v<?pi?>&#65;</e:p>'), 'xy<z>w&vA');
  assert.equal(await property('<e:p>  </e:p>'), '  ');
  assert.equal(await property('<e:p>a\r\nb&#xD;c</e:p>'), 'a\nb\rc');
});

test('RDF/XML: XML literals are exclusive canonical XML', async () => {
  const content = 'a &lt; b &amp; <b e:z="1" a="&quot;2&#9;"><e:c/><d xmlns="http://d/"/></b><!--x--><?p q?>';
  assert.equal(
    await property(`<e:p rdf:parseType="Literal">${content}</e:p>`),
    'a &lt; b &amp; <b xmlns:e="http://e/" a="&quot;2&#x9;" e:z="1"><e:c></e:c><d xmlns="http://d/"></d></b><!--x--><?p q?>',
  );
  assert.equal(await property('<e:p rdf:parseType="unknown"><e:q/></e:p>'), '<e:q xmlns:e="http://e/"></e:q>');
});

test('RDF/XML: IRIs: rdf:type is resolved, absolute ones are left alone', async () => {
  const document = `${XML}<rdf:Description rdf:about="http://a/./b/../c" rdf:type="#T"/></rdf:RDF>`;
  const [quad] = await read(document, { format: 'rdfxml' });
  assert.equal(quad?.subject.value, 'http://a/./b/../c');
  assert.equal(quad?.object.value, 'http://base/x#T');
});

test('RDF/XML: a single node may be the root', async () => {
  const root = `<e:C ${XML.slice(8, -1)} rdf:about="y" e:q="z"><e:p>x</e:p></e:C>`;
  const quads = await read(root, { format: 'rdfxml' });
  assert.deepEqual(
    quads.map(({ subject, predicate, object }) => `${subject.value} ${predicate.value} ${object.value}`).sort(),
    [
      'http://base/y http://e/p x',
      'http://base/y http://e/q z',
      'http://base/y http://www.w3.org/1999/02/22-rdf-syntax-ns#type http://e/C',
    ],
  );
});

test('RDF/XML: entities as OWL files use them', async () => {
  const document = `<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [
  <!-- <!ENTITY not "declared"> -->
  <!ENTITY e "http://e/" >
  <!ENTITY sub '&e;sub/&#x41;'>
  <!ENTITY e "the second declaration does not count">
  <!ENTITY lt "&#38;#60;">
]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="&e;">
  <e:C rdf:about="&sub;b"><e:p rdf:resource="&e;x"/><e:p>&sub; &lt;</e:p></e:C>
</rdf:RDF>`;
  const quads = await read(document, { format: 'rdfxml' }, 1);
  assert.deepEqual(
    quads.map((quad) => [quad.subject.value, quad.object.value]),
    [
      ['http://e/sub/Ab', 'http://e/C'],
      ['http://e/sub/Ab', 'http://e/x'],
      ['http://e/sub/Ab', 'http://e/sub/A <'],
    ],
  );
});

test('blank nodes: the caller is asked for each label and each anonymous node, in the same order every time', async () => {
  const documents = {
    turtle: '_:x <http://p/> [ <http://p/> ( 1 _:y ) ] . [] <http://p/> _:x .',
    trig: '_:x { _:y <http://p/> [] } [] { _:x <http://p/> _:y }',
    nquads: '_:x <http://p/> _:y.z _:x .',
    rdfxml: `${XML}<e:C rdf:nodeID="x"><e:p rdf:parseType="Collection"><e:D/></e:p><e:p e:q="r"/></e:C></rdf:RDF>`,
    jsonld: '[{"@id":"_:x","http://p/":[{"@list":[{"http://p/":"y"}]}]},{"http://p/":{"@id":"_:y"}}]',
  } as const;
  for (const [format, document] of Object.entries(documents) as [keyof typeof documents, string][]) {
    const asked = async (chunkSize: number): Promise<(string | null)[]> => {
      const labels: (string | null)[] = [];
      const make = verbatim();
      const options = {
        format,
        blankNode: (label: string | null) => {
          labels.push(label);
          return make(label);
        },
      };
      await read(document, options as never, chunkSize);
      return labels;
    };
    const labels = await asked(65_536);
    assert.deepEqual(await asked(1), labels, format);
    assert.ok(labels.includes('x'), format);
    assert.equal(labels.includes(null), format !== 'nquads', format);
  }
});

test('Turtle: names may begin like a boolean', async () => {
  const documents = {
    '@prefix false.ish: <http://e/> . false.ish:a false.ish:b false.ish:c, true,false.': [
      'http://e/c',
      'true',
      'false',
    ],
    'PREFIX true.x: <http://e/> true.x:a a true.x:c .': ['http://e/c'],
    '@prefix a.b: <http://e/> . @prefix false.é: <http://f/> . a.b:a a false.é:c .': ['http://f/c'],
    '@prefix : <http://e/> . :a :b false.:c :d true.': ['false', 'true'],
  };
  for (const [document, wanted] of Object.entries(documents)) {
    for (const chunkSize of [1, 65_536]) {
      const quads = await read(document, { format: 'turtle' }, chunkSize);
      assert.deepEqual(
        quads.map(({ object }) => object.value),
        wanted,
        `${document} in pieces of ${chunkSize}`,
      );
    }
  }
});

test('TriG: no graph stands in another', async () => {
  const document = 'GRAPH <http://g> { <http://s> <http://p> 1 .\nGRAPH <http://h> { <http://s> <http://p> 2 } }';
  await assert.rejects(read(document, { format: 'trig' }), {
    code: 'parse_error',
    message: /can not stand in another/,
  });
});

test('language tags are kept as they are written, and directions unless they are to be dropped', async () => {
  const documents = {
    turtle: '<http://a/> <http://p/> "x"@EN-Latn--rtl .',
    jsonld: '[{"@id":"http://a/","http://p/":{"@value":"x","@language":"EN-Latn","@direction":"rtl"}}]',
    rdfxml: `${XML.replace('>', ' xmlns:its="http://www.w3.org/2005/11/its" rdf:version="1.2">')}<e:C rdf:about="http://a/"><e:p xml:lang="EN-Latn" its:dir="rtl">x</e:p></e:C></rdf:RDF>`,
  } as const;
  for (const [format, document] of Object.entries(documents) as [keyof typeof documents, string][]) {
    const kept = (await read(document, { format })).at(-1)?.object;
    assert.ok(kept?.equals(terms.literal('x', { language: 'en-latn', direction: 'rtl' })), format);
    assert.equal((kept as Literal).language, 'EN-Latn', format);
    const dropped = (await read(document, { format, directions: 'drop' })).at(-1)?.object;
    assert.ok(dropped?.equals(terms.literal('x', 'en-latn')), format);
  }
});

test('JSON-LD: a loader gives remote contexts, once each; without one nothing is fetched', async () => {
  const node = (n: number): string => `{"@context":"http://c/${n % 2}","@id":"http://a/${n}","name":"x"}`;
  const document = `[${Array.from({ length: 450 }, (_, n) => node(n)).join(',')}]`;
  const loads: string[] = [];
  const remoteContexts = async (url: string): Promise<unknown> => {
    loads.push(url);
    return { '@context': { name: 'http://p/name' } };
  };
  const quads = await read(document, { format: 'jsonld', jsonLd: { remoteContexts } });
  assert.equal(quads.length, 450);
  assert.deepEqual(loads.sort(), ['http://c/0', 'http://c/1']);
});

test('JSON-LD: what is left out by the algorithms can be left out', async () => {
  const document =
    '[{"@id":"no iri","http://p/":"x"},{"@id":"http://a/","http://p/":{"@value":"x","@language":"a_b"}}]';
  assert.deepEqual(await read(document, { format: 'jsonld', jsonLd: { invalidTerms: 'drop' } }), []);
});

test('JSON-LD: lists stand in the graph that uses them', async () => {
  const documents = [
    '{"@id":"http://g/","@graph":[{"@id":"http://s/","http://p/":{"@list":[{"http://q/":1},{"@list":[2]}]}}]}',
    '{"@context":{"p":{"@id":"http://p/","@container":"@list"}},"@graph":[{"@id":"http://s/","p":[{"http://q/":1},[2]]}],"@id":"http://g/"}',
  ];
  const expected = `<http://g/> { <http://s/> <http://p/> ([ <http://q/> 1 ] (2)) }`;
  for (const document of documents) {
    const quads = await read(document, { format: 'jsonld' });
    assert.ok(await sameDataset(quads, await read(expected, { format: 'trig' })), document);
  }
  const lost = '{"@id":"http://a/","http://p/":{"@set":[{"@list":["x"]}]}}';
  await assert.rejects(read(lost, { format: 'jsonld' }), { code: 'unsupported', message: /@set/ });
});

test('JSON-LD: numbers', async () => {
  const document = '[{"@id":"http://a/","http://p/":[1, 1.0, -0, 1.5, 12345678901234567890, 1e21, true]}]';
  assert.deepEqual(
    (await read(document, { format: 'jsonld' })).map(({ object }) => object.value),
    ['1', '1', '0', '1.5E0', '12345678901234567000', '1.0E21', 'true'],
  );
});

test('JSON-LD: long documents are read in parts, with the places of errors right', async () => {
  const nodes = (count: number): string =>
    Array.from({ length: count }, (_, n) => `{"@id":"http://a/${n}",\n"name":"${'n'.repeat(300)}"}`).join(',\n');
  const context = '{"name":"http://p/name"}';
  for (const document of [
    `{ "@context" : ${context} , "@graph" : [ ${nodes(6_000)} ] }`,
    `{"@context":${context},"@graph":[${nodes(300)}]}`,
  ]) {
    const quads = await read(document, { format: 'jsonld' });
    assert.equal(quads.length, document.length > 1_000_000 ? 6_000 : 300);
    const broken = document.replace('"http://a/290"', '"http://a/290", "@type": 5');
    await assert.rejects(read(broken, { format: 'jsonld' }), (error: { position: { line: number } }) => {
      assert.equal(error.position.line, 581);
      return true;
    });
  }
  const late = `{"@context":${context},"@graph":[${nodes(6_000)}],"@id":"http://g/"}`;
  await assert.rejects(read(late, { format: 'jsonld' }), { code: 'parse_error', message: /last key/ });
  const whole = `{"@id":"http://a/","http://p/":[${'"x",'.repeat(500_000)}"y"]}`;
  const limited = read(whole, { format: 'jsonld', jsonLd: { documentCharactersMax: 1_000_000 } });
  await assert.rejects(limited, { code: 'limit_exceeded', hint: /documentCharactersMax \(1000000\)/ });
});

test('FIBO reads as another engine reads it', { skip: sharedFolder() === null && SHARED_ABSENT }, async () => {
  const folder = join(sharedFolder()!, 'data');
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.rdf'))
    .sort();
  assert.equal(files.length, 294);
  // Every seventh file, so that the test stays quick; the files that differ most in style are all in.
  for (const file of files.filter((_, index) => index % 7 === 0)) {
    const path = join(folder, file);
    const baseIri = pathToFileURL(path).href;
    const ours = await readDocument(readFileSync(path), {
      format: 'rdfxml',
      sourceName: file,
      baseIri,
      blankNode: verbatim(),
    });
    const theirs = parse(readFileSync(path, 'utf8'), { format: 'application/rdf+xml', base_iri: baseIri });
    assert.ok(await sameDataset(ours, theirs as unknown as Quad[]), file);
  }
});

test('numbers and booleans of JSON-LD beside a datatype are literals by the rules of JSON-LD, in every store', async () => {
  const XSD = 'http://www.w3.org/2001/XMLSchema#';
  const cases: readonly (readonly [unknown, string, string])[] = [
    [5, `${XSD}integer`, '5'],
    [-0, `${XSD}integer`, '0'],
    [123456789012345680000, `${XSD}integer`, '123456789012345683968'],
    [1e21, `${XSD}integer`, '1.0E21'],
    [5.5, `${XSD}decimal`, '5.5E0'],
    [5, `${XSD}double`, '5.0E0'],
    [0.1, `${XSD}double`, '1.0E-1'],
    [Number.POSITIVE_INFINITY, `${XSD}double`, 'INF'],
    [true, `${XSD}boolean`, 'true'],
    [false, 'http://ex/t', 'false'],
    [7, `${XSD}string`, '7'],
  ];
  for (const [value, type, lexical] of cases) {
    // JSON has no infinity, and a number that is too large for a double.
    const text = `{"@id":"http://a/","http://p/":{"@value":${value === Infinity ? '1e400' : JSON.stringify(value)},"@type":"${type}"}}`;
    const [quad] = await read(text, { format: 'jsonld' });
    const { object } = quad as { object: { value: unknown; datatype: { value: string } } };
    assert.deepEqual([object.value, object.datatype.value], [lexical, type]);
  }
  const context = `{"@context":{"n":{"@id":"http://n/","@type":"${XSD}integer"}},"@id":"http://a/","n":5}`;
  assert.deepEqual(await objects(context, 'jsonld'), await objects('<http://a/> <http://n/> 5 .', 'turtle'));
});

test('JSON-LD over which its library stumbles is an error of the document, at its place', async () => {
  const broken = [
    '{"@context":{"@vocab":5,"p":{"@reverse":"http://r/"}},"@id":"http://a/"}',
    '{"@context":{"@vocab":"http://v/","t":{"@id":"http://t/","@type":"@json"}},"@nest":{"@list":"_:b","@id":""},"@id":""}',
  ];
  for (const text of broken) {
    await assert.rejects(read(text, { format: 'jsonld' }), {
      code: 'parse_error',
      message: /no JSON-LD that can be understood/,
    });
  }
});
