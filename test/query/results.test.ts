/** Answers as documents: the escapes of each format, what each holds, and that long answers stay whole. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { executeQuery, type ResultBatch, type SelectResult } from '../../engine/query/query.js';
import { encodeResult } from '../../engine/query/results/encode.js';
import {
  RESULT_FORMAT_NAMES,
  RESULT_FORMATS,
  type ResultFormat,
  takesKind,
} from '../../engine/query/results/formats.js';
import type { FormResult } from '../../engine/query/results/result.js';
import { readDocument } from '../../engine/rdf/formats/reader.js';
import type { Format } from '../../engine/rdf/formats/registry.js';
import { type Term, terms } from '../../engine/rdf/terms.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { comparable } from '../rdf/isomorphism.js';
import { withMadeStores } from './made-terms.js';
import { PREFIXES, storeOf } from './support.js';

const EX = 'http://example.org/';
const XSD = 'http://www.w3.org/2001/XMLSchema#';

/** Rows of made terms; the id of a term is its place in a list. */
function answerOf(
  variables: readonly string[],
  rows: readonly (readonly (Term | null)[])[],
  batchRows = 4096,
): SelectResult {
  const known: Term[] = [];
  const idOf = new Map<Term, number>();
  const number = (term: Term | null): number => {
    if (term === null) return 0;
    const found = idOf.get(term) ?? known.push(term);
    idOf.set(term, found);
    return found;
  };
  async function* batches(): AsyncGenerator<ResultBatch> {
    for (let first = 0; first < rows.length; first += batchRows) {
      const part = rows.slice(first, first + batchRows);
      const columns = variables.map((_, column) =>
        Uint32Array.from({ length: 2 * part.length }, (__, half) =>
          half % 2 === 1 ? 0 : number(part[half / 2]?.[column] ?? null),
        ),
      );
      const decode = (ids: Uint32Array, count: number) =>
        Array.from({ length: count }, (_, at) => known[(ids[2 * at] as number) - 1]);
      yield {
        rows: part.length,
        columns,
        decode,
        stored: () => assert.fail('made terms are in no dictionary'),
        terms: (column) => decode(columns[column] as Uint32Array, part.length),
      };
    }
  }
  const unused = () => assert.fail('only batches are read');
  return { kind: 'select', variables, batches: batches(), rows: unused, profile: unused };
}

async function textOf(chunks: AsyncIterable<string | Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(pieces).toString();
}

/** One row of one variable, without what stands around it. */
async function cell(term: Term, format: 'csv' | 'tsv' | 'xml' | 'table'): Promise<string> {
  const text = await textOf(encodeResult(answerOf(['x'], [[term]]), format));
  switch (format) {
    case 'csv':
      return text.slice('x\r\n'.length, -2);
    case 'tsv':
      return text.slice('?x\n'.length, -1);
    case 'xml':
      return /<binding name="x">(.*)<\/binding>/s.exec(text)?.[1] ?? '';
    case 'table':
      return text.split('\n')[2] as string;
  }
}

const typed = (lexical: string, type: string): Term => terms.literal(lexical, terms.namedNode(XSD + type));

test('CSV: bare values, quoted when they hold a comma, a quote or a line break', async () => {
  const cases: [Term, string][] = [
    [terms.namedNode(`${EX}a`), `${EX}a`],
    [terms.blankNode('b'), '_:b'],
    [terms.literal('plain'), 'plain'],
    [terms.literal(''), ''],
    [terms.literal('a,b'), '"a,b"'],
    [terms.literal('say "x"'), '"say ""x"""'],
    [terms.literal('a\nb'), '"a\nb"'],
    [terms.literal('a\rb'), '"a\rb"'],
    [terms.literal('tab\there'), 'tab\there'],
    [terms.literal('chat', 'fr'), 'chat'],
    [typed('1.0', 'decimal'), '1.0'],
  ];
  for (const [term, expected] of cases) assert.equal(await cell(term, 'csv'), expected);
});

