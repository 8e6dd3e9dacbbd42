/** What the tests of the formats share: reading and writing in memory, in pieces of any size, and random datasets. */

import fc from 'fast-check';
import { type ReadOptions, readQuads } from '../../engine/rdf/formats/reader.js';
import { type WriteOptions, writeQuads } from '../../engine/rdf/formats/writer.js';
import { type Quad, type RDF, RDF_NS, terms, XSD } from '../../engine/rdf/terms.js';

/** Bytes in chunks of a given size, as a file or a socket would give them. */
export async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Labels as written; anonymous nodes numbered, with a name that no label can have. */
export function verbatim(): ReadOptions['blankNode'] {
  let anonymous = 0;
  return (label) => terms.blankNode(label ?? `.${anonymous++}`);
}

export async function read(
  document: string | Uint8Array,
  options: Omit<ReadOptions, 'sourceName' | 'blankNode'>,
  chunkSize = 65_536,
): Promise<Quad[]> {
  const bytes = typeof document === 'string' ? bytesOf(document) : document;
  const quads: Quad[] = [];
  const batches = readQuads(inChunks(bytes, chunkSize), { sourceName: 'doc', blankNode: verbatim(), ...options });
  for await (const batch of batches) quads.push(...batch);
  return quads;
}

export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}

export async function write(quads: readonly Quad[], options: WriteOptions): Promise<string> {
  return (await collect(writeQuads([quads], options))).toString('utf8');
}

/** What a random dataset may contain, so that it fits a format. */
export interface Shape {
  readonly namedGraphs: boolean;
  readonly tripleTerms: boolean;
  /** Only strings, predicates and language tags that XML can say. */
  readonly xml: boolean;
}

const oddCharacters = [
  'é',
  'ß',
  '中',
  '\u{1f600}',
  '\u{10ffff}',
  '\ufffd',
  '\u200d',
  '\u0301',
  '\ue000',
  '\ud7ff',
  '\u00a0',
];
const iriCharacters = fc.constantFrom(..."abcXYZ019-._~!$&'()*+,;=:@/?%", ...oddCharacters);
const iri = fc
  .tuple(
    fc.constantFrom('http://example.org/', 'http://example.org/ns#', 'urn:x:', 'HTTP://é.example/', 'a+b-c.d:'),
    fc.array(iriCharacters, { maxLength: 8 }),
  )
  .map(([start, rest]) => terms.namedNode(start + rest.join('')));

const xmlName = fc
  .tuple(
    fc.constantFrom('a', '_', 'é', '\u{10000}', '中'),
    fc.array(fc.constantFrom('b', '1', '-', '.', 'é', '·'), { maxLength: 4 }),
  )
  .map(([first, rest]) => first + rest.join(''));
const xmlPredicate = fc
  .tuple(fc.constantFrom('http://example.org/', 'http://example.org/ns#', 'urn:x&y:'), xmlName)
  .map(([namespace, name]) => terms.namedNode(namespace + name));

const label = fc
  .tuple(
    fc.constantFrom('a', '0', '_', 'é', '\u{1f600}', 'x.y', 'd0123456789abcdef-'),
    fc.constantFrom('', 'b', '.c', '-', '··', '9'),
  )
  .map((parts) => parts.join(''));
const blank = label.map((text) => terms.blankNode(text));

const plainCharacters = [
  'a',
  ' ',
  '"',
  "'",
  '\\',
  '<',
  '>',
  '&',
  ']]>',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '#',
  '@',
  ...oddCharacters,
];
const controls = ['\u0000', '\u0008', '\u000b', '\u000c', '\u001f', '\u007f', '\ufffe', '\uffff'];
const datatype = fc.constantFrom(
  `${XSD}integer`,
  `${XSD}date`,
  `${RDF_NS}JSON`,
  `${RDF_NS}XMLLiteral`,
  `${RDF_NS}HTML`,
  'urn:x:datatype',
);

function literal(shape: Shape): fc.Arbitrary<RDF.Literal> {
  const characters = fc.constantFrom(...plainCharacters, ...(shape.xml ? ['\u007f'] : controls));
  const text = fc.array(characters, { maxLength: 8 }).map((parts) => parts.join(''));
  const language = fc.constantFrom('en', 'de-CH-1996', 'x-private', 'zh-Hant');
  return fc.oneof(
    text.map((value) => terms.literal(value)),
    fc.tuple(text, language).map(([value, tag]) => terms.literal(value, tag)),
    fc
      .tuple(text, language, fc.constantFrom('ltr' as const, 'rtl' as const))
      .map(([value, tag, direction]) => terms.literal(value, { language: tag, direction })),
    fc.tuple(text, datatype).map(([value, type]) => terms.literal(value, terms.namedNode(type))),
  );
}

function quad(shape: Shape): fc.Arbitrary<Quad> {
  const node = fc.oneof(iri, blank);
  const predicate = fc.oneof(shape.xml ? xmlPredicate : iri, fc.constant(terms.namedNode(`${RDF_NS}type`)));
  const simple = fc.oneof(node, literal(shape));
  const triple = fc
    .tuple(node, predicate, simple)
    .map(([subject, verb, object]) => terms.quad(subject, verb, object) as RDF.Quad_Object);
  const object = shape.tripleTerms
    ? fc.oneof({ weight: 5, arbitrary: simple }, { weight: 1, arbitrary: triple })
    : simple;
  const graph = shape.namedGraphs
    ? fc.oneof(fc.constant(terms.defaultGraph()), node)
    : fc.constant(terms.defaultGraph());
  return fc.tuple(node, predicate, object, graph).map(([s, p, o, g]) => terms.quad(s, p, o, g));
}

export function dataset(shape: Shape): fc.Arbitrary<Quad[]> {
  return fc.array(quad(shape), { maxLength: 12 });
}
