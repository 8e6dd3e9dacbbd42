/** Property paths of shapes (SHACL 2.3.1): what they are, how they are read from a shapes graph and written as SPARQL. */

import type { NamedNode, Term } from '../../rdf/terms.js';
import { BadList, invalidShape, type ShapesGraph, shown } from './shapes-graph.js';

export type Path =
  | { readonly kind: 'predicate'; readonly predicate: NamedNode }
  | { readonly kind: 'inverse' | 'zeroOrMore' | 'oneOrMore' | 'zeroOrOne'; readonly path: Path }
  | { readonly kind: 'sequence' | 'alternative'; readonly paths: readonly Path[] };

/** Paths inside of paths; what reads them goes down by recursion. */
const DEPTH_MAX = 100;

const UNARY = [
  ['inversePath', 'inverse'],
  ['zeroOrMorePath', 'zeroOrMore'],
  ['oneOrMorePath', 'oneOrMore'],
  ['zeroOrOnePath', 'zeroOrOne'],
] as const;

/** `shape` is the one that messages name. */
export function readPath(graph: ShapesGraph, node: Term, shape: Term, depth = 0): Path {
  if (depth > DEPTH_MAX)
    throw invalidShape(shape, `its sh:path nests more than ${DEPTH_MAX} deep, or runs in a circle`);
  const inner = (term: Term): Path => readPath(graph, term, shape, depth + 1);
  if (node.termType === 'NamedNode') return { kind: 'predicate', predicate: node };
  if (node.termType !== 'BlankNode') throw invalidShape(shape, `its sh:path can not be ${shown(node)}`);
  if (graph.isList(node)) return { kind: 'sequence', paths: members(graph, node, shape, 'a sequence').map(inner) };
  for (const [name, kind] of UNARY) {
    const [value, other] = graph.values(node, name);
    if (value === undefined) continue;
    if (other !== undefined) throw invalidShape(shape, `a node of its sh:path has two values of sh:${name}`);
    return { kind, path: inner(value) };
  }
  const [list, other] = graph.values(node, 'alternativePath');
  if (other !== undefined) throw invalidShape(shape, 'a node of its sh:path has two values of sh:alternativePath');
  if (list !== undefined) {
    return { kind: 'alternative', paths: members(graph, list, shape, 'sh:alternativePath').map(inner) };
  }
  throw invalidShape(shape, `its sh:path is a blank node that is no path: neither a list nor one of ${NAMES}`);
}

const NAMES = [...UNARY.map(([name]) => `sh:${name}`), 'sh:alternativePath'].join(', ');

function members(graph: ShapesGraph, head: Term, shape: Term, what: string): Term[] {
  const list = graph.list(head);
  if (list instanceof BadList) throw invalidShape(shape, `${what} of its sh:path ${list.reason}`);
  if (list.length < 2) {
    throw invalidShape(shape, `${what} of its sh:path needs at least two members and has ${list.length}`);
  }
  return list;
}

/** The path as SPARQL writes it; a plain predicate as its IRI alone. */
export function pathText(path: Path): string {
  return path.kind === 'predicate' ? path.predicate.value : sparqlPath(path);
}

/** As it stands in a triple pattern. */
export function sparqlPath(path: Path): string {
  switch (path.kind) {
    case 'predicate':
      return `<${path.predicate.value}>`;
    case 'inverse':
      return `^${primary(path.path)}`;
    case 'sequence':
      return path.paths
        .map((part) => (part.kind === 'alternative' ? `(${sparqlPath(part)})` : sparqlPath(part)))
        .join('/');
    case 'alternative':
      return path.paths.map(sparqlPath).join('|');
    default:
      return `${primary(path.path)}${MARKS[path.kind]}`;
  }
}

const MARKS = { zeroOrMore: '*', oneOrMore: '+', zeroOrOne: '?' } as const;

function primary(path: Path): string {
  return path.kind === 'predicate' ? sparqlPath(path) : `(${sparqlPath(path)})`;
}

/** Every predicate that the path names. */
export function predicatesOf(path: Path): NamedNode[] {
  if ('predicate' in path) return [path.predicate];
  return 'path' in path ? predicatesOf(path.path) : path.paths.flatMap(predicatesOf);
}