test('TSV: terms as Turtle writes them, on one line', async () => {
  const cases: [Term, string][] = [
    [terms.namedNode(`${EX}a`), `<${EX}a>`],
    [terms.blankNode('b'), '_:b'],
    [terms.literal('a\tb\nc\rd"e\\f'), '"a\\tb\\nc\\rd\\"e\\\\f"'],
    [terms.literal('chat', 'fr'), '"chat"@fr'],
    [terms.literal('x', { language: 'ar', direction: 'rtl' }), '"x"@ar--rtl'],
    [typed('-4', 'integer'), '-4'],
    [typed('4.', 'decimal'), `"4."^^<${XSD}decimal>`],
    [typed('4.5', 'decimal'), '4.5'],
    [typed('1e6', 'double'), '1e6'],
    [typed('INF', 'double'), `"INF"^^<${XSD}double>`],
    [typed('x', 'integer'), `"x"^^<${XSD}integer>`],
    [terms.quad(terms.blankNode('s'), terms.namedNode(`${EX}p`), terms.literal('o')), `<<( _:s <${EX}p> "o" )>>`],
  ];
  for (const [term, expected] of cases) assert.equal(await cell(term, 'tsv'), expected);
});

test('XML: markup is escaped, and what XML cannot write is replaced', async () => {
  const cases: [Term, string][] = [
    [terms.namedNode(`${EX}?a=1&b=2`), `<uri>${EX}?a=1&amp;b=2</uri>`],
    [terms.literal('<a> & "b"\r\n\t'), '<literal>&lt;a&gt; &amp; &quot;b&quot;&#xD;\n\t</literal>'],
    [terms.literal('a\u0000b\u0008\ufffe\ud800c'), '<literal>a\ufffdb\ufffd\ufffd\ufffdc</literal>'],
    [terms.literal('\u{1F600} \u00a0\u0085\u2028'), '<literal>\u{1F600} \u00a0\u0085\u2028</literal>'],
    [terms.literal('x', 'en'), '<literal xml:lang="en">x</literal>'],
    [typed('1', 'integer'), `<literal datatype="${XSD}integer">1</literal>`],
    [terms.blankNode('b'), '<bnode>b</bnode>'],
  ];
  for (const [term, expected] of cases) assert.equal(await cell(term, 'xml'), expected);
});

test('JSON: every string comes back, lone surrogates too', async () => {
  const values = ['plain', '', '"\\\n\r\t\u0000\u001f\u007f', '\u{1F600}\u2028', '\ud800 alone', 'ü'];
  const text = await textOf(
    encodeResult(
      answerOf(
        ['v', 'w'],
        values.map((value) => [terms.literal(value), null]),
      ),
      'json',
    ),
  );
  const { head, results } = JSON.parse(text) as {
    head: unknown;
    results: { bindings: Record<string, { value: string }>[] };
  };
  assert.deepEqual(head, { vars: ['v', 'w'] });
  assert.deepEqual(
    results.bindings.map(({ v }) => v?.value),
    values,
  );
  assert.ok(results.bindings.every((binding) => !('w' in binding)));
});

test('long answers stay whole: terms that return, terms that are pushed out, rows without bindings', async () => {
  const often = terms.namedNode(`${EX}often`);
  const long = terms.literal('x'.repeat(5000));
  const rows = Array.from({ length: 30_000 }, (_, at): (Term | null)[] => [
    at % 3 === 0 ? null : terms.literal(`value ${at}`),
    at % 1000 === 0 ? long : often,
  ]);
  const lines = (await textOf(encodeResult(answerOf(['a', 'b'], rows, 1000), 'tsv'))).split('\n');
  assert.equal(lines.length, 30_002);
  for (let row = 0; row < rows.length; row++) {
    const first = row % 3 === 0 ? '' : `"value ${row}"`;
    assert.equal(lines[row + 1], `${first}\t${row % 1000 === 0 ? `"${long.value}"` : `<${EX}often>`}`);
  }
  const table = await textOf(encodeResult(answerOf(['a', 'b'], [[null, null]]), 'table'));
  assert.equal(table, `a\tb\n${'-'.repeat(40)}\n(unbound)\t(unbound)\n\n1 results\n`);
});

