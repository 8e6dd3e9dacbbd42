/**
 * The quick path of JSON-LD: a node object in expanded form, as our writer and most exporters give it,
 * becomes quads directly; no context can change what it says. The path takes only what it fully
 * understands (absolute IRIs, node references, string values, one level of `@graph`) and answers false
 * for anything else, which then goes through the library. Both must agree; a test holds them together.
 */

import { type Quad, type RDF, RDF_NS } from '../../terms.js';
import type { ReadFactory } from '../input/read-factory.js';
import { TermFault } from '../input/read-factory.js';

const RDF_TYPE = `${RDF_NS}type`;
const VALUE_KEYS = new Set(['@value', '@type', '@language', '@direction']);

type JsonObject = Record<string, unknown>;

class NotExpanded extends Error {}

/** Appends the quads of a top-level node; false, with nothing appended, if it has to go the long way. */
export function readExpandedNode(node: unknown, factory: ReadFactory, into: Quad[]): boolean {
  const start = into.length;
  try {
    readNode(asObject(node), factory, factory.defaultGraph(), into);
    return true;
  } catch (error) {
    if (!(error instanceof NotExpanded) && !(error instanceof TermFault)) throw error;
    into.length = start;
    return false;
  }
}

function readNode(node: JsonObject, factory: ReadFactory, graph: RDF.Quad_Graph, into: Quad[]): void {
  const subject = resource(node['@id'], factory);
  for (const key in node) {
    if (key === '@id') continue;
    const values = asArray(node[key]);
    if (key === '@graph') {
      if (graph.termType !== 'DefaultGraph') throw new NotExpanded();
      for (const inner of values) readNode(asObject(inner), factory, subject, into);
    } else if (key === '@type') {
      const predicate = factory.namedNode(RDF_TYPE);
      for (const type of values) into.push(factory.quad(subject, predicate, resource(type, factory), graph));
    } else {
      if (!key.includes(':') || key.startsWith('_:')) throw new NotExpanded();
      const predicate = factory.namedNode(key);
      for (const value of values) into.push(factory.quad(subject, predicate, object(asObject(value), factory), graph));
    }
  }
}

function object(value: JsonObject, factory: ReadFactory): RDF.Quad_Object {
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === '@id') return resource(value['@id'], factory);
  if (!keys.every((key) => VALUE_KEYS.has(key))) throw new NotExpanded();
  const { '@value': text, '@type': type, '@language': language, '@direction': direction } = value;
  if (typeof text !== 'string') throw new NotExpanded();
  if (type !== undefined) {
    if (typeof type !== 'string' || !type.includes(':') || keys.length !== 2) throw new NotExpanded();
    return factory.literal(text, factory.namedNode(type));
  }
  if (language === undefined) {
    if (direction !== undefined) throw new NotExpanded();
    return factory.literal(text);
  }
  if (typeof language !== 'string') throw new NotExpanded();
  if (direction === undefined) return factory.literal(text, language);
  if (direction !== 'ltr' && direction !== 'rtl') throw new NotExpanded();
  return factory.literal(text, { language, direction });
}

function resource(id: unknown, factory: ReadFactory): RDF.NamedNode | RDF.BlankNode {
  if (typeof id !== 'string' || !id.includes(':')) throw new NotExpanded();
  return id.startsWith('_:') ? factory.blankNode(id.slice(2)) : factory.namedNode(id);
}

function asObject(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new NotExpanded();
  return value as JsonObject;
}

function asArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new NotExpanded();
  return value;
}
