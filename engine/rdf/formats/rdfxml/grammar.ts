/**
 * The grammar of RDF/XML 1.1 and 1.2 over the events of an XML parser.
 *
 * The elements that are open stand on a stack as frames. An element that opens is a node or a property,
 * by the frame that it opens in; its attributes say which frame it makes. What a frame may hold is
 * decided by its kind alone, so that whatever matches no production is a fault:
 *
 * | frame        | holds                              | its statement is told                  |
 * |--------------|------------------------------------|----------------------------------------|
 * | `nodes`      | nodes (`rdf:RDF`)                  |                                        |
 * | `node`       | properties; `parseType="Resource"` | when it opens                          |
 * | `property`   | text, or one node                  | when the node opens, else at its end   |
 * | `literal`    | text (`rdf:datatype`)              | at its end                             |
 * | `empty`      | nothing, not even white space      | when it opens                          |
 * | `collection` | nodes                              | when the first node opens, or at its end |
 * | `triple`     | one node with one statement        | at its end                             |
 * | `markup`     | any XML (`parseType="Literal"`)    | at the end of the outermost            |
 */

import { getOrInsert } from '../../../base/maps.js';
import { type BlankNode, type NamedNode, type Quad, RDF_NS } from '../../terms.js';
import { type ReadFactory, TermFault } from '../input/read-factory.js';
import { isXmlName } from '../input/term-checks.js';
import { checkName, type ElementAttributes, readAttributes, resolved, type Scope } from './attributes.js';
import { escapeText, NOTHING_RENDERED, openTag, type RenderedNamespaces, type XmlTag } from './xml-literal.js';

/** Real documents nest a few levels; state is kept, and namespaces copied, per level. */
const DEPTH_MAX = 1_000;

type Subject = NamedNode | BlankNode;

/** A statement that waits for its object, and what is said about it. */
interface Statement {
  readonly subject: Subject;
  readonly predicate: NamedNode;
  /** The IRI of `rdf:ID`, which reifies it by four triples. */
  readonly id: NamedNode | null;
  /** Of `rdf:annotation` or `rdf:annotationNodeID`. */
  readonly reifier: Subject | null;
}

/** A property element that is open. */
interface Property {
  readonly scope: Scope;
  readonly name: string;
  readonly statement: Statement;
}

type Frame =
  | { readonly kind: 'nodes'; readonly scope: Scope }
  /** `items`: how many `rdf:li` there have been. */
  | { readonly kind: 'node'; readonly scope: Scope; readonly subject: Subject; items: number }
  | (Property & { readonly kind: 'property'; text: string; hasNode: boolean })
  | (Property & { readonly kind: 'literal'; readonly datatype: NamedNode; text: string })
  /** `because`: the attributes that leave no place for content. */
  | { readonly kind: 'empty'; readonly name: string; readonly because: string }
  | (Property & { readonly kind: 'collection'; last: BlankNode | null })
  | (Property & { readonly kind: 'triple'; readonly captured: Quad[] })
  | MarkupFrame;
type FrameOf<Kind extends Frame['kind']> = Frame & { readonly kind: Kind };

interface MarkupFrame {
  readonly kind: 'markup';
  readonly parts: string[];
  /** The end tag, or the statement whose object the text is. */
  readonly end: string | Statement;
  readonly rendered: RenderedNamespaces;
}

export class RdfXmlGrammar {
  readonly #outermost: Scope;
  readonly #frames: Frame[] = [];
  /** The statements of the triple terms that are open, from the outermost in. */
  readonly #captures: Quad[][] = [];
  readonly #ids = new Set<string>();
  readonly #words = new Map<string, NamedNode>();

  constructor(
    private readonly factory: ReadFactory,
    baseIri: string | undefined,
    private readonly emit: (quad: Quad) => void,
  ) {
    this.#outermost = { base: baseIri ?? null, language: null, direction: null, rdf12: false };
  }

