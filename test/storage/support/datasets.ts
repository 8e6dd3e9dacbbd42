/**
 * Random quads for stores: few terms that meet often, many graphs, terms that are prefixes of each
 * other, text of every plane, and literals of every datatype in usual and unusual spellings.
 */

import fc from 'fast-check';
import { type Quad, type Term, terms } from '../../../engine/rdf/terms.js';
import { DATATYPES } from '../../../engine/storage/ids/layout.js';
import { quad } from '../scan-support.js';

/** Pieces that make prefixes of each other, and the ends of front-coded groups. */
const PIECES = ['a', 'aa', 'aaa', 'b', '/', '#', '%20', 'é', '\u{1F600}', '\u{10FFFD}', '\uFFFD', '中', '0', '-', '~'];
const TEXTS = [
  '',
  ' ',
  '\n',
  '\t',
  '"',
  '\\',
  '\r',
  '\u0001',
  '\u007f',
  '\u0000x',
  '\u{1F468}\u200D\u{1F469}',
  '\uFEFF',
  'e\u0301',
];
const LEXICALS = [
  '0',
  '-0',
  '+1',
  '1',
  '01',
  '-1',
  '127',
  '140737488355327',
  '140737488355328',
  '-140737488355328',
  '-140737488355329',
  '99999999999999999999999999',
  '1.0',
  '1.',
  '.5',
  '-.5',
  '12.30',
  '0.000000000000000001',
  '1e0',
  '1.0E0',
  '1.5e-300',
  '1E400',
  'INF',
  '-INF',
  '+INF',
  'NaN',
  'true',
  'false',
  'TRUE',
  '2024-02-29',
  '2023-02-29',
  '2024-02-29Z',
  '2024-02-29+05:45',
  '-0001-01-01',
  '0000-01-01',
  '12024-01-01',
  '2024-02-29T23:59:59',
  '2024-02-29T24:00:00Z',
  '2024-02-29T12:00:00.123Z',
  '2024-02-29T12:00:00.1230-00:00',
  '2024-02-29T12:00:00+14:00',
  '12:00:00',
  'P1Y',
  'PT1.5S',
  '2024',
  '--02-29',
  'not a value',
  '',
  ' 1 ',
  '1 ',
  '2024-02-29T12:00:60Z',
];
const LANGUAGES = ['en', 'EN', 'en-GB', 'de', 'zh-Hant-TW', 'x-a'];

const word = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join(''));
const text = fc.oneof(
  word,
  fc.array(fc.constantFrom(...TEXTS, ...PIECES), { maxLength: 5 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.nat(3).map((n) => 'long text '.repeat(100 * 4 ** n)),
);

const iri = word.map((end) => terms.namedNode(`http://e/${end}`));
const blank = fc.constantFrom('b', 'b1', 'b10', 'x.y', 'é').map((label) => terms.blankNode(label));
const literal: fc.Arbitrary<Term> = fc.oneof(
  text.map((value) => terms.literal(value)),
  fc.tuple(text, fc.constantFrom(...LANGUAGES)).map(([value, language]) => terms.literal(value, language)),
  fc
    .tuple(text, fc.constantFrom('ltr', 'rtl'))
    .map(([value, direction]) => terms.literal(value, { language: 'ar', direction: direction as 'ltr' | 'rtl' })),
  fc
    .tuple(fc.constantFrom(...LEXICALS), fc.constantFrom(...DATATYPES.slice(1)))
    .map(([value, datatype]) => terms.literal(value, terms.namedNode(datatype))),
  fc.tuple(text, word).map(([value, end]) => terms.literal(value, terms.namedNode(`http://type/${end}`))),
  fc.integer().map((value) => terms.literal(String(value), terms.namedNode(DATATYPES[1] as string))),
);

/** `graphs`: how many named graphs there may be. */
export function quadsOf(options: { readonly graphs: number; readonly maxLength: number }): fc.Arbitrary<Quad[]> {
  const graph = fc.oneof(
    { weight: 2, arbitrary: fc.constant<Term>(terms.defaultGraph()) },
    { weight: 3, arbitrary: fc.nat(options.graphs).map((n) => terms.namedNode(`http://g/${n.toString(3)}`)) },
  );
  const one = fc
    .tuple(
      fc.oneof({ weight: 3, arbitrary: iri }, { weight: 1, arbitrary: blank }),
      iri,
      fc.oneof(iri, blank, literal),
      graph,
    )
    .map(([s, p, o, g]) => quad(s, p, o, g));
  return fc.array(one, { maxLength: options.maxLength, size: 'max' });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must be escaped
const UNWRITABLE = /[\n\r"\\\u0000]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
  '\u0000': '\\u0000',
};

function written(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `<${term.value}>`;
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal': {
      const lexical = `"${term.value.replace(UNWRITABLE, (character) => ESCAPES[character] as string)}"`;
      if (term.direction) return `${lexical}@${term.language}--${term.direction}`;
      return term.language ? `${lexical}@${term.language}` : `${lexical}^^<${term.datatype.value}>`;
    }
    default:
      return '';
  }
}

/** Quads as N-Quads, every literal with its datatype. */
export function toNQuads(quads: readonly Quad[]): Uint8Array {
  const lines = quads.map((it) => `${[it.subject, it.predicate, it.object, it.graph].map(written).join(' ')} .\n`);
  return new TextEncoder().encode(lines.join(''));
}
