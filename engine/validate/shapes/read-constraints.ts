/**
 * The constraints of one shape, read from the parameters of the core components (SHACL 4): each function
 * reads one family of parameters, checks their syntax rules, and gives a constraint for each.
 */

import { compilePattern } from '../../query/regex/pattern.js';
import { RegexSyntaxError, RegexUnsupported } from '../../query/regex/syntax.js';
import { type Literal, type NamedNode, type Term, XSD_STRING } from '../../rdf/terms.js';
import { invalidShape } from './invalid-shape.js';
import { type Comparison, type Constraint, NODE_KIND, type RangeName, type Shape } from './shapes.js';
import { BadList, type ShapesGraph, shown } from './shapes-graph.js';
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

const RANGES: readonly (readonly [parameter: string, name: RangeName, operator: Comparison])[] = [
  ['minExclusive', 'MinExclusive', '>'],
  ['minInclusive', 'MinInclusive', '>='],
  ['maxExclusive', 'MaxExclusive', '<'],
  ['maxInclusive', 'MaxInclusive', '<='],
];

const READERS: readonly Read[] = [
  readTypes,
  readCounts,
  readRanges,
  readLengths,
  readPattern,
  readLanguages,
  readPairs,
  readLogic,
  readQualified,
  readClosed,
  readValues,
];

export function readConstraints(reader: ShapeReader): Constraint[] {
  return READERS.flatMap((read) => read(reader));
}

function readTypes(reader: ShapeReader): Constraint[] {
  const constraints: Constraint[] = iris(reader, 'class').map((type) => ({ kind: 'class', type }));
  const datatype = atMostOne(reader, 'datatype');
  if (datatype !== null) constraints.push({ kind: 'datatype', datatype: iri(reader, 'datatype', datatype).value });
  const nodeKind = atMostOne(reader, 'nodeKind');
  if (nodeKind !== null) {
    const name = nodeKind.value.startsWith(SH) ? nodeKind.value.slice(SH.length) : '';
    const kinds = Object.hasOwn(NODE_KINDS, name) ? NODE_KINDS[name] : undefined;
    if (nodeKind.termType !== 'NamedNode' || kinds === undefined) {
      const known = Object.keys(NODE_KINDS).map((kind) => `sh:${kind}`);
      throw invalidShape(reader.node, `sh:nodeKind can not be ${shown(nodeKind)}`, `one of ${known.join(', ')}`);
    }
    constraints.push({ kind: 'nodeKind', kinds, name });
  }
  return constraints;
}

function readCounts(reader: ShapeReader): Constraint[] {
  return (['minCount', 'maxCount'] as const).flatMap((kind): Constraint[] => {
    const value = atMostOne(reader, kind);
    if (value === null) return [];
    onlyOfProperties(reader, kind);
    return [{ kind, count: whole(reader, kind, value) }];
  });
}

function readRanges(reader: ShapeReader): Constraint[] {
  return RANGES.flatMap(([parameter, name, operator]): Constraint[] => {
    const bound = atMostOne(reader, parameter);
    if (bound === null) return [];
    if (bound.termType !== 'Literal') {
      throw invalidShape(reader.node, `sh:${parameter} is a literal, not ${shown(bound)}`);
    }
    return [{ kind: 'range', name, operator, bound }];
  });
}

