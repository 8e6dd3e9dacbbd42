/**
 * A whole dataset as expanded JSON-LD, by the algorithm "Serialize RDF as JSON-LD" of JSON-LD 1.1 API:
 * RDF lists become `@list`, nodes are grouped, named graphs are nested. It needs the dataset in memory, so
 * that the engine writes JSON-LD in another way (`jsonld-writer.ts`, which streams); here it closes the circle of the suite.
 *
 * 1. Quads are collected into one node map per graph, and it is noted which blank nodes are the object
 *    of exactly one statement.
 * 2. Where asked, compound literals are folded into values with a direction.
 * 3. From each use of `rdf:nil` the list before it is collected as long as its nodes are nothing but that.
 * 4. What is left is written in the order of subjects.
 */

import { SvcError } from '../../engine/base/errors.js';
import { addTo, getOrInsert } from '../../engine/base/maps.js';
import { compareCodePoints } from '../../engine/base/text.js';
import { type Quad, type RDF, RDF_NS, type Term, XSD, XSD_STRING } from '../../engine/rdf/terms.js';

export interface SerializeOptions {
  /** Numbers and booleans as JSON numbers and booleans; loses lexical forms. */
  readonly useNativeTypes?: boolean | undefined;
  /** `rdf:type` as a property like others. */
  readonly useRdfType?: boolean | undefined;
  readonly rdfDirection?: 'i18n-datatype' | 'compound-literal' | undefined;
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Value = { [key: string]: Json };

interface Usage {
  readonly node: Node;
  readonly property: string;
  readonly value: Value;
}

interface Node {
  readonly id: string;
  types: string[] | null;
  readonly properties: Map<string, Value[]>;
}

type Graph = Map<string, Node>;

const DEFAULT_GRAPH = '';
const FIRST = `${RDF_NS}first`;
const REST = `${RDF_NS}rest`;
const NIL = `${RDF_NS}nil`;
const LIST = `${RDF_NS}List`;
const TYPE = `${RDF_NS}type`;
const I18N = 'https://www.w3.org/ns/i18n#';
const BOOLEANS: Record<string, boolean> = { true: true, 1: true, false: false, 0: false };
const INTEGER = /^[+-]?[0-9]+$/;
const DOUBLE = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

export function datasetToJsonLd(quads: Iterable<Quad>, options: SerializeOptions = {}): Json[] {
  return new Serializer(options).serialize(quads);
}

class Serializer {
  readonly #options: SerializeOptions;
  readonly #graphs = new Map<string, Graph>([[DEFAULT_GRAPH, new Map()]]);
  /** Blank nodes that are an object once (how), or more often (null); over all graphs. */
  readonly #references = new Map<string, Usage | null>();
  readonly #nilUsages = new Map<Graph, Usage[]>();
  readonly #compoundLiterals = new Map<Graph, Set<string>>();

  constructor(options: SerializeOptions) {
    this.#options = options;
  }

