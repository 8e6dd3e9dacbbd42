/**
 * What bad input gets: every case ends in an `SvcError` with source, line, column and an excerpt that
 * shows the place. Columns count code points from 1.
 *
 * Length: one table of cases.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { readQuads } from '../../engine/rdf/formats/reader.js';
import type { Format } from '../../engine/rdf/formats/registry.js';
import { bytesOf, read, verbatim } from './documents.js';

interface Case {
  readonly name: string;
  readonly format: Format;
  readonly document: string | Uint8Array;
  /** `line:column`, or a pattern for them. */
  readonly at: string;
  readonly message: RegExp;
  readonly code?: string;
}

const A = '<http://a/>';
const XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">\n';

function xmlWithEntities(declarations: string, text: string): string {
  return `<!DOCTYPE rdf:RDF [\n${declarations}\n]>\n${XML}<e:C rdf:about="http://a/"><e:p>${text}</e:p></e:C></rdf:RDF>`;
}

const laughs = Array.from({ length: 12 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('\n');

const CASES: readonly Case[] = [
  {
    name: 'string that is not closed',
    format: 'turtle',
    document: `${A} ${A} "abc\n${A} ${A} ${A} .`,
    at: '1:25',
    message: /unexpected "abc/,
  },
  {
    name: 'column in code points',
    format: 'turtle',
    document: `${A} ${A} "\u{1f600}é", foo:x .`,
    at: '1:31',
    message: /undefined prefix "foo:"/,
  },
  {
    name: 'missing dot',
    format: 'turtle',
    document: `${A} ${A} ${A}\n${A} ${A} ${A} .`,
    at: '2:1',
    message: /expected \. ; or ,/,
  },
  { name: 'end too early', format: 'turtle', document: `${A} ${A} `, at: '1:25', message: /end of the document/ },
  {
    name: 'unclosed graph',
    format: 'trig',
    document: `${A} {\n${A} ${A} "x"`,
    at: '2:28',
    message: /end of the document/,
  },
  {
    name: 'CRLF lines are counted once',
    format: 'turtle',
    document: `${A} ${A} 1 .\r\n\r\n${A} ${A} b .`,
    at: '3:25',
    message: /unexpected b/,
  },
  {
    name: 'relative IRI without a base',
    format: 'turtle',
    document: `${A} <b> ${A} .`,
    at: '1:13',
    message: /<b> is relative/,
  },
  { name: 'relative IRI in N-Triples', format: 'ntriples', document: `${A} <b> ${A} .`, at: '1:13', message: /<b>/ },
  {
    name: 'space in an IRI',
    format: 'turtle',
    document: `${A} ${A} <http://b/c d> .`,
    at: '1:25',
    message: /malformed IRI <http:\/\/b\/c/,
  },
  {
    name: 'escaped space in an IRI',
    format: 'ntriples',
    document: `${A} <http://b/\\u0020c> ${A} .`,
    at: '1:13',
    message: /malformed IRI/,
  },
  {
    name: 'language tag',
    format: 'nquads',
    document: `${A} ${A} "x"@abcdefghij .`,
    at: '1:28',
    message: /longer than 8/,
  },
  {
    name: 'language tag with an underscore',
    format: 'turtle',
    document: `${A} ${A} "x"@en_US .`,
    at: '1:31',
    message: /unexpected _US/,
  },
  {
    name: 'explicit rdf:langString',
    format: 'turtle',
    document: `${A} ${A} "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .`,
    at: '1:30',
    message: /langu/,
  },
  {
    name: 'two statements on a line',
    format: 'ntriples',
    document: `${A} ${A} "x" . ${A} ${A} "y" .`,
    at: '1:31',
    message: /a line of its own/,
  },
  {
    name: 'statement over a line end',
    format: 'nquads',
    document: `${A} ${A}\n "x" .`,
    at: '2:2',
    message: /over the end of its line/,
  },
  { name: 'label that ends in a dot', format: 'turtle', document: `_:a. ${A} "x" .`, at: '1:4', message: /unexpected/ },
  {
    name: 'literal as a graph',
    format: 'nquads',
    document: `${A} ${A} "x" "g" .`,
    at: '1:29',
    message: /found a literal/,
  },
  {
    name: 'place on a later line of a long document',
    format: 'nquads',
    document: `${`${A} ${A} "x" .\n`.repeat(50_000)}${A} oops\n`,
    at: '50001:13',
    message: /unexpected oops/,
  },
  {
    name: 'invalid UTF-8',
    format: 'ntriples',
    document: Buffer.concat([bytesOf(`${A} ${A} "x" .\n${A} ${A} "é`), Buffer.of(0xff), bytesOf('" .\n')]),
    at: '2:27',
    message: /invalid UTF-8 \(byte 0xff\)/,
    code: 'invalid_utf8',
  },
  {
    name: 'surrogate as UTF-8',
    format: 'turtle',
    document: Buffer.concat([bytesOf(`${A} ${A} "`), Buffer.of(0xed, 0xa0, 0x80), bytesOf('" .\n')]),
    at: '1:26',
    message: /invalid UTF-8/,
    code: 'invalid_utf8',
  },
  {
    name: 'character cut at the end',
    format: 'jsonld',
    document: Buffer.concat([bytesOf('{"a":"'), Buffer.of(0xe2, 0x82)]),
    at: '1:7',
    message: /invalid UTF-8/,
    code: 'invalid_utf8',
  },
  {
    name: 'UTF-16 with a mark',
    format: 'turtle',
    document: Buffer.from(`\ufeff${A} ${A} 1 .`, 'utf16le'),
    at: '1:1',
    message: /UTF-16/,
  },
  {
    name: 'UTF-16 without a mark',
    format: 'rdfxml',
    document: Buffer.from('<?xml version="1.0"?>', 'utf16le'),
    at: '1:1',
    message: /UTF-16/,
  },
  {
    name: 'gzip that does not say so',
    format: 'turtle',
    document: Buffer.of(0x1f, 0x8b, 8, 0, 0),
    at: '1:1',
    message: /gzip data/,
  },
  {
    name: 'binary file',
    format: 'turtle',
    document: Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7919 + 5) % 256)),
    at: '1:\\d+',
    message: /binary file/,
    code: 'invalid_utf8',
  },
  {
    name: 'an executable',
    format: 'ntriples',
    document: Buffer.concat([Buffer.of(0x7f, 0x45, 0x4c, 0x46), Buffer.alloc(100)]),
    at: '1:1',
    message: /executable/,
  },
  { name: 'XML: empty document', format: 'rdfxml', document: '', at: '1:1', message: /root element/ },
  {
    name: 'XML: cut short',
    format: 'rdfxml',
    document: `${XML}<e:C rdf:about="http://a/"><e:p>x</e:p>`,
    at: '2:\\d+',
    message: /unclosed tag: e:C/,
  },
  {
    name: 'XML: wrong end tag',
    format: 'rdfxml',
    document: `${XML}<e:C></e:D></rdf:RDF>`,
    at: '2:\\d+',
    message: /close tag/,
  },
  {
    name: 'XML: relative IRI without a base',
    format: 'rdfxml',
    document: `${XML} <e:C rdf:about="foo"/></rdf:RDF>`,
    at: '2:2',
    message: /<foo> is relative/,
  },
  {
    name: 'XML: illegal IRI',
    format: 'rdfxml',
    document: `${XML}\n  <e:C rdf:about="http://a/b c"/></rdf:RDF>`,
    at: '3:3',
    message: /no IRI may have \(U\+0020\)/,
  },
  {
    name: 'XML: language tag',
    format: 'rdfxml',
    document: `${XML}<e:C><e:p xml:lang="en_US">x</e:p></e:C></rdf:RDF>`,
    at: '2:\\d+',
    message: /"en_US" is not a language tag/,
  },
  {
    name: 'XML: text beside elements',
    format: 'rdfxml',
    document: `${XML}<e:C><e:p>lost <e:D/></e:p></e:C></rdf:RDF>`,
    at: '2:\\d+',
    message: /text has no place here: "lost"/,
  },
  {
    name: 'XML: text between nodes',
    format: 'rdfxml',
    document: `${XML}lost<e:C/></rdf:RDF>`,
    at: '2:\\d+',
    message: /text has no place here: "lost"/,
  },
  {
    name: 'XML: text in an empty element',
    format: 'rdfxml',
    document: `${XML}<e:C><e:p rdf:resource="http://b/">lost</e:p></e:C></rdf:RDF>`,
    at: '2:\\d+',
    message: /e:p has rdf:resource, so it must be empty: text has no place in it/,
  },
  {
    name: 'XML: element without a namespace',
    format: 'rdfxml',
    document: '<html>\n<body/></html>',
    at: '1:1',
    message: /the element html has no namespace/,
  },
  {
    name: 'XML: attribute without a namespace',
    format: 'rdfxml',
    document: `${XML}\n<e:C about="http://a/"/></rdf:RDF>`,
    at: '3:1',
    message: /the attribute about has no namespace/,
  },
  {
    name: 'XML: reserved name',
    format: 'rdfxml',
    document: `${XML}<rdf:li/></rdf:RDF>`,
    at: '2:1',
    message: /rdf:li can't be the name of a node element/,
  },
  {
    name: 'XML: same rdf:ID twice',
    format: 'rdfxml',
    document: `${XML.replace('>\n', ' xml:base="http://b/">\n')}<e:C rdf:ID="x"/>\n<e:C rdf:ID="x"/></rdf:RDF>`,
    at: '3:1',
    message: /rdf:ID="x" is given twice/,
  },
  {
    name: 'XML: unknown entity',
    format: 'rdfxml',
    document: xmlWithEntities('', '&x;'),
    at: '5:\\d+',
    message: /undefined entity/,
  },
  {
    name: 'XML: external entity',
    format: 'rdfxml',
    document: xmlWithEntities('<!ENTITY x SYSTEM "file:///etc/passwd">', '&x;'),
    at: '3:\\d+',
    message: /external entity &x; is not read/,
  },
  {
    name: 'XML: parameter entity',
    format: 'rdfxml',
    document: xmlWithEntities('<!ENTITY % x "y">', ''),
    at: '3:\\d+',
    message: /parameter entity/,
  },
  {
    name: 'XML: entity with markup',
    format: 'rdfxml',
    document: xmlWithEntities('<!ENTITY x "<e:q/>">', '&x;'),
    at: '5:\\d+',
    message: /contains markup/,
  },
  {
    name: 'XML: default attributes',
    format: 'rdfxml',
    document: xmlWithEntities('<!ATTLIST e:p xml:lang CDATA "en">', ''),
    at: '3:\\d+',
    message: /ATTLIST/,
  },
  {
    name: 'XML: a billion laughs',
    format: 'rdfxml',
    document: xmlWithEntities(`<!ENTITY l0 "lol">\n${laughs}`, '&l12;'),
    at: '17:\\d+',
    message: /bomb/,
  },
  {
    name: 'XML: quadratic blow-up',
    format: 'rdfxml',
    document: xmlWithEntities(`<!ENTITY l "${'x'.repeat(60_000)}">`, '&l;'.repeat(5_000)),
    at: '5:\\d+',
    message: /50 times its size/,
  },
  {
    name: 'XML: entity of itself',
    format: 'rdfxml',
    document: xmlWithEntities('<!ENTITY x "&y;"><!ENTITY y "&x;">', '&x;'),
    at: '5:\\d+',
    message: /contains itself/,
  },
  {
    name: 'XML: nested without end',
    format: 'rdfxml',
    document: XML + '<e:C><e:p>'.repeat(2_000),
    at: '2:\\d+',
    message: /nested more than 1000 deep/,
  },
  {
    name: 'XML: other encoding',
    format: 'rdfxml',
    document: '<?xml version="1.0" encoding="ISO-8859-1"?><a/>',
    at: '1:1',
    message: /ISO-8859-1/,
    code: 'unsupported',
  },
  { name: 'JSON-LD: empty document', format: 'jsonld', document: '', at: '1:1', message: /not JSON/ },
  {
    name: 'JSON-LD: not JSON',
    format: 'jsonld',
    document: '[{"@id":"http://a/",\n "http://b/": }]',
    at: '2:15',
    message: /not JSON: unexpected "}"/,
  },
  {
    name: 'JSON-LD: comma at the end',
    format: 'jsonld',
    document: '[{"@id":"http://a/"},]',
    at: '1:22',
    message: /not JSON/,
  },
  {
    name: 'JSON-LD: cut short',
    format: 'jsonld',
    document: '[{"@id":"http://a/"}',
    at: '1:21',
    message: /end of the document/,
  },
  { name: 'JSON-LD: goes on after its end', format: 'jsonld', document: '{}\n{}', at: '2:1', message: /after the end/ },
  {
    name: 'JSON-LD: neither object nor array',
    format: 'jsonld',
    document: '"x"',
    at: '1:1',
    message: /an object or an array/,
  },
  {
    name: 'JSON-LD: bad @id',
    format: 'jsonld',
    document: '[{"@id":"http://a/"},\n {"http://b/":[{"@id":5}]}]',
    at: '2:\\d+',
    message: /@id '5'.*\(at \[1\]\.http:\/\/b\/\[0\]/,
  },
  {
    name: 'JSON-LD: remote context',
    format: 'jsonld',
    document: '{"@context":"https://schema.org/","name":"x"}',
    at: '1:13',
    message: /<https:\/\/schema\.org\/> is not fetched/,
  },
  {
    name: 'JSON-LD: relative IRI without a base',
    format: 'jsonld',
    document: '{"@id":"foo","http://b/":"x"}',
    at: '1:8',
    message: /foo \(at \.@id\)/,
  },
  {
    name: 'JSON-LD: illegal IRI',
    format: 'jsonld',
    document: '[{"@id":"http://a/b c",\n"http://b/":"x"}]',
    at: '1:9',
    message: /http:\/\/a\/b c/,
  },
  {
    name: 'JSON-LD: illegal property',
    format: 'jsonld',
    document: '{"http://b c/":"x"}',
    at: '1:\\d+',
    message: /the property <http:\/\/b c\/>/,
  },
  {
    name: 'JSON-LD: language tag',
    format: 'jsonld',
    document: '[{"http://b/":[{"@value":"x","@language":"en_US"}]}]',
    at: '1:\\d+',
    message: /en_US/,
  },
  {
    name: 'JSON-LD: half a surrogate pair',
    format: 'jsonld',
    document: '{"http://b/":"\\ud800"}',
    at: '1:\\d+',
    message: /surrogate/,
  },
  {
    name: 'JSON-LD: illegal label',
    format: 'jsonld',
    document: '{"@id":"_:a b","http://b/":"x"}',
    at: '1:8',
    message: /_:a b is not a legal blank node label/,
  },
  {
    name: 'JSON-LD: nested without end',
    format: 'jsonld',
    document: '['.repeat(100_000),
    at: '1:\\d+',
    message: /nested more than 500 deep/,
    code: 'limit_exceeded',
  },
];

