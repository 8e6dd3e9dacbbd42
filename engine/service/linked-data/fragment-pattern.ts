/** Triple patterns as the parameters of a URL write them, and the URLs of pages. */

import { iriFault, isBlankNodeLabel } from '../../rdf/formats/input/term-checks.js';
import { type Quad, type Term, terms } from '../../rdf/terms.js';
import { toEntity, toIri } from '../facts/entity.js';
import { LOOKS_LIKE_IRI_OR_BLANK } from '../requests/json.js';

/** As the caller wrote them. */
export interface FragmentParameters {
  readonly subject?: string | undefined;
  readonly predicate?: string | undefined;
  readonly object?: string | undefined;
}

export interface TriplePattern {
  readonly subject: Term | null;
  readonly predicate: Term | null;
  readonly object: Term | null;
}

export async function toPattern({ subject, predicate, object }: FragmentParameters): Promise<TriplePattern> {
  return {
    subject: subject === undefined ? null : toEntity(bare(subject), 'subject'),
    predicate: predicate === undefined ? null : toEntity(bare(predicate), 'predicate'),
    object: object === undefined ? null : await toObject(object),
  };
}

/** `<iri>` without its brackets. */
function bare(text: string): string {
  return /^<.*>$/.test(text) ? text.slice(1, -1) : text;
}

/** An IRI, `_:label`, a literal as N-Triples writes it, or any other text as a plain string. */
async function toObject(text: string): Promise<Term> {
  if (/^<.*>$/.test(text)) return toIri(bare(text), 'object');
  if (text.startsWith('_:') && isBlankNodeLabel(text.slice(2))) return terms.blankNode(text.slice(2));
  if (LOOKS_LIKE_IRI_OR_BLANK.test(text) && iriFault(text) === null) return terms.namedNode(text);
  return (text.startsWith('"') ? await readLiteral(text) : null) ?? terms.literal(text);
}

async function readLiteral(text: string): Promise<Term | null> {
  // It brings every reader with it, and few patterns need one.
  const { readQuads } = await import('../../rdf/formats/reader.js');
  async function* line() {
    yield new TextEncoder().encode(`<urn:s> <urn:p> ${text} .\n`);
  }
  const blankNode = (label: string | null) => terms.blankNode(label ?? undefined);
  const quads: Quad[] = [];
  try {
    for await (const batch of readQuads(line(), { format: 'ntriples', sourceName: 'object', blankNode }))
      quads.push(...batch);
  } catch {
    return null;
  }
  const [quad] = quads;
  return quads.length === 1 && quad?.object.termType === 'Literal' ? quad.object : null;
}

/** The URL of a page, relative to the service. */
export function pageUrl(parameters: FragmentParameters, page: number, pageSize: number): string {
  const { subject, predicate, object } = parameters;
  const given = Object.entries({ subject, predicate, object, page, pageSize }).filter(
    ([, value]) => value !== undefined,
  );
  return `/fragments?${given.map(([name, value]) => `${name}=${encodeURIComponent(value as string | number)}`).join('&')}`;
}
