/** Terms as Turtle and SPARQL write them: what is put into a query or an update is written here, and nowhere else. */

import type { Term } from './term.js';

/** What no IRI may hold, in either language. */
const NOT_IN_IRIS = /[\p{Cc} <>"{}|\\^`]/u;
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** Whether a text is an absolute IRI, of any scheme. */
export function isIri(text: string): boolean {
  return ABSOLUTE.test(text) && !NOT_IN_IRIS.test(text);
}

/** Throws where the text is none. */
export function iriRef(iri: string): string {
  if (!isIri(iri)) {
    throw new TypeError(
      `“${iri.slice(0, 200)}” is no absolute IRI: write it in full, such as http://example.org/name, without spaces.`,
    );
  }
  return `<${iri}>`;
}

export function stringLiteral(text: string): string {
  return `"${text.replace(/[\\"\n\r\t]/g, (character) => ESCAPES[character] as string)}"`;
}

const LANGUAGE = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/;

/** Throws for a blank node, which no document can name. */
export function termText(term: Term): string {
  if (term.type === 'uri') return iriRef(term.value);
  if (term.type === 'literal') {
    const { value, datatype } = term;
    const language = term['xml:lang'];
    if (language !== undefined) {
      if (!LANGUAGE.test(language))
        throw new TypeError(`“${language}” is no language tag: write one such as en, or de-CH.`);
      return `${stringLiteral(value)}@${language}`;
    }
    return datatype === undefined ? stringLiteral(value) : `${stringLiteral(value)}^^${iriRef(datatype)}`;
  }
  if (term.type === 'triple') {
    const { subject, predicate, object } = term.value;
    return `<<( ${termText(subject)} ${termText(predicate)} ${termText(object)} )>>`;
  }
  throw new TypeError('a blank node has no name in documents: change what leads to it instead');
}

/** Terms are one when their keys are: a language tag knows no case. */
export function termKey(term: Term): string {
  if (term.type === 'triple') {
    const { subject, predicate, object } = term.value;
    return `t ${termKey(subject)} ${termKey(predicate)} ${termKey(object)}`;
  }
  if (term.type !== 'literal') return `${term.type} ${term.value}`;
  const language = term['xml:lang'];
  if (language !== undefined) return `l ${language.toLowerCase()} ${term.value}`;
  return `l ${term.datatype ?? 'http://www.w3.org/2001/XMLSchema#string'} ${term.value}`;
}