for (const { name, format, document, at, message, code = 'parse_error' } of CASES) {
  test(`${format}: ${name}`, async () => {
    for (const chunkSize of document.length > 10_000 ? [65_536] : [1, 10, 65_536]) {
      await assert.rejects(read(document, { format }, chunkSize), (error: unknown) => {
        assert.ok(error instanceof SvcError, String(error));
        const { position } = error;
        const text = error.describe();
        assert.equal(error.code, code, text);
        assert.match(error.message, message, text);
        assert.equal(position?.source, 'doc');
        assert.match(
          `${position?.line}:${position?.column}`,
          new RegExp(`^${at}$`),
          `${text} (chunks of ${chunkSize})`,
        );
        assert.ok((position?.excerpt ?? '').length <= 120 && !/[\r\n]/.test(position?.excerpt ?? ''), text);
        return true;
      });
    }
  });
}

test('an excerpt shows the offending place of a very long line', async () => {
  const line = `${A} ${A} "${'x'.repeat(500)}" ; <http://p/> OOPS ; ${A} "${'y'.repeat(500)}" .`;
  await assert.rejects(read(line, { format: 'turtle' }), (error: SvcError) => {
    assert.ok(error.position?.excerpt?.includes('OOPS'));
    assert.equal(error.position?.column, line.indexOf('OOPS') + 1);
    return true;
  });
});