  open(tag: XmlTag): void {
    if (this.#frames.length >= DEPTH_MAX) throw new TermFault(`elements are nested more than ${DEPTH_MAX} deep`);
    const parent = this.#frames.at(-1);
    if (parent?.kind === 'markup') {
      const opened = openTag(tag, parent.rendered);
      parent.parts.push(opened.text);
      const { parts } = parent;
      this.#frames.push({ kind: 'markup', parts, end: `</${tag.name}>`, rendered: opened.rendered });
      return;
    }
    if (tag.uri === '') throw new TermFault(`the element ${tag.name} has no namespace, so it names nothing in RDF`);
    if (parent?.kind === 'node') this.#frames.push(this.#property(tag, parent));
    else if (parent === undefined && tag.uri === RDF_NS && tag.local === 'RDF') this.#frames.push(this.#document(tag));
    else this.#frames.push(this.#node(tag, parent));
  }

  text(text: string): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined || text === '') return;
    if (frame.kind === 'markup') frame.parts.push(escapeText(text));
    else if (frame.kind === 'literal' || (frame.kind === 'property' && !frame.hasNode)) frame.text += text;
    else if (frame.kind === 'empty') throw notEmpty(frame, isContent(text) ? 'text' : 'white space');
    else if (isContent(text)) throw mixedContent(text);
  }

  /** Comments and processing instructions, which mean something in XML literals only. */
  markup(text: string): void {
    const frame = this.#frames.at(-1);
    if (frame?.kind === 'markup') frame.parts.push(text);
  }

  close(): void {
    const frame = this.#frames.pop()!;
    switch (frame.kind) {
      case 'property':
        if (!frame.hasNode) this.#state(frame.statement, this.#plainLiteral(frame.text, frame.scope));
        return;
      case 'literal':
        this.#state(frame.statement, this.factory.literal(frame.text, frame.datatype));
        return;
      case 'collection':
        if (frame.last === null) this.#state(frame.statement, this.#word('nil'));
        else this.#tell(frame.last, this.#word('rest'), this.#word('nil'));
        return;
      case 'triple':
        this.#closeTriple(frame);
        return;
      case 'markup':
        if (typeof frame.end === 'string') frame.parts.push(frame.end);
        else this.#state(frame.end, this.factory.literal(frame.parts.join(''), this.#word('XMLLiteral')));
        return;
      default:
    }
  }

  #document(tag: XmlTag): FrameOf<'nodes'> {
    const { scope, syntax, properties } = readAttributes(tag, this.#outermost);
    const other = Object.keys(syntax).map((name) => `rdf:${name}`)[0] ?? properties[0]?.name;
    if (other !== undefined) throw new TermFault(`the attribute ${other} has no place on ${tag.name}`);
    return { kind: 'nodes', scope };
  }

  #node(tag: XmlTag, parent: Exclude<Frame, FrameOf<'node' | 'markup'>> | undefined): FrameOf<'node'> {
    if (parent?.kind === 'literal') throw new TermFault(`${parent.name} has rdf:datatype, so it holds text only`);
    if (parent?.kind === 'empty') throw notEmpty(parent, `the element ${tag.name}`);
    if (parent?.kind === 'property') {
      if (isContent(parent.text)) throw mixedContent(parent.text);
      if (parent.hasNode) {
        throw new TermFault(`${parent.name} holds one node, and ${tag.name} is a second one: repeat ${parent.name}`);
      }
      parent.hasNode = true;
    }
    checkName(tag, 'node element', 'li');
    const attributes = readAttributes(tag, parent?.scope ?? this.#outermost);
    const subject = this.#subject(attributes, tag);
    this.#link(parent, subject);
    if (tag.uri !== RDF_NS || tag.local !== 'Description') {
      this.#tell(subject, this.#word('type'), this.factory.namedNode(tag.uri + tag.local));
    }
    this.#tellProperties(subject, attributes);
    return { kind: 'node', scope: attributes.scope, subject, items: 0 };
  }

  #subject({ scope, syntax }: ElementAttributes, tag: XmlTag): Subject {
    for (const name of ['resource', 'datatype', 'parseType', 'annotation', 'annotationNodeID'] as const) {
      if (syntax[name] === undefined) continue;
      throw new TermFault(`rdf:${name} has its place on property elements, and ${tag.name} is a node element`);
    }
    exclusive(tag, { 'rdf:ID': syntax.ID, 'rdf:about': syntax.about, 'rdf:nodeID': syntax.nodeID });
    if (syntax.about !== undefined) return this.factory.namedNode(resolved(syntax.about, scope.base));
    if (syntax.ID !== undefined) return this.#claimed(syntax.ID, scope);
    return this.#blankNode(syntax.nodeID);
  }

  /** States that a node is the object, or an item, of the property that it stands in. */
  #link(parent: Frame | undefined, node: Subject): void {
    if (parent?.kind === 'property') this.#state(parent.statement, node);
    if (parent?.kind !== 'collection') return;
    const cell = this.factory.blankNode();
    if (parent.last === null) this.#state(parent.statement, cell);
    else this.#tell(parent.last, this.#word('rest'), cell);
    this.#tell(cell, this.#word('first'), node);
    parent.last = cell;
  }

  #property(tag: XmlTag, parent: FrameOf<'node'>): Frame {
    checkName(tag, 'property element', 'Description');
    const attributes = readAttributes(tag, parent.scope);
    const { scope, syntax, properties } = attributes;
    if (syntax.about !== undefined) {
      throw new TermFault(`rdf:about has its place on node elements, and ${tag.name} is a property element`);
    }
    const { resource, nodeID, datatype, parseType } = syntax;
    const kinds = { 'rdf:parseType': parseType, 'rdf:datatype': datatype };
    exclusive(tag, { ...kinds, 'rdf:resource': resource, 'rdf:nodeID': nodeID });
    const [property] = properties;
    if (property !== undefined) exclusive(tag, { ...kinds, [property.name]: property.value });
    const isItem = tag.uri === RDF_NS && tag.local === 'li';
    const statement: Statement = {
      subject: parent.subject,
      predicate: this.factory.namedNode(isItem ? `${RDF_NS}_${++parent.items}` : tag.uri + tag.local),
      id: syntax.ID === undefined ? null : this.#claimed(syntax.ID, scope),
      reifier: this.#reifier(attributes, tag),
    };
    const { name } = tag;
    if (parseType !== undefined) return this.#parsed(parseType, { scope, name, statement });
    if (datatype !== undefined) {
      const type = this.factory.namedNode(resolved(datatype, scope.base));
      return { kind: 'literal', scope, name, statement, datatype: type, text: '' };
    }
    const because = resource !== undefined ? 'rdf:resource' : nodeID !== undefined ? 'rdf:nodeID' : property?.name;
    if (because === undefined) return { kind: 'property', scope, name, statement, text: '', hasNode: false };
    const object =
      resource === undefined ? this.#blankNode(nodeID) : this.factory.namedNode(resolved(resource, scope.base));
    this.#state(statement, object);
    this.#tellProperties(object, attributes);
    return { kind: 'empty', name, because };
  }

  #parsed(parseType: string, open: Property): Frame {
    const { scope, statement } = open;
    switch (parseType) {
      case 'Resource': {
        const subject = this.factory.blankNode();
        this.#state(statement, subject);
        return { kind: 'node', scope, subject, items: 0 };
      }
      case 'Collection':
        return { ...open, kind: 'collection', last: null };
      case 'Triple': {
        const captured: Quad[] = [];
        this.#captures.push(captured);
        return { ...open, kind: 'triple', captured };
      }
      default:
        // `Literal`, and whatever is not known.
        return { kind: 'markup', parts: [], end: statement, rendered: NOTHING_RENDERED };
    }
  }

  /** What stands in a triple term is not stated; before RDF 1.2 the whole property means nothing. */
  #closeTriple({ scope, name, statement, captured }: FrameOf<'triple'>): void {
    this.#captures.pop();
    if (!scope.rdf12) return;
    const [triple] = captured;
    if (triple === undefined || captured.length > 1) {
      throw new TermFault(`${name} has rdf:parseType="Triple", so it holds one statement, not ${captured.length}`);
    }
    this.#state(statement, triple);
  }

  #tellProperties(subject: Subject, { scope, properties }: ElementAttributes): void {
    for (const { iri, value } of properties) {
      const predicate = this.factory.namedNode(iri);
      const isType = iri === `${RDF_NS}type`;
      const object = isType ? this.factory.namedNode(resolved(value, scope.base)) : this.#plainLiteral(value, scope);
      this.#tell(subject, predicate, object);
    }
  }

  /** The statement of a property element, and what its `rdf:ID` and annotation say of it. */
  #state({ subject, predicate, id, reifier }: Statement, object: Quad['object']): void {
    const quad = this.#tell(subject, predicate, object);
    if (reifier !== null) this.#tell(reifier, this.#word('reifies'), quad);
    if (id === null) return;
    this.#tell(id, this.#word('type'), this.#word('Statement'));
    this.#tell(id, this.#word('subject'), subject);
    this.#tell(id, this.#word('predicate'), predicate);
    this.#tell(id, this.#word('object'), object);
  }

  #tell(subject: Subject, predicate: NamedNode, object: Quad['object']): Quad {
    const quad = this.factory.quad(subject, predicate, object);
    const capture = this.#captures.at(-1);
    if (capture === undefined) this.emit(quad);
    else capture.push(quad);
    return quad;
  }

  #plainLiteral(text: string, { language, direction, rdf12 }: Scope): Quad['object'] {
    if (language === null) return this.factory.literal(text);
    return this.factory.literal(text, { language, direction: rdf12 ? direction : null });
  }

  #reifier({ scope, syntax }: ElementAttributes, tag: XmlTag): Subject | null {
    const { annotation, annotationNodeID } = syntax;
    exclusive(tag, { 'rdf:annotation': annotation, 'rdf:annotationNodeID': annotationNodeID });
    if (annotation !== undefined) return this.factory.namedNode(resolved(annotation, scope.base));
    return annotationNodeID === undefined ? null : this.#blankNode(annotationNodeID);
  }

  #blankNode(label: string | undefined): BlankNode {
    if (label !== undefined) checkXmlName(label);
    return this.factory.blankNode(label);
  }

  /** The IRI of an `rdf:ID`, which a document gives once. */
  #claimed(id: string, scope: Scope): NamedNode {
    checkXmlName(id);
    const iri = resolved(`#${id}`, scope.base);
    if (this.#ids.has(iri)) throw new TermFault(`rdf:ID=${JSON.stringify(id)} is given twice with the same base IRI`);
    this.#ids.add(iri);
    return this.factory.namedNode(iri);
  }

  #word(local: string): NamedNode {
    return getOrInsert(this.#words, local, () => this.factory.namedNode(RDF_NS + local));
  }
}

/** Refuses two attributes of which an element has one. */
function exclusive(tag: XmlTag, attributes: Readonly<Record<string, string | undefined>>): void {
  let first: string | null = null;
  for (const name in attributes) {
    if (attributes[name] === undefined) continue;
    if (first !== null) throw new TermFault(`${tag.name} has ${first} and ${name}, which exclude each other`);
    first = name;
  }
}

function checkXmlName(name: string): void {
  if (!isXmlName(name)) throw new TermFault(`${JSON.stringify(name)} is not an XML name`);
}

function isContent(text: string): boolean {
  return /[^ \t\r\n]/.test(text);
}

function notEmpty({ name, because }: FrameOf<'empty'>, what: string): TermFault {
  return new TermFault(`${name} has ${because}, so it must be empty: ${what} has no place in it`);
}

function mixedContent(text: string): TermFault {
  const shown = text.trim();
  const start = shown.length > 40 ? `${shown.slice(0, 40)}...` : shown;
  return new TermFault(`text has no place here: ${JSON.stringify(start)}`);
}