const GRAPH = `
:a :name "Ann \\"A\\"\\n" ; :knows [ :name "Zo\u00eb"@en ] ; :age 30 ; a :Person ; :says <<( :x :y "z" )>> .
:b :name "Bob" .
`;

test('a graph in every format of graphs reads back as the same graph', async () => {
  const text = `${PREFIXES} CONSTRUCT { ?s ?p ?o } { ?s ?p ?o FILTER(!isTRIPLE(?o)) }`;
  const formats = RESULT_FORMAT_NAMES.filter((name) => takesKind(name, 'graph') && name !== 'table') as Format[];
  assert.deepEqual(formats, ['turtle', 'trig', 'ntriples', 'nquads', 'jsonld', 'rdfxml']);
  const snapshot = (await storeOf(GRAPH)).snapshot();
  let first: string | null = null;
  for (const format of formats) {
    const document = await textOf(encodeResult(await executeQuery(snapshot, text), format));
    const blankNode = (label: string | null) => terms.blankNode(label ?? undefined);
    const quads = await readDocument(document, { format, sourceName: format, blankNode });
    assert.equal(quads.length, 6, format);
    const canonical = await comparable(quads);
    first ??= canonical;
    assert.equal(canonical, first, format);
  }
});

test('a graph as lines: canonical N-Triples with triple terms, and the table of the command', async () => {
  const snapshot = (await storeOf(GRAPH)).snapshot();
  const construct = async (text: string, format: ResultFormat): Promise<string> =>
    textOf(encodeResult(await executeQuery(snapshot, PREFIXES + text), format));
  assert.equal(
    await construct('CONSTRUCT { :s :p ?o } { :a :name ?o }', 'ntriples'),
    `<${EX}s> <${EX}p> "Ann \\"A\\"\\n" .\n`,
  );
  assert.equal(
    await construct('CONSTRUCT { :s :p ?o } { :a :says ?o }', 'nquads'),
    `<${EX}s> <${EX}p> <<( <${EX}x> <${EX}y> "z" )>> .\n`,
  );
  assert.equal(
    await construct('CONSTRUCT { :s :p ?o } { :b :name ?o }', 'table'),
    `${EX}s\t${EX}p\t"Bob"\n\n1 triples\n`,
  );
  await assert.rejects(construct('CONSTRUCT { :s :p ?o } { :a :says ?o }', 'jsonld'), { code: 'unsupported' });
});

test('a format that does not fit is refused before anything is read, with those that do', async () => {
  const snapshot = (await storeOf(GRAPH)).snapshot();
  const refused: [string, ResultFormat, RegExp][] = [
    ['ASK {}', 'csv', /one of table, json, xml$/],
    ['ASK {}', 'arrow', /one of table, json, xml$/],
    ['ASK {}', 'turtle', /one of table, json, xml$/],
    ['SELECT * {}', 'ntriples', /one of table, json, xml, csv, tsv, arrow, parquet$/],
    ['CONSTRUCT WHERE { ?s ?p ?o }', 'json', /one of table, turtle, trig, ntriples, nquads, jsonld, rdfxml$/],
    ['DESCRIBE <urn:x>', 'parquet', /one of table, turtle, trig, ntriples, nquads, jsonld, rdfxml$/],
  ];
  for (const [text, format, hint] of refused) {
    const result = await executeQuery(snapshot, text);
    assert.throws(() => encodeResult(result, format), { code: 'invalid_request', hint });
  }
  const rows = await executeQuery(snapshot, 'SELECT * {}');
  assert.throws(() => encodeResult(rows, 'yaml' as ResultFormat), { code: 'unknown_format' });
});

test('each format has a media type and an extension of its own', () => {
  const entries = Object.values(RESULT_FORMATS);
  assert.equal(new Set(entries.map(({ mediaType }) => mediaType)).size, entries.length);
  assert.equal(new Set(entries.map(({ extensions: [first] }) => first)).size, entries.length);
});

