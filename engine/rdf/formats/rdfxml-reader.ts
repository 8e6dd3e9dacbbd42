/**
 * RDF/XML through `rdfxml-streaming-parser` (which passes the W3C suite and streams); a grammar of our
 * own over an XML tokeniser would replace it.
 *
 * The library is driven synchronously, and these of its habits are corrected from outside:
 * - text that is split by a comment, a CDATA section or an entity is kept whole (it kept the last part);
 * - elements and attributes without a namespace are errors (they were dropped, or named by the base);
 * - text beside elements, or where no text may stand, is an error (it was dropped);
 * - XML literals are exclusive canonical XML (they were not escaped);
 * - absolute IRIs are taken as written (their dot segments were removed), `rdf:type` attributes are
 *   resolved against the base (they were not); an unknown `rdf:parseType` means `Literal`;
 * - a node element may be the root (its attributes were dropped);
 * - a document that ends early is an error; entities follow `xml-entities.ts`; depth is limited.
 */

import { RdfXmlParser } from 'rdfxml-streaming-parser';
import { SvcError } from '../../base/errors.js';
import { type NamedNode, type Quad, RDF_NS } from '../terms.js';
import { type PushReader, type PushReaderOptions, parseError } from './push-reader.js';
import { TermFault } from './read-factory.js';
import { hasScheme, isXmlName } from './term-checks.js';
import { EntityFault, XmlEntities } from './xml-entities.js';
import {
  escapeText,
  NOTHING_RENDERED,
  openTag,
  type RenderedNamespaces,
  type XmlAttribute,
  type XmlTag,
} from './xml-literal.js';

/** Real documents nest a few levels; state is kept, and namespaces copied, per level. */
const DEPTH_MAX = 1_000;
const PARSE_TYPES = new Set(['Literal', 'Resource', 'Collection', 'Triple']);

/** The element that may be left out around a single node, which the library does not know. */
const RDF_ELEMENT: XmlTag = { name: 'rdf:RDF', prefix: 'rdf', local: 'RDF', uri: RDF_NS, attributes: {} };

/** What we use of the library beyond its declared surface; pinned by version and by the W3C suite. */
interface Library {
  readonly saxParser: Sax;
  readonly activeTagStack: ActiveTag[];
  push(quad: Quad): boolean;
  onTag(tag: XmlTag): void;
  onCloseTag(): void;
  newParseError(message: string): Error;
  validateNcname(name: string): void;
  uriToNamedNode(uri: string): NamedNode;
  valueToUri(value: string, tag: ActiveTag): NamedNode;
}

interface Sax {
  readonly line: number;
  readonly columnIndex: number;
  readonly ENTITIES: Record<string, string>;
  on(event: string, handler: (data: never) => void): void;
  write(text: string): void;
  close(): void;
}

interface ActiveTag {
  predicate?: NamedNode | null;
  text?: string;
  hadChildren?: boolean;
  baseIRI?: string;
  childrenStringTags?: string[];
  childrenStringEmitClosingTag?: string;
  rendered?: RenderedNamespaces;
}

class XmlFault extends Error {}

export function rdfXmlReader(options: PushReaderOptions): PushReader {
  return new RdfXmlReader(options);
}

class RdfXmlReader implements PushReader {
  readonly #options: PushReaderOptions;
  readonly #library: Library;
  readonly #sax: Sax;
  readonly #entities = new XmlEntities(() => this.#charactersRead);
  #charactersRead = 0;
  #into: Quad[] = [];
  /** Where the tag began that is being handled; faults of the grammar are reported there. */
  #tagStart: { line: number; column: number } | null = null;

  constructor(options: PushReaderOptions) {
    this.#options = options;
    const library = new RdfXmlParser({
      dataFactory: options.factory,
      ...(options.baseIri === undefined ? {} : { baseIRI: options.baseIri }),
      trackPosition: true,
      // `ReadFactory` checks IRIs.
      validateUri: false,
    }) as unknown as Library;
    this.#library = library;
    this.#sax = library.saxParser;
    library.push = (quad) => this.#into.push(quad) > 0;
    library.newParseError = (message) => new XmlFault(message);
    // The library's own expression lacks U+00B7.
    library.validateNcname = (name) => {
      if (!isXmlName(name)) throw new XmlFault(`${JSON.stringify(name)} is not an XML name`);
    };
    const resolve = library.valueToUri.bind(library);
    library.valueToUri = (value, tag) => (hasScheme(value) ? options.factory.namedNode(value) : resolve(value, tag));
    library.uriToNamedNode = (uri) => {
      const tag = library.activeTagStack.at(-1);
      return hasScheme(uri) || !tag?.baseIRI ? options.factory.namedNode(uri) : library.valueToUri(uri, tag);
    };
    this.#listen();
  }

  write(text: string, into: Quad[]): void {
    this.#into = into;
    this.#charactersRead += text.length;
    this.#guarded(() => this.#sax.write(text));
    this.#options.window.forgetBefore(this.#sax.line, Math.max(0, this.#sax.columnIndex - 1));
  }

  end(into: Quad[]): void {
    this.#into = into;
    this.#guarded(() => this.#sax.close());
  }

