/**
 * The shapes of a set as a form shows them: for each shape its targets, its constraints, and the shapes in it. What is not
 * known here stands among the constraints by the name of its predicate, so that nothing of a shape is hidden.
 */

import { iriOf, keyOf, OWL, RDF, RDFS, SH, ShapesGraph, type Term } from './shapes-graph.js';

export type Path =
  | { readonly kind: 'predicate'; readonly iri: string }
  | { readonly kind: 'inverse' | 'zeroOrMore' | 'oneOrMore' | 'zeroOrOne'; readonly path: Path }
  | { readonly kind: 'sequence' | 'alternative'; readonly paths: readonly Path[] }
  | { readonly kind: 'unknown'; readonly text: string };

export type TargetKind = 'class' | 'node' | 'subjectsOf' | 'objectsOf' | 'sparql';

export interface Target {
  readonly kind: TargetKind;
  readonly term: Term;
}

/** One thing that is asked of a value: `minCount` 1. */
export interface Constraint {
  /** Local name of the predicate, or its IRI. */
  readonly name: string;
  readonly values: readonly Term[];
}

/** Shapes that a shape refers to. */
export interface Part {
  /** `node`, `not`, `or`, `and`, `xone`, `qualifiedValueShape`. */
  readonly kind: string;
  readonly shapes: readonly Shape[];
}

export interface Shape {
  /** `<IRI>` or `_:label` within its set. */
  readonly key: string;
  readonly iri: string | null;
  readonly set: string;
  readonly name: string | null;
  readonly description: string | null;
  /** Null: a node shape. */
  readonly path: Path | null;
  readonly targets: readonly Target[];
  readonly constraints: readonly Constraint[];
  readonly parts: readonly Part[];
  readonly properties: readonly Shape[];
  readonly isDeactivated: boolean;
  /** It stands further out already, and is not shown once more. */
  readonly isRepeated: boolean;
}

const DEPTH_MAX = 40;
const TARGETS: Readonly<Record<string, TargetKind>> = {
  targetClass: 'class',
  targetNode: 'node',
  targetSubjectsOf: 'subjectsOf',
  targetObjectsOf: 'objectsOf',
  target: 'sparql',
};
const SHAPES = ['node', 'not', 'qualifiedValueShape'] as const;
const SHAPE_LISTS = ['or', 'and', 'xone'] as const;
const VALUE_LISTS = new Set(['in', 'languageIn', 'ignoredProperties']);
/** Told elsewhere in the form, or of no interest in it. */
const APART = new Set([
  'path',
  'property',
  'name',
  'description',
  'deactivated',
  'order',
  'group',
  ...SHAPES,
  ...SHAPE_LISTS,
]);
const PATHS = [
  ['inversePath', 'inverse'],
  ['zeroOrMorePath', 'zeroOrMore'],
  ['oneOrMorePath', 'oneOrMore'],
  ['zeroOrOnePath', 'zeroOrOne'],
] as const;

/** The shapes of a set that stand by themselves, by name. Throws where the text is no Turtle. */
export function readShapes(set: string, turtle: string): Shape[] {
  const reader = new ShapeReader(set, new ShapesGraph(turtle));
  return reader.whole().sort((a, b) => titleOf(a).localeCompare(titleOf(b)));
}

export function titleOf({ name, iri, key }: Shape): string {
  return name ?? iri ?? key;
}

class ShapeReader {
  readonly #set: string;
  readonly #graph: ShapesGraph;

  constructor(set: string, graph: ShapesGraph) {
    this.#set = set;
    this.#graph = graph;
  }

