/** What an entity is called and what it is, from its own facts; and the order in which they are shown. */

import type { Property } from './read-entity.js';

export const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
/** The first that an entity has is its name. */
const LABELS = [
  'http://www.w3.org/2000/01/rdf-schema#label',
  'http://www.w3.org/2004/02/skos/core#prefLabel',
  'http://schema.org/name',
  'https://schema.org/name',
  'http://xmlns.com/foaf/0.1/name',
  'http://purl.org/dc/terms/title',
];
const DESCRIPTIONS = [
  'http://www.w3.org/2000/01/rdf-schema#comment',
  'http://www.w3.org/2004/02/skos/core#definition',
  'http://purl.org/dc/terms/description',
  'http://schema.org/description',
  'https://schema.org/description',
];
const DESCRIPTION_CHARACTERS = 600;

/** The text of the first of the predicates; one in English, or in no language, before others. */
function textOf(properties: readonly Property[], predicates: readonly string[]): string | null {
  for (const wanted of predicates) {
    const values = properties.find(({ predicate }) => predicate === wanted)?.values ?? [];
    const texts = values.flatMap(({ term }) => (term.type === 'literal' ? [term] : []));
    const best = texts.find((term) => /^en\b/i.test(term['xml:lang'] ?? 'en')) ?? texts[0];
    if (best !== undefined) return best.value;
  }
  return null;
}

export function labelOf(properties: readonly Property[]): string | null {
  return textOf(properties, LABELS);
}

export function descriptionOf(properties: readonly Property[]): string | null {
  const text = textOf(properties, DESCRIPTIONS);
  return text === null || text.length <= DESCRIPTION_CHARACTERS ? text : `${text.slice(0, DESCRIPTION_CHARACTERS)}…`;
}

export function typesOf(properties: readonly Property[]): string[] {
  const values = properties.find(({ predicate }) => predicate === RDF_TYPE)?.values ?? [];
  return values.flatMap(({ term }) => (term.type === 'uri' ? [term.value] : []));
}

/** Types, names and descriptions first, all others by IRI, as they came. */
export function ordered(properties: readonly Property[]): Property[] {
  const first = [RDF_TYPE, ...LABELS, ...DESCRIPTIONS];
  const rank = ({ predicate }: Property): number => {
    const at = first.indexOf(predicate);
    return at < 0 ? first.length : at;
  };
  return [...properties].sort((a, b) => rank(a) - rank(b));
}
