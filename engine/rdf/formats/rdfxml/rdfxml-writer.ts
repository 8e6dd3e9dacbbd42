/**
 * RDF/XML for quads sorted by subject: one `rdf:Description` per subject, every predicate as an element.
 *
 * Refused by name, because XML has no way to say them: predicates that do not end in an XML name, or
 * whose name the grammar keeps for itself (`rdf:li`, `rdf:Description` ...), and strings with characters
 * that XML 1.0 excludes. Blank node labels that are no XML names get the prefix `x.` (and so do those
 * that already have it, which keeps different labels different).
 */

import { SvcError } from '../../../base/errors.js';
import { getOrInsert } from '../../../base/maps.js';
import { type Quad, type RDF, RDF_NS, type Term, XSD_STRING } from '../../terms.js';
import { isXmlName, xmlNameAtEnd } from '../input/term-checks.js';
import { type QuadWriter, type QuadWriterOptions, refuseNamedGraph } from '../output/quad-writer.js';
import { escapeAttribute, escapeText } from './xml-literal.js';

const ITS = 'http://www.w3.org/2005/11/its';
const XMLNS_RESERVED = /^xml/i;
const KEPT_NAMES = new Set(
  'RDF Description ID about bagID parseType resource nodeID li aboutEach aboutEachPrefix'
    .split(' ')
    .map((name) => RDF_NS + name),
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML excludes
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

interface ElementName {
  readonly name: string;
  /** The declaration that the element must carry, or empty. */
  readonly declaration: string;
}

export class RdfXmlWriter implements QuadWriter {
  readonly #roots: readonly (readonly [prefix: string, iri: string])[];
  /** Declared where it is used; no prefix of the caller's, which it would hide from elements inside. */
  readonly #inlinePrefix: string;
  readonly #names = new Map<string, ElementName>();
  #subject: Term | null = null;

  constructor(options: QuadWriterOptions) {
    const usable = ([prefix, iri]: readonly [string, string]): boolean =>
      isXmlName(prefix) && !XMLNS_RESERVED.test(prefix) && prefix !== 'rdf' && iri !== '' && iri !== RDF_NS;
    this.#roots = Object.entries(options.prefixes).filter(usable).sort();
    const taken = new Set(this.#roots.map(([prefix]) => prefix));
    let number = 0;
    while (taken.has(`ns${number || ''}`)) number++;
    this.#inlinePrefix = `ns${number || ''}`;
  }

  begin(): string {
    const declarations = this.#roots.map(([prefix, iri]) => ` xmlns:${prefix}="${escapeAttribute(iri)}"`).join('');
    return `<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF xmlns:rdf="${RDF_NS}"${declarations}>\n`;
  }

  add(quad: Quad): string {
    refuseNamedGraph('rdfxml', quad);
    let text = '';
    if (this.#subject === null || !this.#subject.equals(quad.subject)) {
      text += this.#close();
      this.#subject = quad.subject;
      text += `  <rdf:Description ${subjectAttribute(quad.subject)}>\n`;
    }
    return `${text}    ${this.#property(quad.predicate, quad.object)}\n`;
  }

  end(): string {
    return `${this.#close()}</rdf:RDF>\n`;
  }

  #close(): string {
    if (this.#subject === null) return '';
    this.#subject = null;
    return '  </rdf:Description>\n';
  }

  #property(predicate: Term, object: Term): string {
    const { name, declaration } = this.#nameOf(predicate.value);
    const open = `<${name}${declaration}`;
    switch (object.termType) {
      case 'NamedNode':
        return `${open} rdf:resource="${escapeAttribute(object.value)}"/>`;
      case 'BlankNode':
        return `${open} rdf:nodeID="${nodeId(object.value)}"/>`;
      case 'Quad': {
        const { subject, predicate: inner, object: innerObject } = object as RDF.BaseQuad as Quad;
        const content = `<rdf:Description ${subjectAttribute(subject)}>${this.#property(inner, innerObject)}</rdf:Description>`;
        return `${open} rdf:version="1.2" rdf:parseType="Triple">${content}</${name}>`;
      }
      default:
        return `${open}${literalAttributes(object as RDF.Literal)}>${literalText(object as RDF.Literal)}</${name}>`;
    }
  }

  #nameOf(predicate: string): ElementName {
    return getOrInsert(this.#names, predicate, () => this.#findName(predicate));
  }

  #findName(predicate: string): ElementName {
    const local = xmlNameAtEnd(predicate);
    if (local === null || local.length === predicate.length || KEPT_NAMES.has(predicate)) {
      const why = KEPT_NAMES.has(predicate) ? 'RDF/XML keeps this name for itself' : 'it does not end in an XML name';
      throw new SvcError('unsupported', `RDF/XML can't write the predicate <${predicate}>: ${why}`, {
        hint: 'use Turtle, TriG, N-Triples, N-Quads or JSON-LD',
      });
    }
    const namespace = predicate.slice(0, -local.length);
    if (namespace === RDF_NS) return { name: `rdf:${local}`, declaration: '' };
    for (const [prefix, iri] of this.#roots) {
      if (predicate.startsWith(iri) && isXmlName(predicate.slice(iri.length))) {
        return { name: `${prefix}:${predicate.slice(iri.length)}`, declaration: '' };
      }
    }
    return {
      name: `${this.#inlinePrefix}:${local}`,
      declaration: ` xmlns:${this.#inlinePrefix}="${escapeAttribute(namespace)}"`,
    };
  }
}

function subjectAttribute(subject: Term): string {
  if (subject.termType === 'BlankNode') return `rdf:nodeID="${nodeId(subject.value)}"`;
  return `rdf:about="${escapeAttribute(subject.value)}"`;
}

function nodeId(label: string): string {
  return isXmlName(label) && !label.startsWith('x.') ? label : `x.${label}`;
}

function literalAttributes(literal: RDF.Literal): string {
  if (literal.language !== '') {
    const language = ` xml:lang="${literal.language}"`;
    if (!literal.direction) return language;
    return `${language} rdf:version="1.2" xmlns:its="${ITS}" its:version="2.0" its:dir="${literal.direction}"`;
  }
  if (literal.datatype.value === XSD_STRING) return '';
  return ` rdf:datatype="${escapeAttribute(literal.datatype.value)}"`;
}

function literalText(literal: RDF.Literal): string {
  const bad = NOT_XML.exec(literal.value);
  if (bad !== null) {
    const point = bad[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw new SvcError('unsupported', `RDF/XML can't write a string with the character U+${point}`, {
      hint: 'use Turtle, TriG, N-Triples, N-Quads or JSON-LD',
    });
  }
  return escapeText(literal.value);
}
