/** Ontology documents: what they say, and how much. */

import { readDocument } from '../../rdf/formats/reader.js';
import { type Quad, terms } from '../../rdf/terms.js';
import { type AxiomSummary, type Axioms, axiomsOf, summaryOf } from '../../reason/owl/axioms.js';

/** What a document says; `name` is what messages call it. */
export async function readOntology(
  turtle: string,
  name: string,
  signal?: AbortSignal,
): Promise<{ readonly axioms: Axioms; readonly summary: AxiomSummary }> {
  let anonymous = 0;
  const quads = await readDocument(turtle, {
    format: 'turtle',
    sourceName: name,
    signal,
    blankNode: (label) => terms.blankNode(label === null ? `a${anonymous++}` : `b-${label}`),
  });
  const axioms = axiomsOf(quads);
  return { axioms, summary: summaryOf(axioms, distinct(quads)) };
}

function distinct(quads: readonly Quad[]): number {
  const texts = new Set<string>();
  for (const { subject, predicate, object } of quads)
    texts.add(`${textOf(subject)} ${textOf(predicate)} ${textOf(object)}`);
  return texts.size;
}

/** Different for different terms of a document. */
function textOf(term: Quad['subject'] | Quad['object'] | Quad['predicate']): string {
  if (term.termType === 'Literal') {
    return JSON.stringify([term.value, term.language, term.datatype.value, term.direction ?? '']);
  }
  if (term.termType === 'Quad') {
    const { subject, predicate, object } = term as Quad;
    return `<<${textOf(subject)} ${textOf(predicate)} ${textOf(object)}>>`;
  }
  return `${term.termType} ${term.value}`;
}