  #listen(): void {
    const sax = this.#sax;
    sax.on('error', (error: Error) => {
      throw new XmlFault(error.message.replace(/^[^:]*?(\d+:\d+:\s*)/, ''));
    });
    sax.on('xmldecl', ({ encoding }: { encoding?: string }) => this.#checkEncoding(encoding));
    sax.on('doctype', (doctype: string) => this.#entities.declare(doctype, sax.ENTITIES));
    sax.on('opentagstart', (tag: { name: string }) => {
      this.#tagStart = { line: sax.line, column: Math.max(0, sax.columnIndex - tag.name.length - 2) };
    });
    sax.on('opentag', (tag: XmlTag) => this.#openTag(tag));
    sax.on('closetag', () => {
      this.#library.onCloseTag();
      this.#tagStart = null;
    });
    sax.on('text', (text: string) => this.#text(text));
    sax.on('cdata', (text: string) => this.#text(text));
    sax.on('comment', (text: string) =>
      this.#library.activeTagStack.at(-1)?.childrenStringTags?.push(`<!--${text}-->`),
    );
    sax.on('processinginstruction', ({ target, body }: { target: string; body: string }) => {
      const content = body === '' ? target : `${target} ${body}`;
      this.#library.activeTagStack.at(-1)?.childrenStringTags?.push(`<?${content}?>`);
    });
  }

  #checkEncoding(encoding: string | undefined): void {
    if (encoding === undefined || /^(utf-?8|us-ascii|ascii)$/i.test(encoding)) return;
    throw new SvcError('unsupported', `XML in the encoding ${encoding} is not supported`, {
      position: this.#options.window.locate(1, 0),
      hint: 'convert the document to UTF-8, and its XML declaration with it',
    });
  }

  #openTag(tag: XmlTag): void {
    const stack = this.#library.activeTagStack;
    if (stack.length >= DEPTH_MAX) throw new XmlFault(`elements are nested more than ${DEPTH_MAX} deep`);
    const parent = stack.at(-1);
    if (parent?.childrenStringTags !== undefined) {
      const opened = openTag(tag, parent.rendered ?? NOTHING_RENDERED);
      parent.childrenStringTags.push(opened.text);
      stack.push({
        childrenStringTags: parent.childrenStringTags,
        childrenStringEmitClosingTag: `</${tag.name}>`,
        rendered: opened.rendered,
      });
    } else {
      if (parent?.predicate && parent.text !== undefined && isContent(parent.text)) throw mixedContent(parent.text);
      checkNames(tag);
      const isParseType = (attribute: XmlAttribute) => attribute.uri === RDF_NS && attribute.local === 'parseType';
      const parseType = Object.values(tag.attributes).find(isParseType);
      if (parseType !== undefined && !PARSE_TYPES.has(parseType.value)) parseType.value = 'Literal';
      const isRoot = stack.length === 0 && !(tag.uri === RDF_NS && tag.local === 'RDF');
      if (isRoot) this.#library.onTag(RDF_ELEMENT);
      this.#library.onTag(tag);
    }
    this.#tagStart = null;
  }

  #text(text: string): void {
    const tag = this.#library.activeTagStack.at(-1);
    if (tag === undefined) return;
    if (tag.childrenStringTags !== undefined) {
      tag.childrenStringTags.push(escapeText(text));
    } else if (tag.predicate && !tag.hadChildren) {
      tag.text = (tag.text ?? '') + text;
    } else if (isContent(text)) {
      throw mixedContent(text);
    }
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (error instanceof SvcError || !(error instanceof Error)) throw error;
      const ours = error instanceof XmlFault || error instanceof TermFault || error instanceof EntityFault;
      // The library throws bare errors for IRIs it can't resolve; anything more special is a defect.
      if (!ours && error.constructor !== Error) throw error;
      const at = this.#tagStart ?? { line: this.#sax.line, column: Math.max(0, this.#sax.columnIndex - 1) };
      throw parseError(messageOf(error), this.#options.window.locate(at.line, at.column), error);
    }
  }
}

function messageOf(error: Error): string {
  const relative = /^Found invalid (?:relative IRI|baseIRI) '([^']*)'/.exec(error.message);
  if (relative !== null) return `the IRI <${relative[1]}> is relative, and there is no base IRI to resolve it against`;
  const text = error.message.replace(/\.$/, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Attributes whose names begin with `xml` are reserved, and to be ignored. */
function checkNames(tag: XmlTag): void {
  const unnamed = (what: string): XmlFault => new XmlFault(`the ${what} has no namespace, so it names nothing in RDF`);
  if (tag.uri === '') throw unnamed(`element ${tag.name}`);
  for (const { prefix, name } of Object.values(tag.attributes)) {
    if (prefix === '' && !/^xml/i.test(name)) throw unnamed(`attribute ${name}`);
  }
}

function isContent(text: string): boolean {
  return /[^ \t\r\n]/.test(text);
}

function mixedContent(text: string): XmlFault {
  const shown = text.trim();
  const start = shown.length > 40 ? `${shown.slice(0, 40)}...` : shown;
  return new XmlFault(`text has no place here: ${JSON.stringify(start)}`);
}
