/**
 * The facts of the time benchmark: entities with ten predicates each, every fact with a value per
 * version that follows from its number and version alone. Neighbouring versions differ; versions of a
 * fact with a large range are all different.
 */

import { type Quad, terms } from '../../interfaces/library/index.js';
import { integer, iri, string } from '../data/ntriples.js';

const NAMES = 'http://time.example/';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const XSD = 'http://www.w3.org/2001/XMLSchema#';

type Kind = 'iri' | 'integer' | 'string';

interface PredicateShape {
  readonly iri: string;
  /** Values are 0 to this (exclusive); 0 = as many as there are entities. */
  readonly range: number;
  readonly kind: Kind;
  /** What the IRI of a value begins with, or the text of a string. */
  readonly name: string;
}

const shape = (name: string, range: number, kind: Kind, value: string): PredicateShape => ({
  iri: name === 'type' ? TYPE : `${NAMES}${name}`,
  range,
  kind,
  name: value,
});

export const PREDICATES: readonly PredicateShape[] = [
  shape('type', 20, 'iri', 'Class'),
  shape('partOf', 0, 'iri', 'entity/'),
  shape('locatedIn', 2000, 'iri', 'place/'),
  shape('owner', 5000, 'iri', 'owner/'),
  shape('status', 5, 'iri', 'status/'),
  shape('price', 1_000_000, 'integer', ''),
  shape('count', 1_000_000, 'integer', ''),
  shape('changedBy', 5000, 'iri', 'person/'),
  shape('label', 1_000_000, 'string', 'label of thing'),
  shape('note', 1_000_000, 'string', 'a remark about a thing that somebody made, number'),
];
export const PER_ENTITY = PREDICATES.length;

export const TYPE_AT = 0;
export const PART_OF = 1;
export const LOCATED_IN = 2;
export const STATUS = 4;
export const PRICE = 5;

/** Predicates whose values never come again within a fact, up to so many versions. */
export const LARGE_RANGES: readonly number[] = [2, 3, 5, 6, 7, 8, 9];
export const VERSIONS_MAX = 2000;

export class Facts {
  readonly entities: number;
  readonly count: number;

  /** About so many facts. */
  constructor(facts: number) {
    this.entities = Math.max(10, Math.round(facts / PER_ENTITY));
    this.count = this.entities * PER_ENTITY;
  }

  /** The value of a version as a number; its term follows from it. */
  value(fact: number, version: number): number {
    const { range } = PREDICATES[fact % PER_ENTITY] as PredicateShape;
    const limit = range === 0 ? this.entities : range;
    return (scattered(fact) + version) % limit;
  }

  subject(fact: number): string {
    return entityIri(Math.floor(fact / PER_ENTITY));
  }

  predicate(fact: number): string {
    return (PREDICATES[fact % PER_ENTITY] as PredicateShape).iri;
  }

  quad(fact: number, version: number): Quad {
    return terms.quad(
      terms.namedNode(this.subject(fact)),
      terms.namedNode(this.predicate(fact)),
      toTerm(fact % PER_ENTITY, this.value(fact, version)),
    );
  }

  /** Subject, predicate and object in N-Triples. */
  written(fact: number, version: number): readonly [string, string, string] {
    const object = toText(fact % PER_ENTITY, this.value(fact, version));
    return [`<${this.subject(fact)}>`, `<${this.predicate(fact)}>`, object];
  }
}

function entityIri(entity: number): string {
  return `${NAMES}entity/${entity}`;
}

function toText(predicate: number, value: number): string {
  const { kind, name } = PREDICATES[predicate] as PredicateShape;
  if (kind === 'iri') return iri(`${NAMES}${name}${value}`);
  return kind === 'integer' ? integer(value) : string(`${name} ${value}`);
}

function toTerm(predicate: number, value: number): Quad['object'] {
  const { kind, name } = PREDICATES[predicate] as PredicateShape;
  if (kind === 'iri') return terms.namedNode(`${NAMES}${name}${value}`);
  if (kind === 'string') return terms.literal(`${name} ${value}`);
  return terms.literal(String(value), terms.namedNode(`${XSD}integer`));
}

/** A number below 2^20 for every fact, without a pattern between neighbours. */
function scattered(fact: number): number {
  let word = Math.imul(fact + 1, 0x9e3779b1);
  word ^= word >>> 15;
  word = Math.imul(word, 0x85ebca6b);
  return (word ^ (word >>> 13)) >>> 12;
}