function readLengths(reader: ShapeReader): Constraint[] {
  return (['minLength', 'maxLength'] as const).flatMap((kind): Constraint[] => {
    const value = atMostOne(reader, kind);
    return value === null ? [] : [{ kind, length: whole(reader, kind, value) }];
  });
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

function readLanguages(reader: ShapeReader): Constraint[] {
  const constraints: Constraint[] = [];
  const head = atMostOne(reader, 'languageIn');
  if (head !== null) {
    const ranges = list(reader, 'languageIn', head).map((member) => plainString(reader, 'languageIn', member));
    constraints.push({ kind: 'languageIn', ranges });
  }
  if (flag(reader, 'uniqueLang')) constraints.push({ kind: 'uniqueLang' });
  if (reader.graph.values(reader.node, 'uniqueLang').length > 0) onlyOfProperties(reader, 'uniqueLang');
  return constraints;
}

function readPairs(reader: ShapeReader): Constraint[] {
  return (['equals', 'disjoint', 'lessThan', 'lessThanOrEquals'] as const).flatMap((kind) => {
    const predicates = iris(reader, kind);
    if (predicates.length > 0 && kind.startsWith('lessThan')) onlyOfProperties(reader, kind);
    return predicates.map((predicate): Constraint => ({ kind, predicate }));
  });
}

function readLogic(reader: ShapeReader): Constraint[] {
  const { graph, node } = reader;
  const single = (['not', 'node', 'property'] as const).flatMap((kind) =>
    graph.values(node, kind).map((value): Constraint => ({ kind, shape: reader.refer(value, kind) })),
  );
  const several = (['and', 'or', 'xone'] as const).flatMap((kind) =>
    graph.values(node, kind).map((head): Constraint => {
      const shapes = list(reader, kind, head).map((member) => reader.refer(member, kind));
      return { kind, shapes };
    }),
  );
  return [...single, ...several];
}

function readQualified(reader: ShapeReader): Constraint[] {
  const value = atMostOne(reader, 'qualifiedValueShape');
  const counts = (['qualifiedMinCount', 'qualifiedMaxCount'] as const).map((kind) => {
    const count = atMostOne(reader, kind);
    return { kind, count: count === null ? null : whole(reader, kind, count) };
  });
  flag(reader, 'qualifiedValueShapesDisjoint');
  if (value === null) return [];
  onlyOfProperties(reader, 'qualifiedValueShape');
  const shape = reader.refer(value, 'qualifiedValueShape');
  return counts.flatMap(({ kind, count }) => (count === null ? [] : [{ kind, shape, count, siblings: [] }]));
}

function readClosed(reader: ShapeReader): Constraint[] {
  const { graph, node } = reader;
  const head = atMostOne(reader, 'ignoredProperties');
  const ignored = head === null ? [] : list(reader, 'ignoredProperties', head);
  const allowed = ignored.map((member) => iri(reader, 'ignoredProperties', member));
  if (!flag(reader, 'closed')) return [];
  const properties = graph
    .values(node, 'property')
    .flatMap((property) => graph.values(property, 'path'))
    .filter((path): path is NamedNode => path.termType === 'NamedNode');
  return [{ kind: 'closed', properties, allowed: [...properties, ...allowed] }];
}

function readValues(reader: ShapeReader): Constraint[] {
  const { graph, node } = reader;
  const constraints = graph.values(node, 'hasValue').map((value): Constraint => ({ kind: 'hasValue', value }));
  const head = atMostOne(reader, 'in');
  if (head !== null) constraints.push({ kind: 'in', members: list(reader, 'in', head) });
  return constraints;
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

function onlyOfProperties({ isProperty, node }: ShapeReader, parameter: string): void {
  if (!isProperty) throw invalidShape(node, `sh:${parameter} needs a property shape, and it has no sh:path`);
}

function iris(reader: ShapeReader, parameter: string): NamedNode[] {
  return reader.graph.values(reader.node, parameter).map((value) => iri(reader, parameter, value));
}

function iri({ node }: ShapeReader, parameter: string, value: Term): NamedNode {
  if (value.termType === 'NamedNode') return value;
  throw invalidShape(node, `sh:${parameter} needs an IRI, not ${shown(value)}`);
}

function plainString({ node }: ShapeReader, parameter: string, value: Term): string {
  if (value.termType === 'Literal' && value.datatype.value === XSD_STRING) return value.value;
  throw invalidShape(node, `sh:${parameter} needs a string, not ${shown(value)}`);
}

function whole({ node }: ShapeReader, parameter: string, value: Term): number {
  if (isInteger(value) && /^[+-]?\d+$/.test(value.value)) {
    const number = Number(value.value);
    if (Number.isSafeInteger(number)) return number;
  }
  throw invalidShape(node, `sh:${parameter} needs an integer, not ${shown(value)}`);
}

function isInteger(value: Term): value is Literal {
  return value.termType === 'Literal' && value.datatype.value === XSD_INTEGER;
}

function list({ graph, node }: ShapeReader, parameter: string, head: Term): Term[] {
  const members = graph.list(head);
  if (members instanceof BadList) throw invalidShape(node, `its sh:${parameter} ${members.reason}`);
  return members;
}
