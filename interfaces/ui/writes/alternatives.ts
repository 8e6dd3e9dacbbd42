/** What a gate offers, as what is written next: another value, another predicate, or a document with one place changed. */

import { declaredPrefixes } from '../parts/prefixes.js';
import type { Term } from '../parts/term.js';
import { isIri, stringLiteral, termText } from '../parts/turtle.js';
import type { Alternative, Finding } from './refusal.js';
import type { Fact } from './write-facts.js';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const TYPED = /^"((?:[^"\\]|\\.)*)"\^\^(?:xsd:(\w+)|<([^<>]*)>)$/s;

/** The fact with what the alternative says; null where it says nothing that can be written at once, or of another fact. */
export function factInstead(fact: Fact, alternative: Alternative, finding: Finding, entity: string): Fact | null {
  if (finding.focus_node !== undefined && finding.focus_node !== entity) return null;
  if (alternative.kind === 'predicate') {
    return alternative.instead_of === fact.predicate ? { ...fact, predicate: alternative.value } : null;
  }
  if (finding.path !== fact.predicate || finding.value !== lexical(fact.value)) return null;
  const value = valueInstead(fact.value, alternative);
  return value === null ? null : { ...fact, value };
}

function lexical(term: Term): string | null {
  if (term.type === 'bnode') return `_:${term.value}`;
  return term.type === 'triple' ? null : term.value;
}

function valueInstead(before: Term, { kind, value }: Alternative): Term | null {
  if (kind === 'entity' || kind === 'iri' || kind === 'class') return isIri(value) ? { type: 'uri', value } : null;
  if (kind === 'literal') {
    const [, text, local, datatype] = TYPED.exec(value) ?? [];
    if (text === undefined) return null;
    return {
      type: 'literal',
      value: JSON.parse(`"${text}"`) as string,
      datatype: local === undefined ? (datatype as string) : XSD + local,
    };
  }
  if (kind === 'datatype' && before.type === 'literal')
    return { type: 'literal', value: before.value, datatype: value };
  if (kind === 'language' && before.type === 'literal')
    return { type: 'literal', value: before.value, 'xml:lang': value };
  if (kind !== 'value') return null;
  if (isIri(value)) return { type: 'uri', value };
  return before.type === 'literal' ? { ...before, value } : { type: 'literal', value };
}

/**
 * The document with the one place changed that the finding is about; null where that place is not found for sure, which is
 * when what is wrong is written there once and in a plain way.
 */
export function documentInstead(turtle: string, alternative: Alternative, finding: Finding): string | null {
  const prefixes = declaredPrefixes(turtle);
  if (alternative.kind === 'predicate') {
    const { instead_of: wrong } = alternative;
    return wrong === undefined ? null : replaceOnce(turtle, namesOf(wrong, prefixes), `<${alternative.value}>`);
  }
  const { value } = finding;
  if (value === undefined || value === null) return null;
  const before: Term = isIri(value) ? { type: 'uri', value } : { type: 'literal', value };
  const after = valueInstead(before, alternative);
  if (after === null) return null;
  const written = before.type === 'uri' ? namesOf(value, prefixes) : [stringLiteral(value)];
  return replaceOnce(turtle, written, termText(after));
}

/** The ways to write an IRI. */
function namesOf(iri: string, prefixes: Readonly<Record<string, string>>): string[] {
  const names = Object.entries(prefixes).flatMap(([prefix, namespace]) =>
    iri.startsWith(namespace) ? [`${prefix}:${iri.slice(namespace.length)}`] : [],
  );
  return [`<${iri}>`, ...names];
}

/** A name goes on with these. */
const NAME = /[\w:.-]/;

function replaceOnce(text: string, written: readonly string[], by: string): string | null {
  const places: { readonly at: number; readonly length: number }[] = [];
  for (const one of written) {
    for (let at = text.indexOf(one); at >= 0; at = text.indexOf(one, at + one.length)) {
      const isName = !/[>"]$/.test(one);
      const after = text[at + one.length] ?? ' ';
      // `ex:a` is no part of `ex:ab`; a full stop ends a sentence where nothing follows it.
      const goesOn = NAME.test(after) && !(after === '.' && !NAME.test(text[at + one.length + 1] ?? ' '));
      if (isName && (goesOn || NAME.test(text[at - 1] ?? ' '))) continue;
      places.push({ at, length: one.length });
    }
  }
  const [place, ...others] = places;
  if (place === undefined || others.length > 0) return null;
  // A datatype or a language of what stood there goes with it.
  const rest = text.slice(place.at + place.length).replace(/^(?:\^\^(?:<[^<>]*>|[\w-]*:[\w-]+)|@[A-Za-z][\w-]*)/, '');
  return text.slice(0, place.at) + by + rest;
}
