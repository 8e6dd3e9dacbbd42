/**
 * Canonical N-Triples of share bundles (semantics text 6.2): one spelling for every term, one line for every triple, lines
 * in the order of their code points, which is the order of their UTF-8 bytes.
 *
 * Strings escape `\b \t \n \f \r \" \\` by name and other controls as `\uXXXX`, and nothing else: in this they are the
 * lines that RDFC-1.0 hashes. (`rdf/canonical/lines.ts` escapes U+FFFE and U+FFFF too, as RDF 1.2 has it.) Language tags
 * are in lower case (ruling R56).
 *
 * No text of a term with the space behind it is the beginning of another, so lines compare as their terms do, one after
 * the other.
 */

import { SvcError } from '../base/errors.js';
import { escapeString, languageSuffix } from '../rdf/canonical/lines.js';
import { type Quad, type Term, XSD_STRING } from '../rdf/terms.js';

export { compareCodePoints } from '../base/text.js';

/** The one thing that the two spellings differ in. */
const NONCHARACTERS = /[\ufffe\uffff]/;

export function escapeLiteral(text: string): string {
  if (!NONCHARACTERS.test(text)) return escapeString(text);
  return text
    .split(/([\ufffe\uffff])/)
    .map((part, at) => (at % 2 === 0 ? escapeString(part) : part))
    .join('');
}

/** A term as it stands in a line; blank nodes by the label that they have. */
export function canonicalTerm(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `<${term.value}>`;
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal': {
      const text = `"${escapeLiteral(term.value)}"`;
      const language = languageSuffix(term).toLowerCase();
      if (language !== '') return `${text}@${language}`;
      return term.datatype.value === XSD_STRING ? text : `${text}^^<${term.datatype.value}>`;
    }
    case 'Quad':
      throw new SvcError('unsupported', 'a share can hold no triple terms: RDFC-1.0 has no canonical form for them', {
        hint: 'share a scope without them, for instance what a CONSTRUCT gives',
      });
    default:
      throw new SvcError('internal', `invariant broken: a ${term.termType} is no term of a triple`);
  }
}

/** The line of a triple, without its line feed. */
export function canonicalTriple({
  subject,
  predicate,
  object,
}: Pick<Quad, 'subject' | 'predicate' | 'object'>): string {
  return `${canonicalTerm(subject)} ${canonicalTerm(predicate)} ${canonicalTerm(object)} .`;
}
