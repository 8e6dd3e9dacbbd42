/**
 * An entity as JSON-LD, without loss: short keys where they are clear, and native JSON only where it
 * gives back the very lexical form. References are always in an array, other values where there are several.
 */

import { addTo } from '../../base/maps.js';
import { localPart } from '../../base/text.js';
import { languageSuffix } from '../../rdf/canonical/lines.js';
import { type Literal, type Term, XSD, XSD_STRING } from '../../rdf/terms.js';
import { entityText } from '../facts/entity.js';
import type { Fact } from '../facts/entity-facts.js';
import { type Entity, RDF_TYPE } from './entity.js';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonLdDocument = Readonly<Record<string, Json>>;

/** What can be a term of a context: no keyword, no compact IRI, and no name that readers in JavaScript lose. */
const TERM = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_.-]*$/;
const CANONICAL_INTEGER = /^(0|-?[1-9][0-9]*)$/;

interface Property {
  readonly iri: string;
  readonly values: readonly Term[];
}

const isReference = ({ termType }: Term): boolean => termType === 'NamedNode' || termType === 'BlankNode';

export function toJsonLd(entity: Entity, expanded: boolean): JsonLdDocument {
  const types: Term[] = [];
  const others: Fact[] = [];
  for (const fact of entity.facts) {
    // What is no reference can't stand under @type.
    if (fact.predicate.value === RDF_TYPE && isReference(fact.value)) types.push(fact.value);
    else others.push(fact);
  }
  const properties = propertiesOf(others);
  const head = {
    '@id': entityText(entity.term),
    ...(types.length === 0 ? {} : { '@type': types.map(entityText) }),
  };
  if (expanded) {
    const entries = properties.map(({ iri, values }) => [iri, values.map((value) => jsonOf(value, true))]);
    return { ...head, ...(Object.fromEntries(entries) as JsonLdDocument) };
  }
  const keys = keysOf(properties);
  const context = properties.flatMap(({ iri, values }) => {
    const key = keys.get(iri) as string;
    if (key === iri) return [];
    return [[key, values.every(isReference) ? { '@id': iri, '@type': '@id' } : iri] as const];
  });
  const entries = properties.map(({ iri, values }) => [keys.get(iri), compacted(values)]);
  return { '@context': Object.fromEntries(context), ...head, ...(Object.fromEntries(entries) as JsonLdDocument) };
}

/** Facts stand by predicate already. */
function propertiesOf(facts: readonly Fact[]): Property[] {
  const properties = new Map<string, Term[]>();
  for (const { predicate, value } of facts) addTo(properties, predicate.value, value);
  return [...properties].map(([iri, values]) => ({ iri, values }));
}

/** The local name of each predicate that no other one shares; otherwise the IRI. */
function keysOf(properties: readonly Property[]): ReadonlyMap<string, string> {
  const uses = new Map<string, number>();
  for (const { iri } of properties) uses.set(localPart(iri), (uses.get(localPart(iri)) ?? 0) + 1);
  return new Map(
    properties.map(({ iri }) => {
      const name = localPart(iri);
      return [iri, TERM.test(name) && uses.get(name) === 1 ? name : iri];
    }),
  );
}

function compacted(values: readonly Term[]): Json {
  const shown = values.map((value) => jsonOf(value, false));
  return shown.length === 1 && !values.some(isReference) ? (shown[0] as Json) : shown;
}

function jsonOf(term: Term, expanded: boolean): Json {
  if (isReference(term)) return { '@id': entityText(term) };
  if (term.termType === 'Quad') {
    const { subject, predicate, object } = term;
    return { '@triple': { '@id': entityText(subject), [predicate.value]: jsonOf(object, true) } };
  }
  const literal = term as Literal;
  const suffix = languageSuffix(literal);
  if (suffix !== '') {
    const [language = '', direction] = suffix.split('--');
    const directed: Record<string, Json> = direction === undefined ? {} : { '@direction': direction };
    return { '@value': literal.value, '@language': language, ...directed };
  }
  const datatype = literal.datatype.value;
  const native = nativeOf(literal.value, datatype);
  if (native !== undefined && !expanded) return native;
  if (datatype === XSD_STRING) return { '@value': literal.value };
  return { '@value': native ?? literal.value, '@type': datatype };
}

/** What a reader of JSON-LD turns into the same literal; undefined when nothing does. */
function nativeOf(value: string, datatype: string): string | number | boolean | undefined {
  if (datatype === XSD_STRING) return value;
  if (datatype === `${XSD}integer` && CANONICAL_INTEGER.test(value) && Number.isSafeInteger(Number(value))) {
    return Number(value);
  }
  if (datatype === `${XSD}boolean` && (value === 'true' || value === 'false')) return value === 'true';
  return undefined;
}