  /** Those that have an IRI, a type of shape, or targets, and are no property of another. */
  whole(): Shape[] {
    const inner = new Set<string>();
    for (const [, facts] of this.#graph.nodes())
      for (const one of facts.get(`${SH}property`) ?? []) inner.add(keyOf(one));
    const shapes: Shape[] = [];
    for (const [key, facts] of this.#graph.nodes()) {
      const types = (facts.get(`${RDF}type`) ?? []).map(({ value }) => value);
      const isTyped = types.includes(`${SH}NodeShape`) || types.includes(`${SH}PropertyShape`);
      const hasTargets = Object.keys(TARGETS).some((name) => facts.has(SH + name));
      const asksSomething = [...facts.keys()].some((predicate) => predicate.startsWith(SH)) && key.startsWith('<');
      const isDeclared = facts.has(`${SH}prefix`) || facts.has(`${SH}declare`);
      if ((isTyped || hasTargets || (asksSomething && !isDeclared)) && !inner.has(key))
        shapes.push(this.shape(key, []));
    }
    return shapes;
  }

  shape(key: string, around: readonly string[]): Shape {
    const graph = this.#graph;
    const facts = graph.facts(key);
    const values = (name: string): readonly Term[] => facts.get(SH + name) ?? [];
    const text = (predicate: string): string | null => graph.values(key, predicate)[0]?.value ?? null;
    const isRepeated = around.includes(key) || around.length > DEPTH_MAX;
    const [path] = values('path');
    const within = [...around, key];
    const inner = (term: Term): Shape => this.shape(keyOf(term), within);
    return {
      key,
      iri: iriOf(key),
      set: this.#set,
      name: text(`${SH}name`) ?? text(`${RDFS}label`),
      description: text(`${SH}description`) ?? text(`${RDFS}comment`),
      path: path === undefined ? null : this.path(path, 0),
      targets: this.#targets(key),
      constraints: isRepeated ? [] : this.#constraints(key),
      parts: isRepeated ? [] : this.#parts(key, inner),
      properties: isRepeated ? [] : this.#ordered(values('property')).map(inner),
      isDeactivated: values('deactivated').some(({ value }) => value === 'true' || value === '1'),
      isRepeated,
    };
  }

  #ordered(properties: readonly Term[]): Term[] {
    const order = (term: Term): number => Number(this.#graph.values(keyOf(term), `${SH}order`)[0]?.value ?? 0);
    return [...properties].sort((a, b) => order(a) - order(b));
  }

  #targets(key: string): Target[] {
    const named = Object.entries(TARGETS).flatMap(([name, kind]) =>
      this.#graph.values(key, SH + name).map((term) => ({ kind, term })),
    );
    const types = this.#graph.values(key, `${RDF}type`).map(({ value }) => value);
    const isClass = types.includes(`${RDFS}Class`) || types.includes(`${OWL}Class`);
    const iri = iriOf(key);
    return isClass && iri !== null ? [{ kind: 'class', term: { type: 'uri', value: iri } }, ...named] : named;
  }

  #constraints(key: string): Constraint[] {
    const found: Constraint[] = [];
    for (const [predicate, values] of this.#graph.facts(key)) {
      if (!predicate.startsWith(SH)) continue;
      const name = predicate.slice(SH.length);
      if (APART.has(name) || name in TARGETS) continue;
      found.push({
        name,
        values: VALUE_LISTS.has(name) ? values.flatMap((head) => this.#graph.list(head)) : this.#told(values),
      });
    }
    return found;
  }

  /** A blank node tells what stands in it: the query of `sh:sparql`. */
  #told(values: readonly Term[]): Term[] {
    return values.flatMap((value) => {
      if (value.type !== 'bnode') return [value];
      const query = ['select', 'ask', 'message'].flatMap((name) => this.#graph.values(keyOf(value), SH + name));
      return query.length > 0 ? query.slice(0, 1) : [value];
    });
  }

  #parts(key: string, inner: (term: Term) => Shape): Part[] {
    const single = SHAPES.flatMap((kind) => {
      const shapes = this.#graph.values(key, SH + kind).map(inner);
      return shapes.length === 0 ? [] : [{ kind, shapes }];
    });
    const lists = SHAPE_LISTS.flatMap((kind) =>
      this.#graph.values(key, SH + kind).map((head) => ({ kind, shapes: this.#graph.list(head).map(inner) })),
    );
    return [...single, ...lists];
  }

  path(node: Term, depth: number): Path {
    if (node.type === 'uri') return { kind: 'predicate', iri: node.value };
    if (depth > DEPTH_MAX || node.type !== 'bnode')
      return { kind: 'unknown', text: node.type === 'literal' ? node.value : '…' };
    const inner = (term: Term): Path => this.path(term, depth + 1);
    if (this.#graph.isList(node)) return { kind: 'sequence', paths: this.#graph.list(node).map(inner) };
    for (const [name, kind] of PATHS) {
      const [value] = this.#graph.values(keyOf(node), SH + name);
      if (value !== undefined) return { kind, path: inner(value) };
    }
    const [alternatives] = this.#graph.values(keyOf(node), `${SH}alternativePath`);
    if (alternatives !== undefined) return { kind: 'alternative', paths: this.#graph.list(alternatives).map(inner) };
    return { kind: 'unknown', text: 'a path that can not be read' };
  }
}

/** As SPARQL writes it. */
export function pathText(path: Path, short: (iri: string) => string): string {
  const inner = (one: Path): string => {
    const text = pathText(one, short);
    return one.kind === 'sequence' || one.kind === 'alternative' ? `(${text})` : text;
  };
  switch (path.kind) {
    case 'predicate':
      return short(path.iri);
    case 'inverse':
      return `^${inner(path.path)}`;
    case 'zeroOrMore':
      return `${inner(path.path)}*`;
    case 'oneOrMore':
      return `${inner(path.path)}+`;
    case 'zeroOrOne':
      return `${inner(path.path)}?`;
    case 'sequence':
      return path.paths.map(inner).join('/');
    case 'alternative':
      return path.paths.map(inner).join('|');
    case 'unknown':
      return path.text;
  }
}
