/**
 * The constraints of one shape, read from the parameters of the core components (SHACL 4): a table has for each parameter
 * the function that checks its syntax rules and gives a constraint for each value.
 */

import { compilePattern } from '../../query/regex/pattern.js';
import { RegexSyntaxError, RegexUnsupported } from '../../query/regex/syntax.js';
import { type Literal, type NamedNode, type Term, XSD_STRING } from '../../rdf/terms.js';
import {
  type Comparison,
  type Constraint,
  type ConstraintKind,
  type ConstraintOf,
  NODE_KIND,
  type PairKind,
  type RangeKind,
  type Shape,
} from './shapes.js';
import { BadList, invalidShape, type ShapesGraph, shown } from './shapes-graph.js';
import { SH, XSD_BOOLEAN, XSD_INTEGER } from './vocabulary.js';

/** What the readers need to know of a shape, and how they come by other shapes. */
export interface ShapeReader {
  readonly graph: ShapesGraph;
  readonly node: Term;
  readonly isProperty: boolean;
  /** The shape that a node stands for; it may not have been read yet. */
  refer(node: Term, parameter: string): Shape;
}

type Read = (reader: ShapeReader) => Constraint[];

const NODE_KINDS: Readonly<Record<string, number>> = {
  BlankNode: NODE_KIND.blank,
  IRI: NODE_KIND.iri,
  Literal: NODE_KIND.literal,
  BlankNodeOrIRI: NODE_KIND.blank | NODE_KIND.iri,
  BlankNodeOrLiteral: NODE_KIND.blank | NODE_KIND.literal,
  IRIOrLiteral: NODE_KIND.iri | NODE_KIND.literal,
};

/** By the parameter that makes its subject a shape, in the order in which the constraints of a shape are evaluated. */
const READERS: Readonly<Record<Exclude<ConstraintKind, Unread> | 'qualifiedValueShape', Read>> = {
  class: (reader) => all(reader, 'class', iri).map((type) => ({ kind: 'class', type })),
  datatype: (reader) => once(reader, 'datatype', iri).map(({ value }) => ({ kind: 'datatype', datatype: value })),
  nodeKind: (reader) => once(reader, 'nodeKind', nodeKind),
  minCount: counted('minCount'),
  maxCount: counted('maxCount'),
  minExclusive: bounded('minExclusive', '>'),
  minInclusive: bounded('minInclusive', '>='),
  maxExclusive: bounded('maxExclusive', '<'),
  maxInclusive: bounded('maxInclusive', '<='),
  minLength: (reader) => once(reader, 'minLength', whole).map((length) => ({ kind: 'minLength', length })),
  maxLength: (reader) => once(reader, 'maxLength', whole).map((length) => ({ kind: 'maxLength', length })),
  pattern: readPattern,
  languageIn: (reader) => listed(reader, 'languageIn', plainString).map((ranges) => ({ kind: 'languageIn', ranges })),
  uniqueLang: readUniqueLang,
  equals: compared('equals'),
  disjoint: compared('disjoint'),
  lessThan: (reader) => compared('lessThan')(ofProperty(reader, 'lessThan')),
  lessThanOrEquals: (reader) => compared('lessThanOrEquals')(ofProperty(reader, 'lessThanOrEquals')),
  not: referring('not'),
  node: referring('node'),
  property: referring('property'),
  and: combining('and'),
  or: combining('or'),
  xone: combining('xone'),
  qualifiedValueShape: readQualified,
  closed: readClosed,
  hasValue: (reader) => all(reader, 'hasValue', asItIs).map((value) => ({ kind: 'hasValue', value })),
  in: (reader) => listed(reader, 'in', asItIs).map((members) => ({ kind: 'in', members })),
};

/** Kinds of constraints that have no parameter of their own here. */
type Unread = 'qualifiedMinCount' | 'qualifiedMaxCount' | 'sparql';

/** Parameters of constraint components: their subject is a shape. */
export const PARAMETERS: readonly string[] = [...Object.keys(READERS), 'sparql'];

export function readConstraints(reader: ShapeReader): Constraint[] {
  return Object.values(READERS).flatMap((read) => read(reader));
}

function counted(kind: 'minCount' | 'maxCount'): Read {
  return (reader) => once(ofProperty(reader, kind), kind, whole).map((count) => ({ kind, count }));
}

function bounded(kind: RangeKind, operator: Comparison): Read {
  return (reader) => once(reader, kind, literal).map((bound) => ({ kind, operator, bound }));
}

function compared(kind: PairKind): Read {
  return (reader) => all(reader, kind, iri).map((predicate) => ({ kind, predicate }));
}

function referring(kind: 'not' | 'node' | 'property'): Read {
  return (reader) => all(reader, kind, shape).map((inner) => ({ kind, shape: inner }));
}

function combining(kind: 'and' | 'or' | 'xone'): Read {
  return (reader) =>
    all(reader, kind, list).map((members) => ({ kind, shapes: members.map((member) => reader.refer(member, kind)) }));
}

function nodeKind({ node }: ShapeReader, _: string, value: Term): ConstraintOf<'nodeKind'> {
  const name = value.value.startsWith(SH) ? value.value.slice(SH.length) : '';
  const kinds = Object.hasOwn(NODE_KINDS, name) ? NODE_KINDS[name] : undefined;
  if (value.termType === 'NamedNode' && kinds !== undefined) return { kind: 'nodeKind', kinds, name };
  const known = Object.keys(NODE_KINDS).map((kind) => `sh:${kind}`);
  throw invalidShape(node, `sh:nodeKind can not be ${shown(value)}`, `one of ${known.join(', ')}`);
}