  serialize(quads: Iterable<Quad>): Json[] {
    for (const quad of quads) this.#collect(quad);
    for (const graph of this.#graphs.values()) {
      for (const subject of this.#compoundLiterals.get(graph) ?? []) this.#foldCompoundLiteral(graph, subject);
      for (const usage of this.#nilUsages.get(graph) ?? []) this.#foldList(graph, usage);
    }
    return this.#output();
  }

  #collect(quad: Quad): void {
    const graph = this.#graphOf(quad.graph);
    const node = nodeOf(graph, idOf(quad.subject));
    const predicate = quad.predicate.value;
    if (this.#options.rdfDirection === 'compound-literal' && predicate === `${RDF_NS}direction`) {
      const subjects = this.#compoundLiterals.get(graph) ?? new Set();
      this.#compoundLiterals.set(graph, subjects.add(node.id));
    }
    const isNode = quad.object.termType !== 'Literal';
    if (isNode) nodeOf(graph, idOf(quad.object));
    if (predicate === TYPE && isNode && this.#options.useRdfType !== true) {
      const type = idOf(quad.object);
      node.types ??= [];
      if (!node.types.includes(type)) node.types.push(type);
      return;
    }
    const value = this.#valueOf(quad.object);
    const values = node.properties.get(predicate);
    const text = JSON.stringify(value);
    if (values === undefined) node.properties.set(predicate, [value]);
    else if (values.some((known) => JSON.stringify(known) === text)) return;
    else values.push(value);
    if (isNode) this.#refer(graph, idOf(quad.object), { node, property: predicate, value });
  }

  #refer(graph: Graph, id: string, usage: Usage): void {
    if (id === NIL) {
      addTo(this.#nilUsages, graph, usage);
    } else if (this.#references.has(id)) this.#references.set(id, null);
    else if (id.startsWith('_:')) this.#references.set(id, usage);
  }

  #graphOf(term: Term): Graph {
    const name = term.termType === 'DefaultGraph' ? DEFAULT_GRAPH : idOf(term);
    const graph = getOrInsert(this.#graphs, name, () => new Map());
    if (name !== DEFAULT_GRAPH) nodeOf(this.#graphs.get(DEFAULT_GRAPH)!, name);
    return graph;
  }

  #foldCompoundLiteral(graph: Graph, subject: string): void {
    const usage = this.#references.get(subject);
    const literal = graph.get(subject);
    if (!usage || literal === undefined) return;
    graph.delete(subject);
    for (const value of usage.node.properties.get(usage.property) ?? []) {
      if (value['@id'] !== subject) continue;
      delete value['@id'];
      value['@value'] = firstValue(literal, 'value');
      const language = firstValue(literal, 'language');
      if (language !== null) value['@language'] = language;
      const direction = firstValue(literal, 'direction');
      if (direction !== null) value['@direction'] = direction;
    }
  }

  #foldList(graph: Graph, usage: Usage): void {
    let { node, property, value: head } = usage;
    const list: Json[] = [];
    const listNodes: string[] = [];
    while (property === REST && this.#isListNode(node)) {
      list.push(node.properties.get(FIRST)![0]!);
      listNodes.push(node.id);
      ({ node, property, value: head } = this.#references.get(node.id)!);
      if (!node.id.startsWith('_:')) break;
    }
    delete head['@id'];
    head['@list'] = list.reverse();
    for (const id of listNodes) graph.delete(id);
  }

  #isListNode(node: Node): boolean {
    if (!node.id.startsWith('_:') || !this.#references.get(node.id)) return false;
    if (node.types !== null && (node.types.length !== 1 || node.types[0] !== LIST)) return false;
    const { properties } = node;
    return properties.size === 2 && properties.get(FIRST)?.length === 1 && properties.get(REST)?.length === 1;
  }

  #output(): Json[] {
    const result: Json[] = [];
    for (const node of sorted(this.#graphs.get(DEFAULT_GRAPH)!)) {
      const written = nodeToJson(node);
      const graph = this.#graphs.get(node.id);
      if (graph !== undefined) {
        written['@graph'] = sorted(graph)
          .filter((inner) => inner.types !== null || inner.properties.size > 0)
          .map(nodeToJson);
      }
      if (Object.keys(written).length > 1) result.push(written);
    }
    return result;
  }

  #valueOf(term: Term): Value {
    if (term.termType !== 'Literal') return { '@id': idOf(term) };
    const datatype = term.datatype.value;
    if (this.#options.useNativeTypes === true) {
      const native = nativeValue(term.value, datatype);
      if (native !== undefined) return { '@value': native };
    }
    if (datatype === `${RDF_NS}JSON`) return { '@value': parseJsonLiteral(term.value), '@type': '@json' };
    if (this.#options.rdfDirection === 'i18n-datatype' && datatype.startsWith(I18N)) {
      return i18nValue(term.value, datatype.slice(I18N.length));
    }
    return plainValue(term);
  }
}

function plainValue(literal: RDF.Literal): Value {
  const value: Value = { '@value': literal.value };
  if (literal.language !== '') {
    value['@language'] = literal.language;
    if (literal.direction) value['@direction'] = literal.direction;
  } else if (literal.datatype.value !== XSD_STRING) value['@type'] = literal.datatype.value;
  return value;
}

/** The datatype of the i18n namespace ends in `language_direction`. */
function i18nValue(text: string, suffix: string): Value {
  const [language, direction] = suffix.split('_');
  const value: Value = { '@value': text };
  if (language) value['@language'] = language;
  if (direction) value['@direction'] = direction;
  return value;
}

function nativeValue(text: string, datatype: string): Json | undefined {
  if (datatype === XSD_STRING) return text;
  if (datatype === `${XSD}boolean`) return BOOLEANS[text];
  const numeric =
    (datatype === `${XSD}integer` && INTEGER.test(text)) || (datatype === `${XSD}double` && DOUBLE.test(text));
  return numeric && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

function parseJsonLiteral(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new SvcError('invalid_request', `a literal of datatype rdf:JSON is not JSON: ${text.slice(0, 100)}`, {
      cause,
    });
  }
}

function nodeOf(graph: Graph, id: string): Node {
  return getOrInsert(graph, id, () => ({ id, types: null, properties: new Map() }));
}

function nodeToJson(node: Node): Value {
  const written: Value = { '@id': node.id };
  if (node.types !== null) written['@type'] = node.types;
  for (const [property, values] of node.properties) written[property] = values;
  return written;
}

function firstValue(node: Node, name: string): Json {
  return node.properties.get(RDF_NS + name)?.[0]?.['@value'] ?? null;
}

function sorted(graph: Graph): Node[] {
  return [...graph.values()].sort((left, right) => compareCodePoints(left.id, right.id));
}

function idOf(term: Term): string {
  if (term.termType === 'Quad') {
    throw new SvcError('unsupported', 'JSON-LD has no triple terms', {
      hint: 'use Turtle, TriG, N-Triples or N-Quads',
    });
  }
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
}
