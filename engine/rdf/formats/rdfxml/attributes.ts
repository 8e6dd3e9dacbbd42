/**
 * The attributes of an element of RDF/XML, sorted by what they mean: those of the syntax, those that
 * change the scope (`xml:base`, `xml:lang`, `its:dir`, `rdf:version`), and the properties. Names that
 * have no place are refused. What is allowed together is for the grammar to say.
 */

import { resolveIri } from '../../resolve-iri.js';
import { RDF_NS } from '../../terms.js';
import { TermFault } from '../input/read-factory.js';
import type { XmlAttribute, XmlTag } from './xml-literal.js';

const XML_NS = 'http://www.w3.org/XML/1998/namespace';
const ITS_NS = 'http://www.w3.org/2005/11/its';

/** What an element hands down to those inside it. */
export interface Scope {
  readonly base: string | null;
  readonly language: string | null;
  readonly direction: 'ltr' | 'rtl' | null;
  /** Whether `rdf:version` says 1.2: only then are there directions and triple terms. */
  readonly rdf12: boolean;
}

const SYNTAX_ATTRIBUTES = [
  'ID',
  'about',
  'nodeID',
  'resource',
  'datatype',
  'parseType',
  'annotation',
  'annotationNodeID',
] as const;
type SyntaxAttribute = (typeof SYNTAX_ATTRIBUTES)[number];

export interface ElementAttributes {
  readonly scope: Scope;
  readonly syntax: { readonly [Name in SyntaxAttribute]?: string };
  readonly properties: readonly { readonly name: string; readonly iri: string; readonly value: string }[];
}

/** Words of the syntax, which are neither elements nor properties. */
const SYNTAX_WORDS: ReadonlySet<string> = new Set(['RDF', 'version', ...SYNTAX_ATTRIBUTES]);
const REMOVED_WORDS: ReadonlySet<string> = new Set(['aboutEach', 'aboutEachPrefix', 'bagID']);
const VERSIONS: ReadonlySet<string> = new Set(['1.1', '1.2', '1.2-basic']);

const NOTHING: ElementAttributes['syntax'] = Object.freeze({});
const NO_PROPERTIES: ElementAttributes['properties'] = Object.freeze([]);

/** Refuses the names that an element or a property can't have. */
export function checkName(tag: { readonly uri: string; readonly local: string }, role: string, excluded: string): void {
  if (tag.uri === ITS_NS && (tag.local === 'dir' || tag.local === 'version')) {
    throw new TermFault(`its:${tag.local} can't be the name of a ${role}`);
  }
  if (tag.uri !== RDF_NS) return;
  if (REMOVED_WORDS.has(tag.local)) throw new TermFault(`rdf:${tag.local} is no longer part of RDF/XML`);
  if (SYNTAX_WORDS.has(tag.local) || tag.local === excluded) {
    throw new TermFault(`rdf:${tag.local} can't be the name of a ${role}`);
  }
}

export function readAttributes(tag: XmlTag, outer: Scope): ElementAttributes {
  let scope = outer;
  let syntax: { [Name in SyntaxAttribute]?: string } | null = null;
  let properties: { name: string; iri: string; value: string }[] | null = null;
  for (const key in tag.attributes) {
    const attribute = tag.attributes[key]!;
    const { prefix, local, uri, value } = attribute;
    if (prefix === 'xmlns' || key === 'xmlns') continue;
    if (prefix === '') {
      // Attributes whose names begin with `xml` are reserved, and to be ignored.
      if (/^xml/i.test(key)) continue;
      throw new TermFault(`the attribute ${key} has no namespace, so it names nothing in RDF`);
    }
    const inner = innerScope(scope, attribute);
    if (inner !== null) {
      scope = inner;
    } else if (uri === RDF_NS && (SYNTAX_ATTRIBUTES as readonly string[]).includes(local)) {
      syntax ??= {};
      if (syntax[local as SyntaxAttribute] !== undefined) throw new TermFault(`rdf:${local} is given twice`);
      syntax[local as SyntaxAttribute] = value;
    } else {
      checkName(attribute, 'property attribute', 'li');
      if (uri === RDF_NS && local === 'Description') {
        throw new TermFault("rdf:Description can't be the name of a property attribute");
      }
      properties ??= [];
      properties.push({ name: key, iri: uri + local, value });
    }
  }
  return { scope, syntax: syntax ?? NOTHING, properties: properties ?? NO_PROPERTIES };
}

/** The scope that an attribute makes; the scope as it is when it means nothing here; null if it is for others. */
function innerScope(scope: Scope, { uri, local, value }: XmlAttribute): Scope | null {
  if (uri === XML_NS) {
    if (local === 'lang') return { ...scope, language: value === '' ? null : value };
    if (local === 'base') return { ...scope, base: resolved(value, scope.base) };
    return scope;
  }
  if (uri === ITS_NS && local === 'version') return scope;
  if (uri === ITS_NS && local === 'dir') {
    if (value === '') return { ...scope, direction: null };
    if (value === 'ltr' || value === 'rtl') return { ...scope, direction: value };
    throw new TermFault(`its:dir is "ltr" or "rtl", not ${JSON.stringify(value)}`);
  }
  if (uri !== RDF_NS || local !== 'version') return null;
  if (!VERSIONS.has(value)) {
    throw new TermFault(`rdf:version is one of ${[...VERSIONS].join(', ')}, not ${JSON.stringify(value)}`);
  }
  return { ...scope, rdf12: value !== '1.1' };
}

/** An IRI reference against the base of its element. */
export function resolved(reference: string, base: string | null): string {
  const iri = resolveIri(reference, base);
  if (iri !== null) return iri;
  throw new TermFault(`the IRI <${reference}> is relative, and there is no base IRI to resolve it against`);
}
