/**
 * Random quads over a small vocabulary of every kind of term, so that the same quads come again and again,
 * and random times, far apart and out of order.
 */

import { INSTANT_MAX } from '../../../engine/base/instant.js';
import { type Quad, type Term, terms } from '../../../engine/rdf/terms.js';
import { node, quad, typed } from '../scan-support.js';
import type { ModelOptions } from './row-model.js';

export type Random = (below: number) => number;

export interface Vocabulary {
  readonly subjects: readonly Term[];
  readonly predicates: readonly Term[];
  readonly objects: readonly Term[];
  readonly graphs: readonly Term[];
}

/** A graph that grows large; loads give it a partition of its own. */
export const LARGE = node('large');

export function pick<Kind>(list: readonly Kind[], next: Random): Kind {
  return list[next(list.length)] as Kind;
}

function literals(count: number): Term[] {
  const dirLangString = terms.literal('right to left', { language: 'ar', direction: 'rtl' });
  return [
    ...Array.from({ length: count }, (_, value) => typed(String(value - 3), 'integer')),
    ...['007', '+7', '123456789012345678901234567890'].map((text) => typed(text, 'integer')),
    ...['1', '-1'].map((text) => typed(text, 'unsignedByte')),
    ...['0.5', '2.50', '-0.0', '1.'].map((text) => typed(text, 'decimal')),
    ...['1.5', '1.5e0', 'NaN', 'INF'].map((text) => typed(text, 'double')),
    ...['true', '0', 'maybe'].map((text) => typed(text, 'boolean')),
    ...['2024-02-29', '2024-02-29Z', '2023-02-29', '-0001-01-01'].map((text) => typed(text, 'date')),
    ...['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00+05:30'].map((text) =>
      typed(text, 'dateTime'),
    ),
    terms.literal(''),
    terms.literal('text'),
    terms.literal('text', 'en'),
    terms.literal('text', 'EN-gb'),
    dirLangString,
    terms.literal('of its own kind', node('datatype')),
    terms.literal('lines\nand "quotes" and \\ and \u{1f600} and \u0001'),
    terms.literal(`long ${'and longer '.repeat(900)}`),
    typed('not base 64', 'base64Binary'),
  ];
}

export function vocabulary(size: number, tripleTerms: boolean): Vocabulary {
  const things = Array.from({ length: size }, (_, i) => node(`thing/${i}/${'x'.repeat((i * 7) % 40)}`));
  const blanks = Array.from({ length: 4 }, (_, i) => terms.blankNode(`b${i}`));
  const triples = [
    quad(node('a'), node('b'), node('c')),
    quad(terms.blankNode('b1'), node('b'), terms.literal('within', 'en')),
    quad(node('a'), node('says'), quad(node('a'), node('b'), typed('5', 'integer'))),
  ];
  const small = Array.from({ length: 2 * size }, (_, i) => node(`graph/${i}`));
  const root = terms.defaultGraph();
  return {
    subjects: [...things, ...blanks],
    predicates: Array.from({ length: 5 }, (_, i) => node(`predicate/${i}`)),
    objects: [...things.slice(0, size / 2), ...blanks, ...literals(size), ...(tripleTerms ? triples : [])],
    graphs: [...Array.from({ length: size }, () => root), ...Array.from({ length: size }, () => LARGE), ...small],
  };
}

export function randomQuads(words: Vocabulary, next: Random, count: number): Quad[] {
  const quads: Quad[] = [];
  while (quads.length < count) {
    const made = quad(
      pick(words.subjects, next),
      pick(words.predicates, next),
      pick(words.objects, next),
      pick(words.graphs, next),
    );
    quads.push(made);
    // The same triple in several graphs.
    if (next(4) === 0) quads.push(quad(made.subject, made.predicate, made.object, pick(words.graphs, next)));
  }
  return quads.slice(0, count);
}

/** A quad with a term that no other has. */
export function freshQuad(words: Vocabulary, next: Random, number: number): Quad {
  const fresh = [node(`fresh/${number}`), terms.literal(`fresh ${number}`), terms.blankNode(`fresh${number}`)];
  return quad(
    pick(words.subjects, next),
    pick(words.predicates, next),
    pick(fresh, next),
    next(30) === 0 ? node(`fresh-graph/${number}`) : pick(words.graphs, next),
  );
}

/** Instants of the years 0000 and 9999, and around now. */
export const INSTANTS = [-62_167_219_200, -1, 0, 1, 1_000_000, 1_700_000_000, 1_760_000_000, 253_402_300_799];
export const SOURCES = ['a', 'b', 'snapshot:k', 'Ünïcode source', undefined];

export function randomOptions(next: Random): ModelOptions {
  return {
    timestamp: Math.min(INSTANT_MAX, pick(INSTANTS, next) + next(3) * (next(2) === 0 ? 0 : 1)),
    validFrom: next(2) === 0 ? undefined : pick(INSTANTS, next),
    actor: next(3) === 0 ? 'ana' : undefined,
    source: pick(SOURCES, next),
  };
}