test('what is odd but right is read', async () => {
  const cases: [Format, string, number][] = [
    ['ntriples', '', 0],
    ['nquads', '\n# only a comment', 0],
    ['turtle', '\ufeff', 0],
    ['trig', ' ', 0],
    ['jsonld', '[]', 0],
    ['jsonld', '{}', 0],
    ['ntriples', `\ufeff${A} ${A} "x" .\r\n\r\n${A} ${A} "y" . # c\r\n`, 2],
    ['turtle', `${A} ${A} "x"\r, "y" .\r${A} ${A} "z" .`, 3],
    ['ntriples', `${A} ${A} "\u0000 raw controls \u0001" .`, 1],
    ['rdfxml', `\ufeff<?xml version="1.0"?>\r\n${XML}<e:C/></rdf:RDF>\r\n`, 1],
    ['jsonld', '\ufeff{"@id":"http://a/","http://b/":"x","no context defines this":"y"}', 1],
  ];
  for (const [format, document, count] of cases) {
    for (const chunkSize of [1, 65_536])
      assert.equal((await read(document, { format }, chunkSize)).length, count, document);
  }
});

test('a 50 MB literal is read, in every format', async () => {
  const long = 'x'.repeat(50_000_000);
  const documents: [Format, string][] = [
    ['ntriples', `${A} ${A} "${long}" .\n`],
    ['turtle', `${A} ${A} """${long}""" .\n`],
    ['rdfxml', `${XML}<e:C rdf:about="http://a/"><e:p>${long}</e:p></e:C></rdf:RDF>`],
    ['jsonld', `[{"@id":"http://a/","http://b/":[{"@value":"${long}"}]}]`],
  ];
  for (const [format, document] of documents) {
    const quads = await read(document, { format });
    assert.equal(quads.at(-1)?.object.value.length, long.length, format);
  }
});

