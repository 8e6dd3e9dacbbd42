/** Random terms for properties: every kind, with content that is hard to write down, triple terms in triple terms. */

import fc from 'fast-check';
import { type Literal, type NamedNode, type Quad, type Term, terms, XSD } from '../../../engine/rdf/terms.js';
import { quad } from '../scan-support.js';

/** Code points of every plane, none of which is half of a pair. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\r', '\t', '\u0000', '\u0001', '>', ' ', ')>>', 'u0041', 'd') }),
);

export const iri: fc.Arbitrary<NamedNode> = fc
  .constantFrom('a', 'b', 'é', '漢字', 'x#y', 'x?q=1&r', "o'clock", '\u{1f600}', 'a(b)')
  .map((name) => terms.namedNode(`http://example.org/${name}`));

const blank = fc.constantFrom('b', 'b1', 'x.y', 'd0123456789abcdefa0', 'é').map((label) => terms.blankNode(label));

export const literal: fc.Arbitrary<Literal> = fc.oneof(
  text.map((value) => terms.literal(value)),
  fc.tuple(text, fc.constantFrom('en', 'de-ch', 'zh-hant-tw')).map(([value, tag]) => terms.literal(value, tag)),
  fc
    .tuple(text, fc.constantFrom('ltr', 'rtl'))
    .map(([value, direction]) => terms.literal(value, { language: 'ar', direction: direction as 'ltr' | 'rtl' })),
  fc
    .tuple(fc.oneof(text, fc.constantFrom('1', '01', 'true', '1.50')), fc.constantFrom('integer', 'decimal', 'boolean'))
    .map(([value, type]) => terms.literal(value, terms.namedNode(XSD + type))),
  text.map((value) => terms.literal(value, terms.namedNode('http://example.org/type#é'))),
);

const resource = fc.oneof(iri, blank);

export const triple: fc.Arbitrary<Quad> = fc.letrec<{ triple: Quad; object: Term }>((tie) => ({
  object: fc.oneof({ depthSize: 'small' }, iri, blank, literal, tie('triple')),
  triple: fc.tuple(resource, iri, tie('object')).map(([s, p, o]) => quad(s, p, o)),
})).triple;

/** Quads, most of them with a triple term. */
export const quads: fc.Arbitrary<Quad[]> = fc.array(
  fc
    .tuple(
      resource,
      iri,
      fc.oneof({ weight: 4, arbitrary: triple }, { weight: 1, arbitrary: fc.oneof(iri, blank, literal) }),
      fc.oneof(fc.constant(terms.defaultGraph()), iri, blank),
    )
    .map(([s, p, o, g]) => quad(s, p, o, g)),
  { maxLength: 24 },
);