function readPattern(reader: ShapeReader): Constraint[] {
  const given = atMostOne(reader, 'pattern');
  const givenFlags = atMostOne(reader, 'flags');
  if (given === null) return [];
  const text = plainString(reader, 'pattern', given);
  const flags = givenFlags === null ? '' : plainString(reader, 'flags', givenFlags);
  try {
    return [{ kind: 'pattern', text, flags, pattern: compilePattern(text, flags) }];
  } catch (error) {
    if (!(error instanceof RegexSyntaxError || error instanceof RegexUnsupported)) throw error;
    const what = `sh:pattern ${shown(given)}${flags === '' ? '' : ` with the flags "${flags}"`} can not be used`;
    throw invalidShape(reader.node, `${what}: ${error.message}`);
  }
}

function readUniqueLang(reader: ShapeReader): Constraint[] {
  const constraints: Constraint[] = flag(reader, 'uniqueLang') ? [{ kind: 'uniqueLang' }] : [];
  ofProperty(reader, 'uniqueLang');
  return constraints;
}

function readQualified(reader: ShapeReader): Constraint[] {
  const value = atMostOne(reader, 'qualifiedValueShape');
  const counts = (['qualifiedMinCount', 'qualifiedMaxCount'] as const).map(
    (kind) => [kind, once(reader, kind, whole)] as const,
  );
  flag(reader, 'qualifiedValueShapesDisjoint');
  if (value === null) return [];
  const shape = ofProperty(reader, 'qualifiedValueShape').refer(value, 'qualifiedValueShape');
  return counts.flatMap(([kind, given]) => given.map((count) => ({ kind, shape, count, siblings: [] })));
}

function readClosed(reader: ShapeReader): Constraint[] {
  const { graph, node } = reader;
  const [ignored = []] = listed(reader, 'ignoredProperties', iri);
  if (!flag(reader, 'closed')) return [];
  const properties = graph
    .values(node, 'property')
    .flatMap((property) => graph.values(property, 'path'))
    .filter((path): path is NamedNode => path.termType === 'NamedNode');
  return [{ kind: 'closed', properties, allowed: [...properties, ...ignored] }];
}

/** Reads one value of a parameter, or says why it can not be one. */
type ReadValue<Value> = (reader: ShapeReader, parameter: string, value: Term) => Value;

function all<Value>(reader: ShapeReader, parameter: string, read: ReadValue<Value>): Value[] {
  return reader.graph.values(reader.node, parameter).map((value) => read(reader, parameter, value));
}

/** The value of a parameter that a shape may have once; none where it has none. */
function once<Value>(reader: ShapeReader, parameter: string, read: ReadValue<Value>): Value[] {
  const value = atMostOne(reader, parameter);
  return value === null ? [] : [read(reader, parameter, value)];
}

/** The members of the list that is the value of such a parameter. */
function listed<Value>(reader: ShapeReader, parameter: string, read: ReadValue<Value>): Value[][] {
  return once(reader, parameter, list).map((members) => members.map((member) => read(reader, parameter, member)));
}

/** The value of a parameter that a shape may have once. */
export function atMostOne({ graph, node }: Pick<ShapeReader, 'graph' | 'node'>, parameter: string): Term | null {
  const values = graph.values(node, parameter);
  if (values.length > 1) {
    throw invalidShape(node, `it has ${values.length} values of sh:${parameter}, and may have one`);
  }
  return values[0] ?? null;
}

/** A boolean parameter. Only `true` means anything; another spelling of it is none (SHACL 4.4.5). */
export function flag(reader: Pick<ShapeReader, 'graph' | 'node'>, parameter: string): boolean {
  const value = atMostOne(reader, parameter);
  if (value === null) return false;
  if (value.termType !== 'Literal' || value.datatype.value !== XSD_BOOLEAN) {
    throw invalidShape(reader.node, `sh:${parameter} is true or false, not ${shown(value)}`);
  }
  return value.value === 'true';
}

/** Refuses the parameter in a node shape. */
function ofProperty(reader: ShapeReader, parameter: string): ShapeReader {
  const { graph, node, isProperty } = reader;
  if (isProperty || graph.values(node, parameter).length === 0) return reader;
  throw invalidShape(node, `sh:${parameter} needs a property shape, and it has no sh:path`);
}

function asItIs(_reader: ShapeReader, _parameter: string, value: Term): Term {
  return value;
}

function shape(reader: ShapeReader, parameter: string, value: Term): Shape {
  return reader.refer(value, parameter);
}

export function iri({ node }: Pick<ShapeReader, 'node'>, parameter: string, value: Term): NamedNode {
  if (value.termType === 'NamedNode') return value;
  throw invalidShape(node, `sh:${parameter} needs an IRI, not ${shown(value)}`);
}

function literal({ node }: ShapeReader, parameter: string, value: Term): Literal {
  if (value.termType === 'Literal') return value;
  throw invalidShape(node, `sh:${parameter} is a literal, not ${shown(value)}`);
}

function plainString({ node }: ShapeReader, parameter: string, value: Term): string {
  if (value.termType === 'Literal' && value.datatype.value === XSD_STRING) return value.value;
  throw invalidShape(node, `sh:${parameter} needs a string, not ${shown(value)}`);
}

function whole({ node }: ShapeReader, parameter: string, value: Term): number {
  const isInteger = value.termType === 'Literal' && value.datatype.value === XSD_INTEGER;
  const number = isInteger && /^[+-]?\d+$/.test(value.value) ? Number(value.value) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw invalidShape(node, `sh:${parameter} needs an integer, not ${shown(value)}`);
}

function list({ graph, node }: ShapeReader, parameter: string, head: Term): Term[] {
  const members = graph.list(head);
  if (members instanceof BadList) throw invalidShape(node, `its sh:${parameter} ${members.reason}`);
  return members;
}