test('a signal stops the reading', async () => {
  const controller = new AbortController();
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) yield bytesOf(`${A} ${A} "x" .\n`.repeat(1_000));
  };
  let batches = 0;
  const reading = async (): Promise<void> => {
    const options = {
      format: 'ntriples',
      sourceName: 'doc',
      blankNode: verbatim(),
      signal: controller.signal,
    } as const;
    for await (const _ of readQuads(endless(), options)) if (++batches === 3) controller.abort();
  };
  await assert.rejects(reading(), { code: 'aborted' });
  assert.equal(batches, 3);
});

test('reading waits for its consumer', async () => {
  let taken = 0;
  const source = async function* (): AsyncGenerator<Uint8Array> {
    for (const _ of Array.from({ length: 100 })) {
      taken++;
      yield bytesOf(`${A} ${A} "x" .\n`);
    }
  };
  const reading = readQuads(source(), { format: 'turtle', sourceName: 'doc', blankNode: verbatim() });
  await reading.next();
  assert.ok(taken <= 3, `${taken} chunks were taken for one batch`);
  await reading.return(undefined);
});

test('the whole of this file is no RDF', async () => {
  const source = readFileSync(new URL(import.meta.url));
  for (const format of ['ntriples', 'nquads', 'turtle', 'trig', 'rdfxml', 'jsonld'] as const) {
    await assert.rejects(read(source, { format }), { name: 'SvcError', code: 'parse_error' });
  }
});
