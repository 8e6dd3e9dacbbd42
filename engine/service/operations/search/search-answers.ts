/** What searches find as answers show it. Loaded with the first search. */

import { getOrInsert } from '../../../base/maps.js';
import { localPart } from '../../../base/text.js';
import { RDFS, type Term, XSD_STRING } from '../../../rdf/terms.js';
import type { ContextEntity, FoundText } from '../../../search/context/context.js';
import { type EntityFact, valueText } from '../../../search/context/entity-card.js';
import type { FoundName } from '../../../search/named-nodes.js';
import { lookInto } from '../../../storage/seam/rows.js';
import { termToJson } from '../../requests/json.js';
import type { Static } from '../../requests/schema.js';
import type { EmbeddingState, FoundContext, NearEntity } from '../../search/searches.js';
import type { OperationContext } from '../definition/operation.js';
import type { shownFact } from './search-fields.js';

/** Writes an IRI as the answer has it. */
export type ShowIri = (iri: string) => string;

/** Shortened by the prefixes of the loaded shape sets, unless whole ones are wanted. */
export function iriWriter(
  { store, shortenBy }: Pick<OperationContext, 'store' | 'shortenBy'>,
  verbose: boolean | undefined,
): ShowIri {
  if (verbose === true || shortenBy === undefined) return (whole) => whole;
  const table = lookInto(store.snapshot(), ({ storage }) => shortenBy(storage));
  return table === null ? (whole) => whole : (whole) => table.compact(whole);
}

export function toFact({ predicate, value }: EntityFact, show: ShowIri): Static<typeof shownFact> {
  const isEntity = value.termType === 'NamedNode' || value.termType === 'BlankNode';
  return {
    predicate: show(predicate),
    value: value.termType === 'NamedNode' ? show(value.value) : valueText(value),
    value_type: isEntity ? 'Entity' : 'Literal',
    ...qualifierOf(value),
  };
}

function qualifierOf(value: Term): { readonly datatype?: string; readonly lang?: string; readonly direction?: string } {
  if (value.termType !== 'Literal') return {};
  const { language: lang, direction, datatype } = value;
  if (lang) return { lang, ...(direction ? { direction } : {}) };
  return datatype.value === XSD_STRING ? {} : { datatype: datatype.value };
}

export function toText({ score, kind, predicate, value }: FoundText, show: ShowIri) {
  return {
    score,
    kind,
    predicate: predicate === null ? null : show(predicate),
    value: value === null ? null : valueText(value),
  };
}

export function toParts({ text: found, vector, link, ppr }: ContextEntity['parts'], show: ShowIri) {
  return {
    text: found === null ? null : toText(found, show),
    vector,
    link: link === null ? null : { from: show(link.from), way: link.way },
    ppr,
  };
}

export function toNear({ iri, text, score, validFrom, validTo }: NearEntity, show: ShowIri) {
  const source = 'knowledge' as const;
  return { entity: show(iri), text, score, source, valid_from: validFrom, valid_to: validTo };
}

export function toEmbeddings({ configured, embeddedEntities, error }: EmbeddingState) {
  return { configured, embedded_entities: embeddedEntities, ...(error === undefined ? {} : { error }) };
}

export function toSummary({ summary, truncated }: FoundContext) {
  return {
    total_entities: summary.totalEntities,
    total_facts: summary.totalFacts,
    direct_hits: summary.directHits,
    linked_additions: summary.linkedAdditions,
    embeddings: toEmbeddings(summary.embeddings),
    truncated: {
      entities_shown: summary.totalEntities,
      entities_considered: summary.entitiesConsidered,
      more_available: truncated,
      entities_with_more_facts: summary.entitiesWithMoreFacts,
    },
  };
}

export const asItIs: ShowIri = (iri) => iri;

/** A term as answers write values (wire shapes, 3.3). */
export function toTerm(term: Term, show: ShowIri): unknown {
  return term.termType === 'NamedNode' ? show(term.value) : termToJson(term);
}

/**
 * The literals of a node by the last parts of their predicates; by CURIE, or whole IRI, where two of them end alike. Its name
 * and its description are left out.
 */
export function propertiesOf(
  { facts }: FoundName,
  { store, shortenBy, configuration }: OperationContext,
): Record<string, unknown> {
  const known = new Set([...configuration.search.label_predicates, `${RDFS}comment`]);
  const byPredicate = new Map<string, unknown[]>();
  for (const { predicate, value } of facts) {
    if (value.termType !== 'Literal' || known.has(predicate)) continue;
    getOrInsert(byPredicate, predicate, () => []).push(termToJson(value));
  }
  const locals = [...byPredicate.keys()].map(localPart);
  const show = iriWriter({ store, shortenBy }, false);
  const properties: Record<string, unknown> = {};
  for (const [predicate, values] of byPredicate) {
    const local = localPart(predicate);
    const isAlone = locals.filter((other) => other === local).length === 1;
    properties[isAlone ? local : show(predicate)] = values.length === 1 ? values[0] : values;
  }
  return properties;
}