test('docs/results.md lists every format with what it holds, its media type and its extension, and no other', () => {
  const page = readFileSync(join(CHECKOUT, 'docs/results.md'), 'utf8');
  const documented = [...page.matchAll(/^\| `(\w+)` \| ([a-z, ]+) \| (\S+\/\S+) \| (\.\w+) \|$/gm)].map((match) =>
    match.slice(1).join(' | '),
  );
  const registered = Object.entries(RESULT_FORMATS).map(([name, { kinds, mediaType, extensions }]) =>
    [name, kinds.join(', '), mediaType, extensions[0]].join(' | '),
  );
  assert.deepEqual(documented, registered);
});

test('documents made of stored bytes are those made of terms', async () => {
  await withMadeStores(async (snapshot, name) => {
    const texts = [
      'SELECT ?s ?p ?o { ?s ?p ?o }',
      'SELECT ?o ?none ?x { ?s ?p ?o OPTIONAL { ?s ?none ?nowhere FILTER(false) } BIND(CONCAT(STR(?o), "\\n,") AS ?x) }',
      'SELECT ?o (?o AS ?again) (?o AS ?more) ?s (?s AS ?same) { ?s ?p ?o }',
      'CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }',
    ];
    for (const text of texts) {
      const terms = await rowsOf(snapshot, text);
      for (const format of RESULT_FORMAT_NAMES.filter((name) =>
        ['table', 'json', 'xml', 'csv', 'tsv', 'ntriples', 'nquads'].includes(name),
      )) {
        const result = await executeQuery(snapshot, text);
        const kind = result.kind === 'graph' ? 'graph' : 'rows';
        if (!takesKind(format, kind)) continue;
        const made = answerOf(result.kind === 'select' ? result.variables : ['s', 'p', 'o'], terms, 700);
        const oracle =
          kind === 'graph' ? { ...made, kind: 'graph' as const, quads: () => assert.fail('not read') } : made;
        const expected = await textOf(encodeResult(oracle as FormResult, format));
        const actual = await textOf(encodeResult(result, format));
        assert.ok(actual === expected, `${text} as ${format} of ${name}: ${difference(actual, expected)}`);
      }
    }
  });
});

async function rowsOf(snapshot: StorageSnapshot, text: string): Promise<(Term | null)[][]> {
  const result = await executeQuery(snapshot, text);
  assert.ok(result.kind !== 'ask');
  const rows: (Term | null)[][] = [];
  for await (const batch of result.batches) {
    const columns = batch.columns.map((_, column) => batch.terms(column));
    for (let row = 0; row < batch.rows; row++) rows.push(columns.map((column) => column[row] ?? null));
  }
  return rows;
}

function difference(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return `${a.slice(at - 40, at + 40)} | ${b.slice(at - 40, at + 40)}`;
}

test('chunks are of a moderate size, end with a row, and stand for themselves', async () => {
  await withMadeStores(async (snapshot) => {
    const result = await executeQuery(snapshot, 'SELECT ?s ?o { ?s ?p ?o }');
    const chunks: Uint8Array[] = [];
    for await (const chunk of encodeResult(result, 'tsv')) chunks.push(chunk as Uint8Array);
    const sizes = chunks.map((chunk) => chunk.length);
    assert.ok(chunks.length > 3 && Math.max(...sizes) < 64 * 1024 && Math.min(...sizes.slice(0, -1)) >= 16 * 1024);
    for (const chunk of chunks) {
      assert.equal(chunk.byteLength, chunk.buffer.byteLength, 'its memory may be handed over');
      assert.ok(Buffer.from(chunk).toString().endsWith('\n'));
    }
  });
});

test('what a LIMIT leaves is all that is decoded', async () => {
  await withMadeStores(async (snapshot) => {
    const before = snapshot.counters.termsDecoded;
    await textOf(encodeResult(await executeQuery(snapshot, 'SELECT ?s ?o { ?s ?p ?o } LIMIT 10'), 'json'));
    assert.ok(snapshot.counters.termsDecoded - before <= 20 + 2);
  });
});

test('a term that many rows have is decoded once', async () => {
  await withMadeStores(async (snapshot) => {
    const result = await executeQuery(snapshot, 'SELECT ?p { ?s ?p ?o }');
    const before = snapshot.counters.termsDecoded;
    await textOf(encodeResult(result, 'csv'));
    assert.ok(snapshot.counters.termsDecoded - before <= 2);
  });
});
